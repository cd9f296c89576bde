"""Hooks: what they are given, what they return, what they raise, and what they may do meanwhile."""

from __future__ import annotations

import sys

import pytest
import samewire

NOTES = sys.version_info >= (3, 11)


def test_default_is_called_for_what_has_no_form():
    assert samewire.packb([1j, {"a": 2j}], default=str) == samewire.packb(["1j", {"a": "2j"}])
    assert samewire.dumps(1j, default=lambda c: [c.real, c.imag]) == b"[0.0,1.0]"
    # Its answer may need it again.
    assert samewire.dumps(3j, default=lambda c: 1 if c == 0 else [0j]) == b"[1]"


def test_a_default_that_never_ends():
    with pytest.raises(samewire.EncodeError) as caught:
        samewire.packb([object()], default=lambda o: object())
    assert (caught.value.code, caught.value.path) == ("hook-failed", "/0")
    with pytest.raises(samewire.EncodeError) as caught:
        samewire.packb([object()], default=lambda o: [o])
    assert caught.value.code == "depth-exceeded"


def test_object_hook_sees_every_dict():
    seen = []
    samewire.loads(b'{"a":{"b":1},"c":[{}]}', object_hook=seen.append)
    assert seen == [{"b": 1}, {}, {"a": None, "c": [None]}]
    assert samewire.unpackb(samewire.packb({"a": {}}), object_hook=lambda d: tuple(d.items())) == (("a", ()),)


def test_ext_hook_and_registry():
    data = samewire.packb([samewire.Ext(1, b"a"), samewire.Ext(2, b"b")])
    assert samewire.unpackb(data, ext_hook=lambda kind, payload: (kind, payload)) == [(1, b"a"), (2, b"b")]
    registry = samewire.ExtRegistry().add(1, complex, lambda c: repr(c).encode(), lambda b: complex(b.decode()))
    assert samewire.unpackb(samewire.packb([1j, 2], ext=registry), ext=registry) == [1j, 2]
    assert samewire.Decoder("msgpack", ext=registry).decode(samewire.Encoder("msgpack", ext=registry).encode(1j)) == 1j

    class Sub(complex):
        pass

    assert samewire.unpackb(samewire.packb(Sub(2j), ext=registry), ext=registry) == 2j
    mixed = samewire.unpackb(
        samewire.packb([1j, samewire.Ext(9, b"")], ext=registry), ext=registry, ext_hook=lambda k, d: k
    )
    assert mixed == [1j, 9]
    with pytest.raises(samewire.EncodeError, match="hook-failed"):
        samewire.packb(1j, ext=samewire.ExtRegistry().add(1, complex, lambda c: "text", lambda b: b))
    for bad in [(1, complex, bytes, bytes), (-1, int, bytes, bytes), (200, int, bytes, bytes)]:
        with pytest.raises(ValueError):
            registry.add(*bad)


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda f: samewire.packb({"a": [0, 1j]}, default=f), "samewire: in /a/1"),
        (lambda f: samewire.dumps({"a": [0, 1j]}, default=f), "samewire: in /a/1"),
        (
            lambda f: samewire.unpackb(b"\x81\xa1a\x91\xd4\x05\x00", ext_hook=lambda k, d: f(d)),
            "samewire: at byte 4, in /a/0",
        ),
        (lambda f: samewire.loads('[1, {"b": 2}]', object_hook=f), "samewire: at byte 4, in /1"),
    ],
)
def test_what_a_hook_raises_arrives_as_it_is(call, note):
    error = KeyError("mine")

    def hook(_):
        raise error

    with pytest.raises(KeyError) as caught:
        call(hook)
    assert caught.value is error
    if NOTES:
        assert error.__notes__ == [note]


def test_calls_inside_hooks():
    inner = samewire.packb({"x": [1, 2, {"y": "z" * 50}], "long key " * 10: 1})

    def hook(d):
        samewire.dumps(samewire.unpackb(inner))
        with pytest.raises(samewire.DecodeError):
            samewire.unpackb(b"\x93\x01\xa5abcde\xc1")
        return d

    data = samewire.packb([{"k" * i: i, "long key " * 20: [i]} for i in range(1, 60)])
    assert samewire.unpackb(data, object_hook=hook) == samewire.unpackb(data)
    nested = samewire.packb(
        [1j] * 100, default=lambda c: samewire.unpackb(samewire.packb({"a": "b" * 70_000}))["a"][:3]
    )
    assert nested == samewire.packb(["bbb"] * 100)


def test_containers_that_hooks_change():
    for change in (
        lambda d: d.clear(),
        lambda d: d.update({str(i): i for i in range(100)}),
        lambda d: d.pop("b"),
    ):
        victim = {"a": [1j], "b": ["x" * 100], "c": 3}

        def hook(_, victim=victim, change=change):
            change(victim)
            return 0

        with pytest.raises(samewire.SamewireError, match="invalid-state"):
            samewire.packb(victim, default=hook)
    items = [1j, ["y"], ["z"]]

    def shrink(_):
        items.clear()
        return 0

    with pytest.raises(samewire.SamewireError, match="invalid-state"):
        samewire.packb(items, default=shrink)
    # A value replaced under the same key is no fault: the new one is written.
    swapped = {"a": 1j, "b": ["old"]}

    def swap(_):
        swapped["b"] = ["new"]
        return 0

    assert samewire.packb(swapped, default=swap) == samewire.packb({"a": 0, "b": ["new"]})


def test_a_stream_is_busy_inside_its_own_hook():
    reader = samewire.Unpacker(object_hook=lambda d: reader.feed(b"\x01"))
    reader.feed(b"\x80")
    with pytest.raises(samewire.SamewireError) as caught:
        next(reader)
    assert caught.value.code == "invalid-state"


@pytest.mark.parametrize("name", ["default", "object_hook", "ext_hook", "ext"])
def test_hooks_must_be_callable(name):
    call = samewire.packb if name in ("default", "ext") else samewire.unpackb
    with pytest.raises(samewire.SamewireError) as caught:
        call(b"\x01", **{name: 5})
    assert caught.value.code == "invalid-option" and name in str(caught.value)
    assert call(b"\x01", **{name: None})


def test_every_option_is_checked():
    for call in (samewire.packb, samewire.dumps):
        for options in ({"max_dept": 1}, {"max_depth": 513}, {"map_keys": "all"}, {"sort_keys": 1}, {"indent": "2"}):
            with pytest.raises(samewire.SamewireError) as caught:
                call([], **options)
            assert caught.value.code == "invalid-option" and next(iter(options)) in str(caught.value)
    for call in (samewire.unpackb, samewire.loads):
        for options in ({"max_items": -1}, {"max_bytes": 2**70}, {"floats": 1}, {"pause_gc": 1}):
            with pytest.raises(samewire.SamewireError, match="invalid-option"):
                call(b"1", **options)


def test_wrong_calls_are_type_errors():
    for call in (
        lambda: samewire.packb(),
        lambda: samewire.packb(1, 2),
        lambda: samewire.unpackb(),
        lambda: samewire.transcode(b"1"),
        lambda: samewire.transcode(b"1", "json", source="json"),
        lambda: samewire.unpack_from(b"1", "x"),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(samewire.SamewireError, match="invalid-option"):
        samewire.transcode(b"1", "json", "yaml")
    with pytest.raises(samewire.SamewireError, match="invalid-option"):
        samewire.unpack_from(b"1", 5)
