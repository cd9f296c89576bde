"""Failures that users of other libraries met, one by one: the input as it was reported, and what is right.

The number of each case is that of the project's collection.
"""

from __future__ import annotations

import sys

import pytest
import samewire


def h(text: str) -> bytes:
    return bytes.fromhex(text)


READS = {
    "int-01": (h("cf0020000000000001"), 9007199254740993),
    "int-03": (h("93cf0000000000000001cd0001d30000000000000001"), [1, 1, 1]),
    "int-20": (h("932acc2acf000000000000002a"), [42, 42, 42]),
    "int-24": (h("9200d3fff7ffffffffffff"), [0, -2251799813685249]),
    "float-09": (h("ca3fa66666"), 1.2999999523162842),
    "float-13": (h("93cb3feccccccccccccd01cb3ff199999999999a"), [0.9, 1, 1.1]),
    "time-09": (h("c7090dcb4278bcfe56800000"), samewire.Ext(13, h("cb4278bcfe56800000"))),
    "str-09": (h("d980") + b"A" * 128, "A" * 128),
    "str-11": (h("d928") + "é".encode() * 20, "é" * 20),
    "ext-01": (h("92d407c0c70507c001020304"), [samewire.Ext(7, h("c0")), samewire.Ext(7, h("c001020304"))]),
    "ext-03": (h("92d4800ad47f0b"), [samewire.Ext(-128, b"\n"), samewire.Ext(127, b"\x0b")]),
    "ext-07": (h("c70342aabbcc"), samewire.Ext(66, h("aabbcc"))),
    "sec-02": (h("82a8746f537472696e6701a776616c75654f6602"), {"toString": 1, "valueOf": 2}),
    "api-02": (h("81a161c0"), {"a": None}),
}
PARSES = {
    "float-01": ("6.0328868632295236", 6.0328868632295236),
    "float-15": ("1000000000000000000000", 10**21),
    "int-07": ("19500000000000000001", 19500000000000000001),
    "int-09": ("[-9223372036854775808,-9223372036854775809]", [-(2**63), -(2**63) - 1]),
    "int-11": ('{"n":99999999999999999999}', {"n": 99999999999999999999}),
    "int-16": ('{"$serde_json::private::Number":"1e3"}', {"$serde_json::private::Number": "1e3"}),
    "time-13": ('"2016-03-04T05:06:07.123456789+01:00"', "2016-03-04T05:06:07.123456789+01:00"),
}
FAILS = {
    "time-05": (h("c70cff773593ff000000005868467f"), "invalid-timestamp", 0, ""),
    "time-19": (h("c70cff000000008000000000000000"), "timestamp-out-of-range", 0, ""),
    "ext-03": (h("93d4800ad47f0bd4ff0c"), "invalid-timestamp", 7, "/2"),
    "ext-05": (h("c705ff0102030405"), "invalid-timestamp", 0, ""),
    "ext-05 empty": (h("c700ff"), "invalid-timestamp", 0, ""),
    "str-07": (h("a2e280"), "invalid-utf8", 1, ""),
    "key-06": (h("82a16101a16102"), "duplicate-key", 4, "/a"),
    "key-14": (h("84c001c202cb3ff000000000000003cb7ff800000000000004"), "map-key-type", 1, ""),
    "bomb-01": (h("ddffffffff"), "length-exceeds-input", 0, ""),
    "bomb-03": (h("dcffff") * 24000, None, None, None),
    "bomb-05": (h("dbffffffff61"), "length-exceeds-input", 0, ""),
    "bomb-05 bin": (h("c6ffffffff"), "length-exceeds-input", 0, ""),
    "bomb-05 ext": (h("c9ffffffff01"), "length-exceeds-input", 0, ""),
    "bomb-07": (h("dd000f4240") * 100, "length-exceeds-input", 0, ""),
    "depth-05": (h("91") * 4500 + b"\xc0", "depth-exceeded", 512, "/0" * 512),
    "depth-09": (h("81a161") * 200_000 + b"\x80", "depth-exceeded", 512 * 3, "/a" * 512),
    "stream-05": (h("0102"), "trailing-data", 1, ""),
    "stream-11": (h("92c101"), "invalid-marker", 1, "/0"),
}
REFUSED = {
    "float-05 10.": ("[10.]", "invalid-syntax", 4),
    "float-05 +1": ("+1", "invalid-syntax", 0),
    "float-05 01": ("01", None, None),
    "float-05 -": ("-", None, None),
    "sec-04": ("[-]", "invalid-syntax", 2),
    "str-01": (r'"\ud800"', "lone-surrogate", 1),
    "str-05": (r'"\udc49"', "lone-surrogate", 1),
    "str-05 open": (r'"\ud83d\u', None, None),
    "str-05 pair": (r'"\ud83d\u0041"', "lone-surrogate", 1),
    "str-15": ("\ufeff{}", "invalid-syntax", 0),
    "str-17": ('"a\x08b"', "invalid-syntax", 2),
    "key-06": (r'{"a":1,"\u0061":2}', "duplicate-key", 7),
    "key-08": ('{"us":{"a":0},"us":{"b":1}}', "duplicate-key", 14),
    "stream-13": ("[[]", "truncated", 3),
    "stream-14": ('["str\\', "truncated", 6),
    "depth-01": ("[" * 1_000_000, "depth-exceeded", 512),
    "bomb-11": ("9" * 1_000_000, "integer-out-of-range", 0),
}


