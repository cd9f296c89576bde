"""Who takes part in which operation, and how each one's output is checked.

A contestant is a callable of one argument. Every one is used in the way its documentation shows for speed (a reused
encoder where there is one); none gets an option that changes what it promises.
"""

from __future__ import annotations

import importlib
import json
from datetime import datetime
from types import ModuleType

import types_of_payloads
from payloads import Payload, with_times

OURS = "samewire"
PEERS = ["orjson", "ssrjson", "msgspec", "ormsgpack", "msgpack", "amsgpack", "cmsgpack", "ujson"]

# What is measured by default, and what only on request.
KEY_OPS = ["packb", "unpackb", "dumps", "loads", "loads_str"]
MORE_OPS = ["typed_unpackb", "typed_loads", "to_json", "to_msgpack", "view"]

# The three fields that `view` reads, by JSON Pointer; peers decode the whole message for them.
VIEWED = {
    "request": ["/model", "/user", "/metadata/tenant"],
    "request10k": ["/model", "/messages/3/content", "/metadata/tenant"],
    "nested": ["/total", "/items/3/user/email", "/items/20/note"],
    "records": ["/17/price", "/2500/owner", "/4999/comment"],
}


def available() -> dict[str, ModuleType]:
    """The modules that this interpreter has."""
    found: dict[str, ModuleType] = {"json": json}
    for name in [OURS, *PEERS]:
        try:
            found[name] = importlib.import_module(name)
        except ImportError:
            pass
    return found


