"""What the Rust half takes from Python: how each type is written, and integers beyond 64 bits.

`resolve` is asked once per type; the Rust half keeps the answer. Libraries (numpy, pydantic, attrs, msgspec) are
never imported here: their types are known by what they carry, and only if the program has imported them.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Set
from decimal import Decimal
from typing import Any

from ._errors import DecodeError, EncodeError, Refused, SamewireError
from ._values import Ext, Raw, Timestamp

__all__ = [
    "DecodeError",
    "Decimal",
    "EncodeError",
    "Ext",
    "Refused",
    "SamewireError",
    "Timestamp",
    "digits_of_int",
    "int_from_digits",
    "resolve",
]

# The numbers that src/types.rs knows.
STR, INT, FLOAT, DICT, LIST, TUPLE, BUFFER, DATETIME, RAW, EXT, UNSUPPORTED = range(11)

Plan = int | Callable[[Any], Any] | None


def resolve(cls: type) -> Plan:
    """How objects of a type are written: like a built-in type (a number), as what a function makes of them, as binary
    if they have the buffer protocol (None), or not at all; then `default` is asked."""
    if issubclass(cls, enum.Enum):
        return _enum_value
    if issubclass(cls, Raw):
        return RAW
    if issubclass(cls, Ext):
        return EXT
    module = (cls.__module__ or "").partition(".")[0]
    if module == "numpy":
        plan = _numpy(cls)
        if plan is not None:
            return plan
    if issubclass(cls, dt.datetime):
        if module == "pandas" and cls.__name__ == "NaTType":
            return _refuse("invalid-timestamp", "NaT is no point in time")
        return DATETIME
    if cls.__name__ == "NaTType" and module == "pandas":
        return _refuse("invalid-timestamp", "NaT is no point in time")
    if dataclasses.is_dataclass(cls):
        return _attributes([f.name for f in dataclasses.fields(cls)])
    if hasattr(cls, "__struct_fields__"):
        return _struct(cls)
    if hasattr(cls, "__attrs_attrs__"):
        return _attributes([a.name for a in cls.__attrs_attrs__])
    if hasattr(cls, "model_dump") and hasattr(cls, "model_fields"):
        return lambda model: model.model_dump()
    if hasattr(cls, "__pydantic_model__") or (hasattr(cls, "__fields__") and hasattr(cls, "dict")):
        return lambda model: model.dict()
    for base, plan in _BASES:
        if issubclass(cls, base):
            return plan
    if issubclass(cls, Mapping):
        return dict
    if issubclass(cls, Set):
        return list
    return None


def _enum_value(member: Any) -> Any:
    return member._value_


def _refuse(code: str, message: str) -> Callable[[Any], Any]:
    def refuse(_: Any) -> Any:
        raise Refused(code, message)

    return refuse


def _attributes(names: list[str]) -> Callable[[Any], dict[str, Any]]:
    def to_dict(value: Any) -> dict[str, Any]:
        # Attributes that were deleted, or slots never set, are left out.
        return {name: getattr(value, name) for name in names if hasattr(value, name)}

    def to_dict_fast(value: Any) -> dict[str, Any]:
        try:
            return {name: getattr(value, name) for name in names}
        except AttributeError:
            return to_dict(value)

    return to_dict_fast


def _struct(cls: Any) -> Callable[[Any], Any]:
    """A msgspec.Struct, under its encoded names, with its tag and its other settings."""
    fields, names, config = cls.__struct_fields__, cls.__struct_encode_fields__, cls.__struct_config__
    pairs = list(zip(names, fields))
    tag = [] if config.tag is None else [(config.tag_field, config.tag)]
    unset = _unset()
    if config.array_like:
        return lambda value: [t for _, t in tag] + [getattr(value, field) for field in fields]
    omitted = _struct_defaults(cls) if config.omit_defaults else {}

    def to_dict(value: Any) -> dict[str, Any]:
        out = dict(tag)
        for name, field in pairs:
            item = getattr(value, field)
            if item is unset or (field in omitted and omitted[field](item)):
                continue
            out[name] = item
        return out

    return to_dict


def _unset() -> Any:
    import sys

    msgspec = sys.modules.get("msgspec")
    return getattr(msgspec, "UNSET", object()) if msgspec else object()


def _struct_defaults(cls: Any) -> dict[str, Callable[[Any], bool]]:
    import sys

    nodefault = sys.modules["msgspec"].NODEFAULT
    fields, defaults = cls.__struct_fields__, cls.__struct_defaults__
    out: dict[str, Callable[[Any], bool]] = {}
    for field, default in zip(fields[len(fields) - len(defaults) :], defaults):
        if default is nodefault:
            continue
        factory = getattr(default, "factory", None)
        if factory in (list, dict, set):
            out[field] = lambda item, kind=factory: type(item) is kind and not item  # type: ignore[misc]
        elif factory is None:
            out[field] = lambda item, same=default: item is same or (type(item) is type(same) and item == same)  # type: ignore[misc]
    return out


def _numpy(cls: Any) -> Plan:
    import sys

    np: Any = sys.modules.get("numpy")
    if np is None:
        return None
    if issubclass(cls, np.ndarray):
        return _numpy_array
    if issubclass(cls, np.datetime64):
        return _datetime64
    if issubclass(cls, np.timedelta64):
        return _timedelta64
    if issubclass(cls, np.bool_):
        return bool
    if issubclass(cls, np.integer):
        return int
    if issubclass(cls, np.floating):
        return _numpy_float
    if issubclass(cls, np.void):
        return lambda value: value.item() if value.dtype.names is None else dict(zip(value.dtype.names, value.item()))
    # Every scalar of numpy has the buffer protocol, whose bytes say nothing.
    return UNSUPPORTED if issubclass(cls, np.generic) and not issubclass(cls, (str, bytes)) else None


def _numpy_float(value: Any) -> float:
    out = float(value)
    if type(value).__name__ == "longdouble" and value == value and type(value)(out) != value:
        raise Refused("number-out-of-range", f"the long double {value!r} is not exactly a binary64")
    return out


def _numpy_array(array: Any) -> Any:
    kind = array.dtype.kind
    if kind in "biufUSO" and array.dtype.itemsize <= 8 or kind in "USO":
        return array.tolist()
    if kind == "M":
        return _nested(array, _datetime64)
    if kind == "m":
        return _nested(array, _timedelta64)
    if kind == "f":
        return _nested(array, _numpy_float)
    if kind == "V" and array.dtype.names is not None:
        return _nested(array, lambda row: dict(zip(row.dtype.names, row)))
    raise Refused("unsupported-type", f"a numpy array of dtype {array.dtype}")


def _nested(array: Any, each: Callable[[Any], Any]) -> Any:
    if array.ndim == 0:
        return each(array[()])
    return [_nested(row, each) if array.ndim > 1 else each(row) for row in array]


_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_SECONDS = {"W": 604_800, "D": 86_400, "h": 3600, "m": 60}


def _nanoseconds(value: Any) -> int:
    import numpy as np

    if np.isnat(value):
        raise Refused("invalid-timestamp", "NaT is no point in time")
    unit, step = np.datetime_data(value.dtype)
    if unit in ("Y", "M"):
        value = value.astype("datetime64[D]")
        unit, step = "D", 1
    count = int(value.view("int64")) * step
    if unit in _SECONDS:
        return count * _SECONDS[unit] * 10**9
    if unit not in _PER_SECOND:
        raise Refused("unsupported-type", f"a numpy {type(value).__name__} without a unit")
    total, rest = divmod(count * 10**9, _PER_SECOND[unit])
    if rest:
        raise Refused("timestamp-out-of-range", f"{value!r} is finer than nanoseconds")
    return total


def _datetime64(value: Any) -> Any:
    seconds, nanoseconds = divmod(_nanoseconds(value), 10**9)
    try:
        return Timestamp(seconds, nanoseconds)
    except OverflowError:
        raise Refused("timestamp-out-of-range", f"{value!r} is outside the years 1 to 9999") from None


def _timedelta64(value: Any) -> str:
    import numpy as np

    if np.datetime_data(value.dtype)[0] in ("Y", "M"):
        raise Refused("unsupported-type", "a numpy timedelta64 of months or years has no fixed length")
    return duration(_nanoseconds(value))


def duration(nanoseconds: int) -> str:
    """ISO 8601 (`P1DT2H3M4.5S`), exact, a sign in front where it is negative; as msgspec writes and reads it."""
    sign = "-" if nanoseconds < 0 else ""
    days, rest = divmod(abs(nanoseconds), 86_400 * 10**9)
    seconds, fraction = divmod(rest, 10**9)
    text = f"{days}D" if days else ""
    if rest or not days:
        digits = f".{fraction:09}".rstrip("0") if fraction else ""
        text += f"T{seconds}{digits}S"
    return f"{sign}P{text}"


def _timedelta(value: dt.timedelta) -> str:
    return duration((value.days * 86_400 + value.seconds) * 10**9 + value.microseconds * 1000)


_BASES: list[tuple[type, Plan]] = [
    (str, STR),
    (bool, bool),
    (int, INT),
    (float, FLOAT),
    (dict, DICT),
    (list, LIST),
    (tuple, TUPLE),
    (bytes, BUFFER),
    (bytearray, BUFFER),
    (memoryview, BUFFER),
    (set, list),
    (frozenset, list),
    (deque, list),
    (uuid.UUID, str),
    (Decimal, str),
    (dt.date, dt.date.isoformat),
    (dt.time, dt.time.isoformat),
    (dt.timedelta, _timedelta),
]

# Digits that CPython converts quickly by itself and without asking for permission.
_CHUNK = 4000


def int_from_digits(text: str) -> int:
    """The integer of decimal digits, of any number: by halves, which CPython's own conversion is not."""
    if text.startswith("-"):
        return -int_from_digits(text[1:])
    if len(text) <= _CHUNK:
        return int(text)
    powers: dict[int, int] = {}

    def convert(start: int, end: int) -> int:
        n = end - start
        if n <= _CHUNK:
            return int(text[start:end])
        low = n // 2
        if low not in powers:
            powers[low] = 10**low
        return convert(start, end - low) * powers[low] + convert(end - low, end)

    return convert(0, len(text))


# More digits are refused: see src/bigint.rs.
_MOST_DIGITS = 100_000


def digits_of_int(value: int) -> str | None:
    """The decimal digits of an integer, of any number; None beyond a bound."""
    if value.bit_length() > _MOST_DIGITS * 3.3219280948873626 + 1:
        return None
    sign, value = ("-", -value) if value < 0 else ("", int(value))

    def convert(value: int, width: int) -> str:
        if width <= _CHUNK:
            return str(value).rjust(width, "0")
        low = width // 2
        high, rest = divmod(value, 10**low)
        return convert(high, width - low) + convert(rest, low)

    text = convert(value, int(value.bit_length() * 0.30103) + 1).lstrip("0") or "0"
    return None if len(text) > _MOST_DIGITS else sign + text
