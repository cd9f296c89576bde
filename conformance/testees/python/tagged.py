"""Tagged JSON ↔ Python values, and the loop over lines: what every Python testee shares. It knows no codec."""

import base64
import json
import struct
import sys

SAFE = 2**53 - 1


def read(j, kinds):
    """A value of the host for tagged JSON. `kinds` makes the kinds that Python itself lacks."""
    if isinstance(j, list):
        return [read(v, kinds) for v in j]
    if not isinstance(j, dict):
        return j
    if len(j) == 1:
        (key, inner), *_ = j.items()
        if key == "$int":
            return int(inner)
        if key == "$float":
            return struct.unpack(">d", bytes.fromhex(inner[2:]))[0]
        if key == "$bin":
            return base64.b64decode(inner)
        if key == "$time":
            return kinds.time(*inner)
        if key == "$ext":
            return kinds.ext(inner[0], base64.b64decode(inner[1]))
        if key == "$map":
            return {read(k, kinds): read(v, kinds) for k, v in inner}
        if key == "$obj":
            j = inner
    return {k: read(v, kinds) for k, v in j.items()}


def write(v, kinds):
    """Tagged JSON of a value of the host."""
    if v is None or isinstance(v, bool):
        return v
    if isinstance(v, str):
        # Half a surrogate pair is no text; a line of the protocol cannot carry it.
        return (
            v
            if v.isascii() or not any("\ud800" <= c <= "\udfff" for c in v)
            else {"$str": base64.b64encode(v.encode("utf-8", "surrogatepass")).decode()}
        )
    if type(v) is int:
        return v if -SAFE <= v <= SAFE else {"$int": str(v)}
    if type(v) is float:
        return {"$float": "0x" + struct.pack(">d", v).hex()}
    if isinstance(v, (bytes, bytearray)):
        return {"$bin": base64.b64encode(v).decode()}
    if (tag := kinds.tag(v)) is not None:
        return tag
    if isinstance(v, (list, tuple)):
        return [write(x, kinds) for x in v]
    if isinstance(v, dict):
        if all(type(write(k, kinds)) is str for k in v) and not (len(v) == 1 and next(iter(v))[:1] == "$"):
            return {k: write(x, kinds) for k, x in v.items()}
        return {"$map": [[write(k, kinds), write(x, kinds)] for k, x in v.items()]}
    raise TypeError(f"no kind of the data model: {type(v).__name__}")


def serve(hello, ops):
    """Answers lines of requests until the input ends."""
    sys.setrecursionlimit(5000)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    for line in sys.stdin.buffer:
        answers = []
        for request in json.loads(line):
            op = request["op"]
            if op == "hello":
                answers.append({"ok": hello})
            elif op not in ops:
                answers.append({"skipped": f"no op {op}"})
            else:
                try:
                    answers.append(ops[op](request))
                except Exception as e:
                    code, offset, path = (getattr(e, name, None) for name in ("code", "offset", "path"))
                    answers.append(
                        {
                            "error": {
                                "code": str(code or type(e).__name__),
                                "offset": offset if type(offset) is int else None,
                                "path": path if isinstance(path, str) else None,
                                "message": str(e)[:300].encode(errors="replace").decode(),
                            }
                        }
                    )
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()
