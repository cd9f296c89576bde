"""The conformance vectors as Python sees them: tagged JSON to values, and a strict comparison."""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import samewire

# The deepest vectors have 513 levels, and each is walked by functions that call themselves twice a level.
sys.setrecursionlimit(10_000)

FOLDER = Path(__file__).parents[2] / "conformance" / "vectors"


class Invalid(Exception):
    """A value that Python has no object for."""


def load() -> list[dict[str, Any]]:
    """All cases that are for Python, with its own expectations put in place."""
    cases = []
    for path in sorted(FOLDER.glob("**/*.json")):
        if path.relative_to(FOLDER).parts[0] == "schema":
            continue
        for case in json.loads(path.read_text(), object_pairs_hook=_Pairs, parse_int=_int, parse_float=_Float):
            case = dict(case)
            case["file"] = str(path.relative_to(FOLDER))
            own = dict(dict(case.get("hosts", _Pairs())).get("python", _Pairs()))
            if "python" in case.get("only", ["python"]):
                cases.append({**case, **own})
    return cases


class _Pairs(list):
    """An object's members in order, duplicates and all."""


def _int(text: str) -> Any:
    return -0.0 if text == "-0" else int(text)


class _Float(float):
    pass


def value_of(tagged: Any) -> Any:
    """The Python value of tagged JSON."""
    if isinstance(tagged, _Pairs):
        if len(tagged) == 1 and tagged[0][0].startswith("$"):
            return _tag(*tagged[0])
        return {key: value_of(value) for key, value in tagged}
    if isinstance(tagged, list):
        return [value_of(value) for value in tagged]
    return float(tagged) if isinstance(tagged, _Float) else tagged


def _tag(tag: str, content: Any) -> Any:
    if tag == "$int":
        return samewire._host.int_from_digits(content)
    if tag == "$float":
        if content.startswith("0x"):
            return struct.unpack(">d", bytes.fromhex(content[2:]))[0]
        return float(content)
    if tag == "$bin":
        return base64.b64decode(content)
    if tag == "$time":
        return _time(content)
    if tag == "$ext":
        return samewire.Ext(content[0], base64.b64decode(content[1]))
    if tag == "$map":
        return {_key(value_of(key)): value_of(value) for key, value in content}
    if tag == "$obj":
        return {key: value_of(value) for key, value in content}
    raise Invalid(tag)


def _key(key: Any) -> Any:
    return tuple(_key(k) for k in key) if isinstance(key, list) else key


def _time(content: Any) -> datetime:
    if isinstance(content, list):
        seconds, nanoseconds = int(content[0]), int(content[1])
    else:
        head, _, rest = content.rstrip("Z").partition(".")
        if head.startswith("0000"):
            raise Invalid("Python's years begin with 1")
        at = datetime.fromisoformat(head).replace(tzinfo=timezone.utc)
        seconds, nanoseconds = (
            int((at - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds()),
            int(rest.ljust(9, "0") or 0),
        )
    try:
        stamp = samewire.Timestamp(seconds, nanoseconds)
    except (OverflowError, ValueError) as error:
        raise Invalid(str(error)) from None
    return stamp if stamp.nanosecond else stamp.to_datetime()


def same(a: Any, b: Any) -> bool:
    """Equal in kind, bits, and order. NaNs are equal."""
    # Not recursive: values nest deeper than some CPythons let calls nest.
    pairs = [(a, b)]
    while pairs:
        a, b = pairs.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, float):
            if not ((a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)):
                return False
        elif isinstance(a, (list, tuple)):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b))
        elif isinstance(a, dict):
            if len(a) != len(b):
                return False
            for x, y in zip(a, b):
                pairs += [(x, y), (a[x], b[y])]
        elif isinstance(a, samewire.Timestamp):
            if a.to_nanoseconds() != b.to_nanoseconds():
                return False
        elif a != b:
            return False
    return True