@pytest.mark.parametrize("case", READS)
def test_reads(case):
    data, value = READS[case]
    assert samewire.unpackb(data) == value


@pytest.mark.parametrize("case", PARSES)
def test_parses(case):
    text, value = PARSES[case]
    assert samewire.loads(text) == value and samewire.loads(text.encode()) == value


@pytest.mark.parametrize("case", FAILS)
def test_fails(case):
    data, code, offset, path = FAILS[case]
    with pytest.raises(samewire.DecodeError) as caught:
        samewire.unpackb(data)
    if code:
        assert (caught.value.code, caught.value.offset, caught.value.path) == (code, offset, path)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    text, code, offset = REFUSED[case]
    for data in (text, text.encode()):
        with pytest.raises(samewire.DecodeError) as caught:
            samewire.loads(data)
        if code:
            assert (caught.value.code, caught.value.offset) == (code, offset)


def test_time_03_and_17_and_21():
    from datetime import datetime, timezone

    late = datetime(3000, 1, 1, 0, 0, 0, 999_999, timezone.utc)
    assert (
        samewire.packb(late) == h("c70cff3b9ac61800000007915ecc00") and samewire.unpackb(samewire.packb(late)) == late
    )
    last = datetime(9999, 12, 31, 23, 59, 59, 999_999, timezone.utc)
    assert samewire.unpackb(samewire.packb(last)) == last
    assert samewire.unpackb(h("c70cff000000008000000000000000"), timestamp="int") == -(2**63) * 10**9
    assert samewire.packb(samewire.Timestamp(-1, 999_000_000)) == h("c70cff3b8b87c0ffffffffffffffff")


def test_float_07_and_11_and_19():
    assert str(samewire.loads("-0")) == "-0.0"
    for value, text in ((float("nan"), b'"NaN"'), (float("inf"), b'"Infinity"'), (float("-inf"), b'"-Infinity"')):
        with pytest.raises(samewire.EncodeError, match="non-finite-number"):
            samewire.dumps([value])
        assert samewire.dumps(value, non_finite="null") == b"null"
        assert samewire.dumps(value, non_finite="string") == text
    canonical = samewire.dumps([1e21, 1e-7, 1e20, 5e-324, -0.0, 333333333.33333329], canonical=True)
    assert canonical == b"[1e+21,1e-7,100000000000000000000,5e-324,0,333333333.3333333]"
    assert samewire.loads(samewire.dumps(1.25e-7)) == 1.25e-7


def test_str_07_options():
    assert samewire.unpackb(h("a2e280"), invalid_utf8="bytes") == h("e280")
    assert samewire.unpackb(h("a2e280"), invalid_utf8="replace") == "\ufffd"
    assert samewire.loads(r'"\ud800"', lone_surrogates="replace") == "\ufffd"


def test_key_01_what_is_written_by_default_is_read_by_default():
    with pytest.raises(samewire.EncodeError, match="map-key-type"):
        samewire.packb({1: "a"})
    with pytest.raises(samewire.DecodeError, match="map-key-type"):
        samewire.unpackb(h("8101a161"))
    assert samewire.unpackb(samewire.packb({1: "a"}, map_keys="any"), map_keys="any") == {1: "a"}


