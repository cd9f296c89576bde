"""Values of the data model in Python, and their tagged JSON.

This is the oracle's own model: it imports nothing of samewire, so that a mistake there cannot bless itself.
null, bool, int, float, str, bytes, list and dict (string keys, in order) are Python's own; the rest is below.
"""

import base64
import struct
from typing import NamedTuple

SAFE = 2**53 - 1


class Time(NamedTuple):
    """Whole seconds since 1970, floored, and 0…999 999 999 nanoseconds after them."""

    seconds: int
    nanoseconds: int = 0


class Ext(NamedTuple):
    kind: int
    data: bytes


class Map:
    """A map whose keys are not all strings, or not all different: pairs in order."""

    def __init__(self, pairs):
        self.pairs = list(pairs)

    def __eq__(self, other):
        return isinstance(other, Map) and self.pairs == other.pairs


class Fault(Exception):
    """An error of the contract: code, byte offset (None on writing) and JSON Pointer."""

    def __init__(self, code, offset=None, path=None):
        super().__init__(code, offset, path)
        self.code, self.offset, self.path = code, offset, path

    def as_json(self):
        out = {"code": self.code}
        if self.offset is not None:
            out["offset"] = self.offset
        if self.path is not None:
            out["path"] = self.path
        return out


def bits(value):
    return struct.unpack(">Q", struct.pack(">d", value))[0]


def from_bits(value):
    return struct.unpack(">d", struct.pack(">Q", value))[0]


def b64(data):
    return base64.b64encode(data).decode()


def pointer(path):
    """A JSON Pointer (RFC 6901) from a tuple of keys and indexes."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def pairs_of(value):
    return value.pairs if isinstance(value, Map) else list(value.items())


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def tagged(value):
    """The tagged JSON of a value, as something that json.dumps writes exactly and JSON.parse reads exactly."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Time):
        text = rfc3339(value)
        return {"$time": text if text else [value.seconds, value.nanoseconds]}
    if isinstance(value, Ext):
        return {"$ext": [value.kind, b64(value.data)]}
    if isinstance(value, int):
        return value if abs(value) <= SAFE else {"$int": str(value)}
    if isinstance(value, float):
        if value != value:
            return {"$float": "NaN"}
        if value in (float("inf"), float("-inf")):
            return {"$float": "Infinity" if value > 0 else "-Infinity"}
        return value
    if isinstance(value, bytes):
        return {"$bin": b64(value)}
    if isinstance(value, list):
        return [tagged(v) for v in value]
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)).startswith("$"):
            return {"$obj": {k: tagged(v) for k, v in value.items()}}
        return {k: tagged(v) for k, v in value.items()}
    if isinstance(value, Map):
        return {"$map": [[tagged(k), tagged(v)] for k, v in value.pairs]}
    raise TypeError(value)


def civil(days):
    """Year, month, day of days since 1970, proleptic Gregorian, counted out with no clever arithmetic."""
    year, rest = 1970 + 400 * (days // 146097), days % 146097
    leap = lambda y: y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    while rest >= 365 + leap(year):
        rest -= 365 + leap(year)
        year += 1
    for month, length in enumerate((31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
        if rest < length:
            return year, month, rest + 1
        rest -= length
    raise AssertionError


def rfc3339(time):
    """The text in UTC with the fewest exact fraction digits of 0, 3, 6, 9; None outside the years 0000–9999."""
    year, month, day = civil(time.seconds // 86400)
    if not 0 <= year <= 9999:
        return None
    second = time.seconds % 86400
    text = f"{year:04}-{month:02}-{day:02}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    nanos = time.nanoseconds
    for digits, unit in ((0, 10**9), (3, 10**6), (6, 10**3), (9, 1)):
        if nanos % unit == 0:
            return text + (f".{nanos // unit:0{digits}}" if digits else "") + "Z"
    raise AssertionError


def javascript(value):
    """What JavaScript holds instead: a whole float is the same as an int, and keys like "7" come first, in order."""
    if isinstance(value, float) and value == value and abs(value) <= SAFE and value == int(value) and bits(value) != 1 << 63:
        return int(value)
    if isinstance(value, list):
        return [javascript(v) for v in value]
    if isinstance(value, dict):
        index = lambda k: k.isascii() and k.isdigit() and str(int(k)) == k and int(k) < 2**32 - 1
        keys = sorted((k for k in value if index(k)), key=int) + [k for k in value if not index(k)]
        return {k: javascript(value[k]) for k in keys}
    if isinstance(value, Map):
        return Map((javascript(k), javascript(v)) for k, v in value.pairs)
    return value


def same(a, b):
    """Equality of kind, order and bits; every NaN is the same."""
    return exact(a) == exact(b)


def exact(value):
    if isinstance(value, float):
        return ("float", "nan" if value != value else bits(value))
    if isinstance(value, Time):
        return ("time", *value)
    if isinstance(value, Ext):
        return ("ext", *value)
    if isinstance(value, list):
        return ("array", [exact(v) for v in value])
    if isinstance(value, (dict, Map)):
        return ("map", [(exact(k), exact(v)) for k, v in pairs_of(value)])
    return (type(value).__name__, value)
