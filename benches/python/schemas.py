#!/usr/bin/env python3
"""What a schema costs in CPython: reading, writing and checking by a schema, against the same without one and against
orjson with jsonschema-rs. Over the payloads that have a schema in `benches/payloads/schemas`.

    schemas.py [--quick] [--op OP]… [--payload NAME]… [--rounds N] [--ms N] --out FILE
    schemas.py --once OP/PAYLOAD CONTESTANT PASSES

`tools/bench-schema` runs this and the same in Node, and prints one table.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import payloads
import race

SCHEMAS = payloads.DIRECTORY / "schemas"
OPS = ["unpackb", "loads", "packb", "dumps", "validate", "validate_msgpack"]
OURS = "by schema"


def names() -> list[str]:
    return [n for n in json.loads((payloads.DIRECTORY / "manifest.json").read_bytes()) if (SCHEMAS / f"{n}.json").exists()]


def is_valid(validator, read):
    def valid(data):
        if not validator.is_valid(read(data)):
            raise ValueError("not valid")

    return valid


def contestants(op: str, name: str) -> dict:
    """The callables of an operation, ours first."""
    import jsonschema_rs
    import orjson
    import ormsgpack
    import samewire

    document = json.loads((SCHEMAS / f"{name}.json").read_bytes())
    schema = samewire.Schema(document)
    validator = jsonschema_rs.validator_for(document)
    return {
        "unpackb": lambda: {OURS: schema.unpackb, "unchecked": samewire.unpackb},
        "loads": lambda: {OURS: schema.loads, "unchecked": samewire.loads},
        "packb": lambda: {OURS: schema.packb, "unchecked": samewire.packb},
        "dumps": lambda: {OURS: schema.dumps, "unchecked": samewire.dumps},
        "validate": lambda: {
            OURS: lambda data: schema.validate(data, "json"),
            "orjson + jsonschema-rs": is_valid(validator, orjson.loads),
            "~unchecked": lambda data: samewire.validate(data, "json"),
        },
        "validate_msgpack": lambda: {
            OURS: schema.validate,
            "ormsgpack + jsonschema-rs": is_valid(validator, ormsgpack.unpackb),
            "~unchecked": samewire.validate,
        },
    }[op]()


def inputs(op: str, payload):
    """(a function that builds the input of an instance, whether one build may be used over and over)"""
    import msgpack

    if op in ("packb", "dumps"):
        return payload.plain, False
    if op in ("unpackb", "validate_msgpack"):
        packed = [msgpack.packb(payload.plain(i)) for i in range(len(payload.texts))]
        return packed.__getitem__, True
    return payload.texts.__getitem__, True


def spoilt(value):
    """The value without the first field of its first record, which every schema here requires or has of one type."""
    if isinstance(value, list):
        return [spoilt(value[0]), *value[1:]]
    first = next(iter(value))
    return {k: v for k, v in value.items() if k != first}


def same(a, b) -> bool:
    """Equal with the order of keys, 1 told from 1.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def check(op: str, payload, call) -> str | None:
    """Why a contestant's output is wrong; None if it is right for all instances."""
    import msgpack

    build, _ = inputs(op, payload)
    try:
        for i in range(len(payload.texts)):
            out, plain = call(build(i)), payload.plain(i)
            if op in ("packb", "dumps"):
                out = msgpack.unpackb(out) if op == "packb" else json.loads(out)
            if not op.startswith("validate") and not same(out, plain):
                return f"wrong output for instance {i}"
    except Exception as e:  # noqa: BLE001 - whatever it is, it is shown
        return f"{type(e).__name__}: {e}"[:120]
    return None


def refuses(op: str, payload, call) -> bool:
    """True if the contestant refuses a message that lacks a required field."""
    import msgpack

    wrong = spoilt(payload.plain(0))
    try:
        call(msgpack.packb(wrong) if op == "validate_msgpack" else json.dumps(wrong).encode())
    except Exception:  # noqa: BLE001 - its own error type
        return True
    return False


def once(cell: str, contestant: str, passes: int) -> int:
    """Runs one contestant untimed, for a tool that counts instructions."""
    op, name = cell.split("/")
    (payload,) = payloads.load([name])
    call, (build, _) = contestants(op, name)[contestant], inputs(op, payload)
    kept = [build(i) for i in range(len(payload.texts))]
    gc.disable()
    race.sample(call, passes, race.Builder(build, len(kept)), kept)
    print(passes * len(kept))
    return 0


def main() -> int:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--quick", action="store_true")
    a.add_argument("--op", action="append", choices=OPS)
    a.add_argument("--payload", action="append")
    a.add_argument("--rounds", type=int)
    a.add_argument("--ms", type=float)
    a.add_argument("--out")
    a.add_argument("--once", nargs=3, metavar=("OP/PAYLOAD", "CONTESTANT", "PASSES"))
    o = a.parse_args()
    if o.once:
        return once(o.once[0], o.once[1], int(o.once[2]))
    race.choose_clock(cpu=True)
    rounds, budget = o.rounds or (5 if o.quick else 21), (o.ms or (1 if o.quick else 4)) * 1e6
    runtime = f"CPython {sys.version_info.major}.{sys.version_info.minor}"
    cells = []
    for op in o.op or OPS:
        for payload in payloads.load([n for n in names() if n in (o.payload or names())]):
            calls, failed = contestants(op, payload.name), {}
            for name in list(calls):
                why = check(op, payload, calls[name])
                if why is None and op.startswith("validate") and not name.startswith("~") and not refuses(op, payload, calls[name]):
                    why = "takes a message that lacks a required field"
                if why:
                    failed[name] = why
                    del calls[name]
            build, keep = inputs(op, payload)
            cells.append({
                "id": f"{runtime}/{op}/{payload.name}", "op": op, "payload": payload.name, "runtime": runtime, "key": True, "ours": OURS,
                "rounds": race.race(calls, build, keep, len(payload.texts), rounds, budget), "failed": failed, "bytes": payload.size,
            })  # fmt: skip
    text = json.dumps(cells)
    if o.out:
        Path(o.out).write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
