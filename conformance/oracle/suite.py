"""Collects cases and works out what each must say. The format is documented in ../vectors/README.md."""

import hashlib

import json_spec
import msgpack_spec
from model import Fault, Map, Time, javascript, same, tagged

UNIX = -62135596800  # 0001-01-01T00:00:00Z, where Python's datetime begins
END = 253402300800  # 10000-01-01T00:00:00Z, where it ends
DATE = 8_640_000_000_000  # seconds either side of 1970 that a JavaScript Date reaches


def has(value, test):
    if test(value):
        return True
    if isinstance(value, list):
        return any(has(v, test) for v in value)
    if isinstance(value, (dict, Map)):
        pairs = value.pairs if isinstance(value, Map) else value.items()
        return any(has(k, test) or has(v, test) for k, v in pairs)
    return False


def attempt(work, *args):
    try:
        return work(*args), None
    except Fault as fault:
        return None, fault


class Suite:
    def __init__(self):
        self.files = {}
        self.names = set()

    def add(self, file, case):
        assert case["name"] not in self.names, case["name"]
        self.names.add(case["name"])
        self.files.setdefault(file, []).append(case)

    def written(self, value, options, formats):
        """The fields that say how a value is written."""
        out = {}
        for name, spec in (("msgpack", msgpack_spec), ("json", json_spec)):
            if name not in formats:
                continue
            data, fault = attempt(spec.encode, value, options)
            if fault:
                out[name + "_error"] = fault.as_json()
            else:
                out[name] = data.hex() if name == "msgpack" else data
        return out

    def value(self, file, name, value, options=None, formats=("msgpack", "json"), json_accepted=(), accepted=True, reads=True, **extra):
        """A value and its encodings. `reads=False` where what is written does not read back to the value."""
        case = {"name": f"{file.split('/')[0]}/{name}"}
        if options:
            case["options"] = options
        case["value"] = tagged(value)
        case |= self.written(value, options, formats)
        if "msgpack" in case and reads:
            data = bytes.fromhex(case["msgpack"])
            if accepted and not options:
                longer = [form.hex() for form in msgpack_spec.longer_forms(value)]
                if longer:
                    case["msgpack_accepted"] = longer
                for form in longer:
                    assert same(msgpack_spec.decode(bytes.fromhex(form)), value), (name, form)
            assert same(msgpack_spec.decode(data, options), value) or options, name
        if "json" in case and reads:
            back = json_spec.decode(case["json"].encode(), {})
            if not same(back, value):
                case["json_value"] = tagged(back)
            for text in json_accepted:
                assert same(json_spec.decode(text.encode(), {}), back), (name, text)
            if json_accepted:
                case["json_accepted"] = list(json_accepted)
        if not reads:
            case["write_only"] = True
        if (options or {}).get("canonical") and "msgpack" in case:
            case["digest"] = hashlib.sha256(bytes.fromhex(case["msgpack"])).hexdigest()
        hosts = {}
        host_value = javascript(value)
        if not same(host_value, value):
            hosts["javascript"] = {"value": tagged(host_value)} | self.written(host_value, options, formats)
            back = case.get("json_value")
            if "json" in case and reads:
                host_back = javascript(json_spec.decode(case["json"].encode(), {}))
                if back is not None or not same(host_back, host_value):
                    hosts["javascript"]["json_value"] = tagged(host_back)
            if "digest" in case:
                hosts["javascript"]["digest"] = hashlib.sha256(bytes.fromhex(hosts["javascript"]["msgpack"])).hexdigest()
        fault = {"read_error": {"code": "timestamp-out-of-range", "offset": 0, "path": ""}}
        if isinstance(value, Time):
            if not UNIX <= value.seconds < END:
                hosts["python"] = fault
            if not (-DATE <= value.seconds < DATE or value == Time(DATE, 0)):
                hosts["javascript"] = fault
        elif has(value, lambda v: isinstance(v, Time) and not UNIX <= v.seconds < END):
            hosts["python"] = {"skip": "datetime has only the years 1 to 9999"}
        if hosts:
            case["hosts"] = hosts
        self.add(file, case | extra)

    def read(self, file, name, format, data, options=None, expect=None, **extra):
        """An input and what reading it gives: a value or an error. `expect` is the author's own answer, checked."""
        case = {"name": f"{file.split('/')[0]}/{name}", "format": format}
        if isinstance(data, str) and format == "msgpack":
            data = bytes.fromhex(data)
        if isinstance(data, str):
            data = data.encode()
        if format == "msgpack":
            case["input"] = data.hex()
        else:
            try:
                case["input"] = data.decode()
            except UnicodeDecodeError:
                case["input_hex"] = data.hex()
        if options:
            case["options"] = options
        spec = msgpack_spec if format == "msgpack" else json_spec
        value, fault = attempt(spec.decode, data, options)
        if fault:
            case["error"] = fault.as_json()
            got = (fault.code, fault.offset, fault.path)
            assert expect is None or got[: len(expect)] == expect, (name, got, expect)
        else:
            assert expect is None, (name, value, expect)
            case["value"] = tagged(value)
            if not same(javascript(value), value):
                case["hosts"] = {"javascript": {"value": tagged(javascript(value))}}
        self.add(file, case | extra)

    def stream(self, file, name, format, data, values, error=None, options=None, **extra):
        case = {"name": f"{file.split('/')[0]}/{name}", "format": format, "stream": True}
        case["input"] = data.hex() if format == "msgpack" else data
        if options:
            case["options"] = options
        case["values"] = [tagged(v) for v in values]
        if error:
            case["error"] = error
        if any(not same(javascript(v), v) for v in values):
            case["hosts"] = {"javascript": {"values": [tagged(javascript(v)) for v in values]}}
        self.add(file, case | extra)