def versions(modules: dict[str, ModuleType]) -> dict[str, str]:
    from importlib import metadata

    out = {}
    for name in modules:
        if name != "json":
            try:
                out[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                out[name] = "?"
    return out


def contestants(op: str, payload: Payload, m: dict[str, ModuleType]) -> dict:
    """The callables of one operation, ours first."""
    timed = bool(payload.times)
    out: dict = {}

    def add(name: str, make, needs: tuple[str, ...] = ()):
        if all(n in m for n in (needs or (name,))):
            try:
                out[name] = make()
            except Exception as e:  # noqa: BLE001 - shown as failing, whatever it is
                out[name] = _raiser(e)

    if op == "packb":
        add(OURS, lambda: m[OURS].packb)
        option = m["ormsgpack"].OPT_DATETIME_AS_TIMESTAMP_EXT if "ormsgpack" in m else None
        add("ormsgpack", lambda: (lambda x, f=m["ormsgpack"].packb: f(x, option=option)) if timed else m["ormsgpack"].packb)
        add("msgspec", lambda: m["msgspec"].msgpack.Encoder().encode)
        add("msgpack", lambda: m["msgpack"].Packer(datetime=True).pack if timed else m["msgpack"].packb)
        add("amsgpack", lambda: m["amsgpack"].packb)
        add("cmsgpack", lambda: m["cmsgpack"].encode)
    elif op == "unpackb":
        add(OURS, lambda: m[OURS].unpackb)
        option = m["ormsgpack"].OPT_DATETIME_AS_TIMESTAMP_EXT if "ormsgpack" in m else None
        add("ormsgpack", lambda: (lambda x, f=m["ormsgpack"].unpackb: f(x, option=option)) if timed else m["ormsgpack"].unpackb)
        add("msgspec", lambda: m["msgspec"].msgpack.Decoder().decode)
        add("msgpack", lambda: (lambda x, f=m["msgpack"].unpackb: f(x, timestamp=3)) if timed else m["msgpack"].unpackb)
        add("amsgpack", lambda: m["amsgpack"].unpackb)
        add("cmsgpack", lambda: m["cmsgpack"].decode)
    elif op == "dumps":
        add(OURS, lambda: m[OURS].dumps)
        add("orjson", lambda: (lambda x, f=m["orjson"].dumps, o=m["orjson"].OPT_UTC_Z: f(x, option=o)) if timed else m["orjson"].dumps)
        add("ssrjson", lambda: m["ssrjson"].dumps_to_bytes)
        add("msgspec", lambda: m["msgspec"].json.Encoder().encode)
        add("ujson", lambda: m["ujson"].dumps)
        add("json", lambda: m["json"].dumps)
    elif op in ("loads", "loads_str"):
        add(OURS, lambda: m[OURS].loads)
        add("orjson", lambda: m["orjson"].loads)
        add("ssrjson", lambda: m["ssrjson"].loads)
        add("msgspec", lambda: m["msgspec"].json.Decoder().decode)
        add("ujson", lambda: m["ujson"].loads)
        add("json", lambda: m["json"].loads)
    elif op in ("typed_unpackb", "typed_loads"):
        kind = "msgpack" if op == "typed_unpackb" else "json"
        structs, classes = types_of_payloads.types(payload.name)
        if structs is None:
            return {}
        add(OURS, lambda: m[OURS].Decoder(kind, type=structs).decode)
        add(OURS + " (dataclass)", lambda: m[OURS].Decoder(kind, type=classes).decode, (OURS,))
        add("msgspec", lambda: getattr(m["msgspec"], kind).Decoder(structs).decode)
        add("msgspec (dataclass)", lambda: getattr(m["msgspec"], kind).Decoder(classes).decode, ("msgspec",))
    elif op == "to_json":
        if timed:
            return {}
        add(OURS, lambda: lambda x, f=m[OURS].transcode: f(x, "msgpack", "json"))
        add("ormsgpack+orjson", lambda: lambda x, r=m["ormsgpack"].unpackb, w=m["orjson"].dumps: w(r(x)), ("ormsgpack", "orjson"))
        add("msgspec", lambda: lambda x, r=m["msgspec"].msgpack.decode, w=m["msgspec"].json.encode: w(r(x)))
        add("ormsgpack+ssrjson", lambda: lambda x, r=m["ormsgpack"].unpackb, w=m["ssrjson"].dumps_to_bytes: w(r(x)), ("ormsgpack", "ssrjson"))
    elif op == "to_msgpack":
        add(OURS, lambda: lambda x, f=m[OURS].transcode: f(x, "json", "msgpack"))
        add("orjson+ormsgpack", lambda: lambda x, r=m["orjson"].loads, w=m["ormsgpack"].packb: w(r(x)), ("ormsgpack", "orjson"))
        add("msgspec", lambda: lambda x, r=m["msgspec"].json.decode, w=m["msgspec"].msgpack.encode: w(r(x)))
        add("ssrjson+ormsgpack", lambda: lambda x, r=m["ssrjson"].loads, w=m["ormsgpack"].packb: w(r(x)), ("ormsgpack", "ssrjson"))
    elif op == "view":
        if payload.name not in VIEWED:
            return {}
        pointers = VIEWED[payload.name]
        add(OURS, lambda: lambda x, f=m[OURS].view: _get(f(x), pointers))
        add("ormsgpack", lambda: lambda x, f=m["ormsgpack"].unpackb: _walk(f(x), pointers))
        add("msgspec", lambda: lambda x, f=m["msgspec"].msgpack.decode: _walk(f(x), pointers))
    else:
        raise SystemExit(f"no operation is called {op!r}; there are: {', '.join(KEY_OPS + MORE_OPS)}")
    return out


def _get(view, pointers):
    return [view.get(p) for p in pointers]


def _walk(value, pointers):
    out = []
    for pointer in pointers:
        v = value
        for step in pointer.split("/")[1:]:
            v = v[int(step)] if isinstance(v, list) else v[step]
        out.append(v)
    return out


def _raiser(error: Exception):
    def fail(_):
        raise error

    return fail


def build_inputs(op: str, payload: Payload, m: dict[str, ModuleType]):
    """A function from an instance's index to a fresh input of the operation, and whether the input may be kept.

    Objects and `str` carry caches of their own (CPython keeps the UTF-8 of a `str` once someone has asked for it), so an
    encoder that fills such a cache would be measured without its work from the second call on. Bytes have none.
    """
    if op in ("packb", "dumps"):
        # A fast reader where there is one: the inputs are built between the timed calls, over and over.
        read = m["orjson"].loads if "orjson" in m else m["json"].loads
        if payload.times:
            return (lambda i: with_times(read(payload.texts[i]), payload.times)), False
        return (lambda i: read(payload.texts[i])), False
    if op == "loads_str":
        return (lambda i: payload.texts[i].decode()), False
    if op in ("loads", "typed_loads", "to_msgpack"):
        return (lambda i: payload.texts[i]), True
    packed = [m["msgpack"].packb(payload.host(i), datetime=True) for i in range(len(payload.texts))]
    if op == "typed_unpackb" and payload.times:
        packed = [m["msgpack"].packb(payload.plain(i)) for i in range(len(payload.texts))]
    return (lambda i: packed[i]), True


def check(op: str, payload: Payload, name: str, call, build, m: dict[str, ModuleType]) -> str | None:
    """Runs the contestant over every instance; what is wrong with it, or None."""
    for i in range(len(payload.texts)):
        try:
            got = call(build(i))
        except Exception as e:  # noqa: BLE001 - a contestant may raise anything
            return f"{type(e).__name__}: {e}".splitlines()[0][:120]
        if not _right(op, payload, i, got, m):
            return f"wrong output for instance {i}"
    return None


def _right(op: str, payload: Payload, i: int, got, m: dict[str, ModuleType]) -> bool:
    # repr tells 1 from 1.0 and True, 0.0 from -0.0, and keeps the order of keys; == does not.
    if op == "packb":
        return _same(m["msgpack"].unpackb(got, timestamp=3), payload.host(i))
    if op == "unpackb":
        return _same(got, payload.host(i))
    if op in ("dumps", "to_json"):
        return _same(with_times(json.loads(got), payload.times), payload.host(i))
    if op in ("loads", "loads_str"):
        return _same(got, payload.plain(i))
    if op == "to_msgpack":
        return _same(m["msgpack"].unpackb(got), payload.plain(i))
    if op.startswith("typed"):
        return _same(json.loads(m["msgspec"].json.encode(got)), payload.plain(i))
    if op == "view":
        return _same(got, _walk(payload.plain(i), VIEWED[payload.name]))
    raise AssertionError(op)


def _same(a, b) -> bool:
    if repr(a) == repr(b):
        return True
    # A datetime of another class or another spelling of UTC is the same instant.
    return _instants(a) == _instants(b)


def _instants(value):
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, dict):
        return [(k, _instants(v)) for k, v in value.items()]
    if isinstance(value, list):
        return [_instants(v) for v in value]
    return repr(value)