def test_key_03_keys_that_become_equal_as_text():
    assert samewire.packb({1: "a", "1": "b"}, map_keys="any") == h("8201a161a131a162")
    for write in (samewire.packb, samewire.dumps):
        with pytest.raises(samewire.EncodeError, match="duplicate-key"):
            write({1: "a", "1": "b"}, map_keys="stringify")
    with pytest.raises(samewire.DecodeError, match="duplicate-key"):
        samewire.unpackb(h("8201a161a131a162"), map_keys="stringify")


def test_key_10_order():
    data = h("83a16201a13102a16103")
    assert list(samewire.unpackb(data)) == ["b", "1", "a"]
    assert list(samewire.unpackb(samewire.packb(samewire.unpackb(data), sort_keys=True))) == ["1", "a", "b"]
    assert samewire.dumps({"\ufb33": 1, "\U0001f600": 2}, canonical=True) == '{"😀":2,"\ufb33":1}'.encode()


def test_key_15_integer_keys_that_collide():
    from time import perf_counter

    def seconds(keys):
        data = h("df00010000") + b"".join(b"\xcf" + k.to_bytes(8, "big") + b"\xc0" for k in keys)
        start = perf_counter()
        assert len(samewire.unpackb(data, map_keys="any")) == 65536
        return perf_counter() - start

    plain, hostile = seconds(range(65536)), seconds(i << 44 for i in range(65536))
    assert hostile < 20 * plain + 0.2


def test_bin_08_and_07_buffers_of_other_shapes():
    from array import array

    assert samewire.packb(memoryview(array("H", [1, 2]))) == b"\xc4\x04" + array("H", [1, 2]).tobytes()
    assert samewire.packb(memoryview(bytearray(range(6))).cast("B", (2, 3))) == b"\xc4\x06" + bytes(range(6))
    assert samewire.unpack_from(memoryview(h("05ff31ff32ff33ff"))[::2]) == (5, 1)


def test_depth_03_and_11():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    loop = {}
    loop["self"] = loop
    for value, path in ((deep, "/0" * 512), (loop, "/self" * 512)):
        for write in (samewire.packb, samewire.dumps):
            with pytest.raises(samewire.EncodeError) as caught:
                write(value)
            assert (caught.value.code, caught.value.path) == ("depth-exceeded", path)
    while deep:
        deep = deep.pop()
    data = b"\xd4\x01\x00"
    for _ in range(3000):
        data = samewire.packb(samewire.Ext(1, data))

    def hook(kind, payload):
        return samewire.unpackb(payload, ext_hook=hook)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        with pytest.raises(RecursionError):
            samewire.unpackb(data, ext_hook=hook)
    finally:
        sys.setrecursionlimit(limit)


def test_bomb_09_limits_hold_on_both_sides():
    for options, good, bad, code in [
        ({"max_items": 1001}, [None] * 1000, [None] * 1001, "too-many-items"),
        ({"max_bytes": 11}, "x" * 10, "x" * 11, "input-too-large"),
        ({"max_depth": 2}, [[1]], [[[1]]], "depth-exceeded"),
    ]:
        samewire.unpackb(samewire.packb(good), **options)
        with pytest.raises(samewire.DecodeError) as caught:
            samewire.unpackb(samewire.packb(bad), **options)
        assert caught.value.code == code


def test_perf_04_time_grows_with_size():
    from time import perf_counter

    def seconds(n):
        data = samewire.packb([list(range(10_000, 10_000 + n))] * n)
        start = perf_counter()
        samewire.unpackb(data)
        return perf_counter() - start

    small, large = min(seconds(500) for _ in range(5)), min(seconds(1000) for _ in range(5))
    assert large < 4 * 6 * small


def test_stream_01_a_value_beyond_the_limit():
    stream = samewire.Unpacker([samewire.packb(b"x" * 100), samewire.packb(b"x" * 2000)], max_bytes=1000)
    assert next(stream) == b"x" * 100
    with pytest.raises(samewire.DecodeError, match="input-too-large"):
        next(stream)
