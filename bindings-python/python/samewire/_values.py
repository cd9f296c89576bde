"""Values that Python has no type of its own for: `Timestamp`, `Ext`, `Raw`, and the registry of extensions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone, tzinfo
from functools import total_ordering
from typing import Any, TypeVar

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)
_T = TypeVar("_T")


def _seconds_of(value: datetime) -> tuple[int, int]:
    """Whole seconds since 1970, floored, and the microseconds after them."""
    seconds, rest = divmod(value - _EPOCH, _SECOND)
    return seconds, rest // _MICROSECOND


class Timestamp(datetime):
    """An instant with nanoseconds: an aware `datetime` that loses nothing.

    `Timestamp(seconds, nanoseconds=0)` counts from 1970 in UTC; with three arguments or more it takes what
    `datetime` takes, and `nanosecond`. Compares at full precision, also with plain `datetime`; arithmetic with
    `timedelta` keeps the nanoseconds.
    """

    __slots__ = ("_nanosecond",)
    _nanosecond: int

    def __new__(
        cls,
        year: Any,
        month: int = 0,
        day: int | None = None,
        hour: int = 0,
        minute: int = 0,
        second: int = 0,
        microsecond: int = 0,
        tzinfo: tzinfo | None = None,
        *,
        fold: int = 0,
        nanosecond: int = 0,
    ) -> Timestamp:
        if isinstance(year, (bytes, str)):  # datetime's own way to unpickle
            self = super().__new__(cls, year, month)  # type: ignore[arg-type]
        elif day is None:
            seconds, nanoseconds = year, month
            if not 0 <= nanoseconds <= 999_999_999:
                raise ValueError(f"nanoseconds must be in 0 to 999999999, not {nanoseconds}")
            micro, nanosecond = divmod(nanoseconds, 1000)
            at = _EPOCH + timedelta(seconds=seconds, microseconds=micro)
            self = super().__new__(
                cls, at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond, timezone.utc
            )
        else:
            if tzinfo is None:
                raise ValueError("a Timestamp is an instant: tzinfo is needed")
            if not 0 <= nanosecond <= 999:
                raise ValueError(f"nanosecond must be in 0 to 999, not {nanosecond}")
            self = super().__new__(cls, year, month, day, hour, minute, second, microsecond, tzinfo, fold=fold)
        self._nanosecond = nanosecond
        return self

    @classmethod
    def from_datetime(cls, value: datetime, nanosecond: int = 0) -> Timestamp:
        """The instant of an aware `datetime`, in its zone, and 0 to 999 nanoseconds more."""
        return cls(
            value.year,
            value.month,
            value.day,
            value.hour,
            value.minute,
            value.second,
            value.microsecond,
            value.tzinfo,
            fold=value.fold,
            nanosecond=nanosecond,
        )

    @classmethod
    def from_nanoseconds(cls, nanoseconds: int) -> Timestamp:
        """The instant that many nanoseconds after 1970-01-01T00:00:00Z."""
        return cls(*divmod(nanoseconds, 1_000_000_000))

    @property
    def nanosecond(self) -> int:
        """0 to 999: what `microsecond` leaves out, as pandas calls it."""
        return self._nanosecond

    @property
    def seconds(self) -> int:
        """Whole seconds since 1970, floored."""
        return _seconds_of(self)[0]

    @property
    def nanoseconds(self) -> int:
        """0 to 999 999 999 nanoseconds after `seconds`, as msgpack-python calls it."""
        return self.microsecond * 1000 + self._nanosecond

    def to_nanoseconds(self) -> int:
        """All of it in nanoseconds since 1970."""
        return self.seconds * 1_000_000_000 + self.nanoseconds

    def to_datetime(self) -> datetime:
        """The plain `datetime`, without the nanoseconds."""
        return datetime(
            self.year,
            self.month,
            self.day,
            self.hour,
            self.minute,
            self.second,
            self.microsecond,
            self.tzinfo,
            fold=self.fold,
        )

    def replace(self, *args: Any, nanosecond: int | None = None, **kwargs: Any) -> Timestamp:  # type: ignore[override]
        nanosecond = self._nanosecond if nanosecond is None else nanosecond
        return Timestamp.from_datetime(self.to_datetime().replace(*args, **kwargs), nanosecond)

    def astimezone(self, tz: tzinfo | None = None) -> Timestamp:  # type: ignore[override]
        return Timestamp.from_datetime(self.to_datetime().astimezone(tz), self._nanosecond)

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        if timespec == "nanoseconds" or (timespec == "auto" and self._nanosecond):
            text = self.to_datetime().isoformat(sep, "microseconds")
            return f"{text[:26]}{self._nanosecond:03}{text[26:]}"
        return self.to_datetime().isoformat(sep, timespec)

    def __add__(self, other: timedelta) -> Timestamp:  # type: ignore[override]
        if not isinstance(other, timedelta):
            return NotImplemented
        return Timestamp.from_datetime(self.to_datetime() + other, self._nanosecond)

    def __radd__(self, other: timedelta) -> Timestamp:  # type: ignore[override]
        return self.__add__(other)

    def __sub__(self, other: Any) -> Any:  # type: ignore[override]
        if isinstance(other, timedelta):
            return Timestamp.from_datetime(self.to_datetime() - other, self._nanosecond)
        if isinstance(other, Timestamp):
            return self.to_datetime() - other.to_datetime()
        return self.to_datetime().__sub__(other)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, datetime):
            return other - self.to_datetime()
        return NotImplemented

    def _compare(self, other: Any) -> int | None:
        """-1, 0, 1; None where the two have no order."""
        if not isinstance(other, datetime) or other.utcoffset() is None:
            return None
        extra = other._nanosecond if isinstance(other, Timestamp) else getattr(other, "nanosecond", 0)
        mine, others = (*_seconds_of(self), self._nanosecond), (*_seconds_of(other), extra)
        return (mine > others) - (mine < others)

    def __eq__(self, other: object) -> bool:
        return self._compare(other) == 0 if isinstance(other, datetime) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return self._compare(other) != 0 if isinstance(other, datetime) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order >= 0

    def __hash__(self) -> int:
        plain = hash(self.to_datetime())
        return hash((plain, self._nanosecond)) if self._nanosecond else plain

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return Timestamp.from_datetime, (self.to_datetime(), self._nanosecond)

    def __repr__(self) -> str:
        return f"samewire.Timestamp({self.seconds}, {self.nanoseconds})"

    def __str__(self) -> str:
        return self.isoformat(" ")

    def __copy__(self) -> Timestamp:
        return self

    def __deepcopy__(self, memo: Any) -> Timestamp:
        return self


@total_ordering
class Ext:
    """An extension value: a type of -128 to 127 and bytes. Type -1 is the timestamp, which reads as `datetime`."""

    __slots__ = ("data", "type")
    __match_args__ = ("type", "data")

    def __init__(self, type: int, data: bytes) -> None:
        if not -128 <= type <= 127:
            raise ValueError(f"an extension type is -128 to 127, not {type}")
        self.type = type
        self.data = bytes(data)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ext):
            return self.type == other.type and self.data == other.data
        return NotImplemented

    def __lt__(self, other: Ext) -> bool:
        if isinstance(other, Ext):
            return (self.type, self.data) < (other.type, other.data)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.type, self.data))

    def __repr__(self) -> str:
        return f"samewire.Ext({self.type}, {self.data!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Ext, (self.type, self.data)


class Raw:
    """A value that is encoded already, spliced into the output as it is. The caller vouches for its format."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = bytes(data)

    def __bytes__(self) -> bytes:
        return self.data

    def __eq__(self, other: object) -> bool:
        return self.data == other.data if isinstance(other, Raw) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return f"samewire.Raw({self.data!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Raw, (self.data,)


