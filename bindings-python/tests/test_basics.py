"""What every user does first: round trips of each kind, in both formats, and errors with their places."""

import datetime as dt
import math

import pytest
import samewire

UTC = dt.timezone.utc
VALUES = [
    None,
    True,
    False,
    0,
    -1,
    127,
    128,
    -32,
    -33,
    2**31,
    -(2**31),
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    1.5,
    -0.0,
    1e300,
    "",
    "a",
    "é",
    "日本語" * 40,
    "😀 mixed é 日本" * 20,
    "x" * 100_000,
    [],
    {},
    [1, [2, [3, {}]]],
    {"a": 1, "b": [True, None, "ß"], "long key that is not cached, of more than 32 bytes": 2},
    [{"id": i, "name": f"n{i}", "tags": ["x", "y"]} for i in range(100)],
    {f"key{i}": i for i in range(1000)},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: repr(v)[:30])
def test_round_trips(value):
    for _ in range(3):  # The second time caches know the keys, the third time the shape.
        assert samewire.unpackb(samewire.packb(value)) == value
        text = samewire.dumps(value)
        assert samewire.loads(text) == value
        assert samewire.loads(text.decode()) == value


def test_types_are_kept():
    for value in VALUES:
        assert type(samewire.unpackb(samewire.packb(value))) is type(value)
    assert math.copysign(1, samewire.loads(b"-0.0")) == -1
    assert samewire.loads(b"1.0") == 1 and type(samewire.loads(b"1.0")) is float


def test_bytes_and_time():
    value = [b"", b"\x00\xff", dt.datetime(2024, 2, 29, 12, 30, 1, 250, UTC)]
    assert samewire.unpackb(samewire.packb(value)) == value
    assert samewire.dumps(value) == b'["","AP8=","2024-02-29T12:30:01.000250Z"]'


@pytest.mark.parametrize(
    ("data", "code", "offset", "path"),
    [
        (b"", "truncated", 0, ""),
        (b"\xc1", "invalid-marker", 0, ""),
        (b"\xc0\xc0", "trailing-data", 1, ""),
        (b"\x92\xc0", "length-exceeds-input", 0, ""),
        (b"\x81\xa1a\x91\xa2\xff\xff", "invalid-utf8", 5, "/a/0"),
        (b"\x82\xa1a\x01\xa1a\x02", "duplicate-key", 4, "/a"),
        (b"\x81\x01\x02", "map-key-type", 1, ""),
    ],
)
def test_errors_say_where(data, code, offset, path):
    with pytest.raises(samewire.DecodeError) as caught:
        samewire.unpackb(data)
    assert (caught.value.code, caught.value.offset, caught.value.path) == (code, offset, path)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, samewire.SamewireError)


def test_unwritable_objects_say_where():
    with pytest.raises(samewire.EncodeError) as caught:
        samewire.packb({"a/b": [1, object()]})
    assert (caught.value.code, caught.value.path) == ("unsupported-type", "/a~1b/1")
