"""What each Python type is written as."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import mmap
import sys
import types
import typing
import uuid
import zoneinfo

import pytest
import samewire

UTC = dt.timezone.utc


class Color(enum.Enum):
    RED = "red"
    DEEP = ("a", 1)


class Level(enum.IntEnum):
    LOW = 1


class Name(str, enum.Enum):
    A = "a"


class Flags(enum.Flag):
    X = 2


class Point(typing.NamedTuple):
    x: int
    y: float


@dataclasses.dataclass
class User:
    name: str
    tags: list[str] = dataclasses.field(default_factory=list)
    friend: User | None = None


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: int


class Text(str):
    pass


class Number(int):
    pass


class Real(float):
    pass


class Pairs(dict):
    pass


class Items(list):
    pass


SAME_AS = [
    (Text("a"), "a"),
    (Number(5), 5),
    (Number(2**70 // 2**10), 2**60),
    (Real(1.5), 1.5),
    (Pairs(a=1), {"a": 1}),
    (Items([1]), [1]),
    ((1, (2,)), [1, [2]]),
    (Point(1, 2.5), [1, 2.5]),
    (Color.RED, "red"),
    (Color.DEEP, ["a", 1]),
    (Level.LOW, 1),
    (Name.A, "a"),
    (Flags.X, 2),
    (User("Ada", ["x"]), {"name": "Ada", "tags": ["x"], "friend": None}),
    (
        User("Ada", friend=User("Bob")),
        {"name": "Ada", "tags": [], "friend": {"name": "Bob", "tags": [], "friend": None}},
    ),
    (Slotted(1, 2), {"a": 1, "b": 2}),
    (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    (collections.defaultdict(int, a=1), {"a": 1}),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    (collections.ChainMap({"a": 1}), {"a": 1}),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    (collections.deque([1, 2]), [1, 2]),
    ({1}, [1]),
    (frozenset(["a"]), ["a"]),
    ({"a": 1}.keys(), ["a"]),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (decimal.Decimal("1.10"), "1.10"),
    (dt.date(2024, 2, 29), "2024-02-29"),
    (dt.time(12, 30, 1, 5), "12:30:01.000005"),
    (dt.timedelta(days=1, seconds=2, microseconds=500_000), "P1DT2.5S"),
    (dt.timedelta(0), "PT0S"),
    (dt.timedelta(days=-1), "-P1D"),
    (dt.timedelta(microseconds=-1), "-PT0.000001S"),
    ({Text("k"): 1, Name.A: 2}, {"k": 1, "a": 2}),
]


@pytest.mark.parametrize(("value", "plain"), SAME_AS, ids=lambda v: repr(v)[:40])
def test_written_like_the_plain_value(value, plain):
    for _ in range(2):
        assert samewire.packb(value) == samewire.packb(plain)
        assert samewire.dumps([value]) == samewire.dumps([plain])
        assert samewire.dumps({"k": value}) == samewire.dumps({"k": plain})


def test_instances_without_an_attribute_leave_it_out():
    user = User("Ada")
    del user.tags
    # The class's default would be found for a plain one; a factory's is not.
    assert samewire.unpackb(samewire.packb(user)) == {"name": "Ada", "friend": None}


@pytest.mark.parametrize(
    "buffer",
    [bytearray(b"abc"), memoryview(b"abc"), memoryview(b"a-b-c")[::2], array.array("B", b"abc"), b"abc"],
    ids=lambda b: type(b).__name__,
)
def test_buffers_are_binary_and_input(buffer):
    assert samewire.packb(buffer) == b"\xc4\x03abc"
    if isinstance(buffer, memoryview) and not buffer.contiguous:
        packed = samewire.packb([1, 2])
        spread = memoryview(bytes(b for byte in packed for b in (byte, 0)))[::2]
        assert samewire.unpackb(spread) == [1, 2]
    else:
        assert (
            samewire.unpackb(
                type(buffer)(samewire.packb(1)) if not isinstance(buffer, array.array) else array.array("B", b"\x01")
            )
            == 1
        )


def test_shared_memory_is_input():
    with mmap.mmap(-1, 4096) as memory:
        memory[:3] = b"\x92\x01\x02"
        assert samewire.unpack_from(memory) == ([1, 2], 3)


@pytest.mark.parametrize("data", [1, None, "text", [1], object()])
def test_what_is_no_buffer_is_a_type_error(data):
    with pytest.raises(TypeError):
        samewire.unpackb(data)


def test_zones_are_converted_to_the_instant():
    at = dt.datetime(2024, 7, 1, 12, 0, 0, 1, zoneinfo.ZoneInfo("Europe/Berlin"))
    assert samewire.unpackb(samewire.packb(at)) == at
    assert samewire.dumps(at) == b'"2024-07-01T10:00:00.000001Z"'
    odd = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.timezone(dt.timedelta(hours=5, minutes=45, microseconds=3)))
    assert samewire.unpackb(samewire.packb(odd)) == odd


def test_naive_datetimes_need_the_option():
    naive = dt.datetime(2024, 1, 2, 3)
    with pytest.raises(samewire.EncodeError) as caught:
        samewire.packb({"at": [naive]})
    assert (caught.value.code, caught.value.path) == ("naive-datetime", "/at/0")
    assert samewire.unpackb(samewire.packb(naive, naive="utc")) == naive.replace(tzinfo=UTC)


def test_timestamps_lose_nothing():
    data = bytes.fromhex("d7ff1d6f34546553f100")
    stamp = samewire.unpackb(data)
    assert type(stamp) is samewire.Timestamp and isinstance(stamp, dt.datetime)
    assert (stamp.seconds, stamp.nanoseconds, stamp.nanosecond) == (1_700_000_000, 123_456_789, 789)
    assert samewire.packb(stamp) == data
    assert samewire.dumps(stamp) == b'"2023-11-14T22:13:20.123456789Z"'
    assert samewire.unpackb(data, timestamp="int") == 1_700_000_000_123_456_789
    whole = samewire.unpackb(samewire.packb(samewire.Timestamp(5, 1000)))
    assert type(whole) is dt.datetime and whole == samewire.Timestamp(5, 1000)
    before = samewire.unpackb(bytes.fromhex("c70cff1dcd6500ffffffffffffffff"))
    assert before == dt.datetime(1969, 12, 31, 23, 59, 59, 500_000, UTC)
    assert samewire.packb(before).hex() == "c70cff1dcd6500ffffffffffffffff"


def test_a_timestamp_behaves_as_a_datetime():
    import copy
    import pickle

    a, b = samewire.Timestamp(10, 1), samewire.Timestamp(10, 2)
    plain = dt.datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC)
    assert plain < a < b and b > plain and a != plain and not plain == a and a <= a
    assert samewire.Timestamp(10) == plain and hash(samewire.Timestamp(10)) == hash(plain)
    assert {a: 1}[samewire.Timestamp(10, 1)] == 1
    assert (a + dt.timedelta(seconds=1)).nanosecond == 1 and (dt.timedelta(seconds=1) + a).seconds == 11
    assert a - plain == dt.timedelta(0) and plain - a == dt.timedelta(0) and (a - dt.timedelta(1)).nanosecond == 1
    for other in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a), copy.copy(a), a.replace(), eval(repr(a))):
        assert other == a and other.nanosecond == 1
    moved = a.astimezone(dt.timezone(dt.timedelta(hours=2)))
    assert moved == a and moved.hour == 2 and moved.seconds == 10
    assert a.isoformat() == "1970-01-01T00:00:10.000000001+00:00" and f"{a:%Y}" == "1970"
    assert samewire.Timestamp.from_nanoseconds(-1) == samewire.Timestamp(-1, 999_999_999)
    assert a != 5 and not a == None  # noqa: E711
    with pytest.raises(TypeError):
        a < 5  # noqa: B015
    for bad in ((0, 10**9), (0, -1)):
        with pytest.raises(ValueError):
            samewire.Timestamp(*bad)
    assert samewire.Timestamp(2024, 1, 2, tzinfo=UTC, nanosecond=7).nanosecond == 7
    with pytest.raises(ValueError):
        samewire.Timestamp(2024, 1, 2)


def test_ext_values():
    ext = samewire.Ext(5, b"abc")
    assert samewire.unpackb(samewire.packb(ext)) == ext and hash(ext) == hash(samewire.Ext(5, b"abc"))
    with pytest.raises(samewire.EncodeError, match="unsupported-type"):
        samewire.dumps(ext)
    for bad in (-129, 128):
        with pytest.raises(ValueError):
            samewire.Ext(bad, b"")


def test_raw_is_spliced():
    assert samewire.packb([samewire.Raw(samewire.packb({"a": 1})), 2]) == samewire.packb([{"a": 1}, 2])
    assert samewire.dumps({"k": samewire.Raw(b"[1, 2]")}) == b'{"k":[1, 2]}'
    assert samewire.packb(samewire.Raw(b"\xcd\x00\x01"), canonical=True) == b"\x01"
    assert samewire.digest([samewire.Raw(b"\xcd\x00\x01")]) == samewire.digest([1])


def test_numpy():
    np = pytest.importorskip("numpy")
    for value, plain in [
        (np.int64(-5), -5),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float32(0.5), 0.5),
        (np.float64(1.1), 1.1),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.bytes_(b"a"), b"a"),
        (np.arange(6).reshape(2, 3), [[0, 1, 2], [3, 4, 5]]),
        (np.array(5), 5),
        (np.array([1.5, 2.5], dtype="f2"), [1.5, 2.5]),
        (np.array(["a", None], dtype=object), ["a", None]),
        (np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 2.0}]),
        (np.timedelta64(1500, "ms"), "PT1.5S"),
        (np.datetime64("2024-01-02T03:04:05.123456789"), samewire.Timestamp(1_704_164_645, 123_456_789)),
        (
            np.array(["2024-01-02", "1969-12-31"], "M8[D]"),
            [dt.datetime(2024, 1, 2, tzinfo=UTC), dt.datetime(1969, 12, 31, tzinfo=UTC)],
        ),
    ]:
        assert samewire.packb([value]) == samewire.packb([plain]), value
    for bad, code in [
        (np.datetime64("NaT"), "invalid-timestamp"),
        (np.array([np.datetime64("NaT", "s")]), "invalid-timestamp"),
        (np.complex128(1j), "unsupported-type"),
        (np.array([1j]), "unsupported-type"),
    ]:
        with pytest.raises(samewire.EncodeError) as caught:
            samewire.packb({"a": bad})
        assert (caught.value.code, caught.value.path) == (code, "/a")


def test_msgspec_structs():
    msgspec = pytest.importorskip("msgspec")

    class Inner(msgspec.Struct, tag="inner", rename="camel"):
        first_name: str
        age: int | msgspec.UnsetType = msgspec.UNSET

    class Row(msgspec.Struct, array_like=True):
        a: int
        b: int

    class Sparse(msgspec.Struct, omit_defaults=True):
        a: int = 0
        b: list = []

    for value in (Inner("Ada"), Inner("Ada", 3), Row(1, 2), Sparse(), Sparse(1, [2]), [Row(1, 2)]):
        assert samewire.packb(value) == msgspec.msgpack.encode(value)
        assert samewire.dumps(value) == msgspec.json.encode(value)


def test_attrs_and_pydantic():
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Point:
        x: int
        y: int = 2

    assert samewire.dumps(Point(1)) == b'{"x":1,"y":2}'
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        x: int
        at: dt.datetime

    assert samewire.unpackb(samewire.packb(Model(x=1, at=dt.datetime(2024, 1, 1, tzinfo=UTC)))) == {
        "x": 1,
        "at": dt.datetime(2024, 1, 1, tzinfo=UTC),
    }


def test_types_made_without_end_are_forgotten():
    for i in range(5000):
        assert samewire.packb(type(f"T{i}", (str,), {})("a")) == b"\xa1a"
    assert sys.getsizeof(samewire) > 0


@pytest.mark.parametrize("value", [object(), 1j, int, print, ..., NotImplemented, iter([])], ids=repr)
def test_anything_else_is_unsupported(value):
    for write in (samewire.packb, samewire.dumps):
        with pytest.raises(samewire.EncodeError) as caught:
            write({"a": (1, value)})
        assert (caught.value.code, caught.value.path, caught.value.offset) == ("unsupported-type", "/a/1", None)