class ExtRegistry:
    """Classes that travel as extension values. Passed as the option `ext`, to writers and readers alike."""

    __slots__ = ("_decoders", "_encoders")

    def __init__(self) -> None:
        self._encoders: dict[type, tuple[int, Callable[[Any], bytes]]] = {}
        self._decoders: dict[int, Callable[[bytes], Any]] = {}

    def add(
        self, type: int, cls: type[_T], encode: Callable[[_T], bytes], decode: Callable[[bytes], _T]
    ) -> ExtRegistry:
        """Writes objects of `cls` (and of classes derived from it) as the extension `type`, and reads them back.

        Returns the registry, so that calls chain.
        """
        if not -128 <= type <= 127:
            raise ValueError(f"an extension type is -128 to 127, not {type}")
        if type == -1:
            raise ValueError("the extension type -1 is the timestamp")
        if type in self._decoders or cls in self._encoders:
            raise ValueError(f"the extension type {type} or the class {cls.__qualname__} is registered already")
        if not callable(encode) or not callable(decode):
            raise TypeError("encode and decode must be callable")
        self._encoders[cls] = (type, encode)
        self._decoders[type] = decode
        return self

    def __repr__(self) -> str:
        return f"<samewire.ExtRegistry of types {sorted(self._decoders)}>"
