"""The Python package as a conformance testee (docs/conformance-protocol.md)."""

import datetime
import json
import platform

import samewire
from tagged import read, serve, write

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


class Kinds:
    ext = samewire.Ext

    @staticmethod
    def time(seconds, nanoseconds):
        if nanoseconds % 1000:
            return samewire.Timestamp(seconds, nanoseconds)
        return EPOCH + datetime.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)

    @staticmethod
    def tag(v):
        if isinstance(v, samewire.Timestamp):
            return {"$time": [v.seconds, v.nanoseconds]}
        if isinstance(v, datetime.datetime):
            if v.utcoffset() != datetime.timedelta(0):
                raise TypeError("a timestamp is read as UTC")
            since = v - EPOCH
            return {"$time": [since.days * 86400 + since.seconds, since.microseconds * 1000]}
        if isinstance(v, samewire.Ext):
            return write_ext(v)
        return None


def write_ext(v):
    import base64

    return {"$ext": [v.type, base64.b64encode(bytes(v.data)).decode()]}


def encode(r):
    value = read(r["value"], Kinds)
    function = samewire.packb if r["format"] == "msgpack" else samewire.dumps
    return {"ok": function(value, **r["options"]).hex()}


def decode(r):
    function = samewire.unpackb if r["format"] == "msgpack" else samewire.loads
    return {"ok": write(function(bytes.fromhex(r["input"]), **r["options"]), Kinds)}


def transcode(r):
    return {"ok": samewire.transcode(bytes.fromhex(r["input"]), r["from"], r["to"], **r["options"]).hex()}


def digest(r):
    value = samewire.digest(read(r["value"], Kinds))
    return {"ok": value if isinstance(value, str) else value.hex()}


def stream(r):
    reader = samewire.Unpacker(**r["options"]) if r["format"] == "msgpack" else samewire.JSONLines(**r["options"])
    values, error = [], None
    try:
        for chunk in r["chunks"]:
            reader.feed(bytes.fromhex(chunk))
            values.extend(write(v, Kinds) for v in reader)
        reader.finish()
        values.extend(write(v, Kinds) for v in reader)
    except samewire.SamewireError as e:
        error = {"code": e.code, "offset": e.offset, "path": e.path, "message": str(e)}
    return {"values": values, "error": error}


def schema_write(schema, r):
    function = schema.packb if r["format"] == "msgpack" else schema.dumps
    return function(read(r["value"], Kinds), **r["options"])


def schema_read(schema, r, data):
    function = schema.unpackb if r["format"] == "msgpack" else schema.loads
    return {"ok": write(function(data, **r["options"]), Kinds)}


def schema_compile(r):
    samewire.Schema(json.loads(r["schema"]))
    return {"ok": None}


def schema_encode(r):
    return {"ok": schema_write(samewire.Schema(json.loads(r["schema"])), r).hex()}


def schema_decode(r):
    return schema_read(samewire.Schema(json.loads(r["schema"])), r, bytes.fromhex(r["input"]))


def schema_resolve(r):
    data = schema_write(samewire.Schema(json.loads(r["writer"])), r)
    return schema_read(samewire.Schema(json.loads(r["reader"])), r, data)


def schema_transcode(r):
    schema = samewire.Schema(json.loads(r["schema"]))
    return {"ok": schema.transcode(bytes.fromhex(r["input"]), r["from"], r["to"], **r["options"]).hex()}


def schema_check(r):
    found = samewire.check(json.loads(r["old"]), json.loads(r["new"]), r["mode"])
    return {"ok": [{k: getattr(f, k) for k in ("mode", "rule", "path", "severity", "format")} for f in found]}


OPS = {
    "encode": encode,
    "decode": decode,
    "schema-compile": schema_compile,
    "schema-encode": schema_encode,
    "schema-decode": schema_decode,
    "schema-resolve": schema_resolve,
    "schema-transcode": schema_transcode,
    "schema-check": schema_check,
}
for name, op, needs in (
    ("transcode", transcode, "transcode"),
    ("digest", digest, "digest"),
    ("stream", stream, "Unpacker"),
):
    if hasattr(samewire, needs):
        OPS[name] = op
serve(
    {
        "name": "samewire",
        "version": getattr(samewire, "__version__", ""),
        "runtime": f"{platform.python_implementation()} {platform.python_version()}",
        "host": "python",
        "formats": ["msgpack", "json"],
        "ops": list(OPS),
        "options": ["*"],
        "strict": True,
    },
    OPS,
)
