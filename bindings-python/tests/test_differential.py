"""Against the peers, on values and bytes that hypothesis makes up."""

from __future__ import annotations

import json
import math

import msgpack
import pytest
import samewire
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors import same

settings.register_profile("samewire", deadline=None, max_examples=300, derandomize=True)
settings.load_profile("samewire")

texts = st.text(st.characters(exclude_categories=["Cs"]))
keys = texts | st.sampled_from(["id", "name", "tags", "a fairly long key that is not in the cache at all"])
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | texts


def trees(leaves, keys=keys):
    return st.recursive(leaves, lambda t: st.lists(t) | st.dictionaries(keys, t), max_leaves=40)


finite = trees(scalars.filter(lambda v: not isinstance(v, float) or math.isfinite(v)))


@given(trees(scalars | st.binary()))
def test_msgpack_agrees_with_msgpack_python(value):
    packed = samewire.packb(value)
    assert packed == msgpack.packb(value)
    assert same(samewire.unpackb(packed), value)
    assert same(msgpack.unpackb(packed), value)


@given(finite)
def test_json_agrees_with_json(value):
    text = samewire.dumps(value)
    assert same(json.loads(text), value)
    assert same(samewire.loads(text), value)
    assert same(samewire.loads(text.decode()), value)
    assert same(samewire.loads(json.dumps(value)), value)
    assert same(samewire.loads(samewire.dumps(value, indent=3)), value)


@given(st.integers(min_value=-(10**6000), max_value=10**6000) | st.integers(-(2**80), 2**80))
@settings(max_examples=60)
def test_integers_of_any_size(n):
    assert samewire.loads(samewire.dumps(n)) == n
    if -(2**63) <= n < 2**64:
        assert samewire.unpackb(samewire.packb(n)) == n
    else:
        with pytest.raises(samewire.EncodeError, match="integer-out-of-range"):
            samewire.packb([n])


def test_integers_beyond_the_bound():
    for digits in (100_001, 1_000_000):
        with pytest.raises(samewire.DecodeError, match="integer-out-of-range"):
            samewire.loads(b"[" + b"9" * digits + b"]")
        with pytest.raises(samewire.EncodeError, match="integer-out-of-range"):
            samewire.dumps([10**digits])
    most = b"9" * 100_000
    assert samewire.dumps(samewire.loads(most)) == most and samewire.loads(b"-" + most) == -samewire.loads(most)


@given(st.floats())
def test_floats_keep_their_bits(value):
    assert same(samewire.unpackb(samewire.packb(value)), value)
    if math.isfinite(value):
        assert same(samewire.loads(samewire.dumps(value)), value)
        assert repr(samewire.loads(repr(value))) == repr(value)


@given(st.binary(max_size=60))
def test_any_bytes_give_a_value_or_an_error(data):
    for read in (samewire.unpackb, samewire.loads):
        for kwargs in ({}, {"duplicate_keys": "last"}, {"map_keys": "stringify"}):
            try:
                read(data, **kwargs)
            except samewire.DecodeError as error:
                assert error.offset is not None and 0 <= error.offset <= len(data)
    samewire.inspect(data)


@given(trees(scalars | st.binary()), st.data())
def test_broken_messages_fail_as_they_validate(value, data):
    packed = bytearray(samewire.packb(value))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] = data.draw(st.integers(0, 255))

    def outcome(call):
        try:
            call()
        except samewire.DecodeError as error:
            return error.code, error.offset, error.path
        return None

    read = outcome(lambda: samewire.unpackb(packed))
    # What only Python refuses: a time that no datetime holds.
    if read is None or read[0] != "timestamp-out-of-range":
        assert read == outcome(lambda: samewire.validate(packed))


general_keys = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | texts | st.binary()
general_keys |= st.tuples(st.integers(-(2**63), 2**64 - 1), texts)


@given(st.dictionaries(general_keys, scalars))
def test_keys_of_any_kind(value):
    assert same(samewire.unpackb(samewire.packb(value, map_keys="any"), map_keys="any"), value)


@pytest.mark.parametrize("first", [b"\xc3", b"\x01", b"\xcb\x3f\xf0" + b"\0" * 6])
@pytest.mark.parametrize("second", [b"\xc3", b"\x01", b"\xcb\x3f\xf0" + b"\0" * 6])
def test_keys_that_python_takes_for_equal(first, second):
    data = b"\x83\xa1a\xc0" + first + b"\x90" + second + b"\x90"
    with pytest.raises(samewire.DecodeError) as caught:
        samewire.unpackb(data, map_keys="any")
    assert (caught.value.code, caught.value.offset) == ("duplicate-key", 5 + len(first))


@given(st.text())
def test_any_str_is_written_or_refused(value):
    lone = any(0xD800 <= ord(c) < 0xE000 for c in value)
    for write, read in ((samewire.packb, samewire.unpackb), (samewire.dumps, samewire.loads)):
        replaced = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in value)
        assert read(write([value, {value: 1}], lone_surrogates="replace")) == [replaced, {replaced: 1}]
        if lone:
            with pytest.raises(samewire.EncodeError) as caught:
                write([value])
            assert (caught.value.code, caught.value.path) == ("lone-surrogate", "/0")


@given(texts)
def test_text_of_every_width_and_length(value):
    for text in (value, value * 3, "a" * 70 + value, value + "é" * 70, "日本" * 40 + value, "😀" * 20 + value):
        assert samewire.unpackb(samewire.packb(text)) == text
        assert samewire.loads(samewire.dumps(text)) == text
        assert samewire.loads(json.dumps(text, ensure_ascii=False)) == text


@given(finite)
def test_equal_values_have_equal_digests(value):
    assert samewire.digest(value) == samewire.digest(samewire.loads(samewire.dumps(value)))
    shuffled = dict(reversed(value.items())) if isinstance(value, dict) else value
    assert samewire.digest(value) == samewire.digest(shuffled)
    assert samewire.packb(value, canonical=True) == samewire.packb(shuffled, canonical=True)
