"""Views: checked once, read where they are touched."""

from __future__ import annotations

import pytest
import samewire

VALUE = {"user": {"name": "Ada", "age": 36}, "items": [{"id": 1}, {"id": 2}, 3], "a/b": {"~": [None]}, "none": None}


@pytest.fixture(params=["msgpack", "json", "json with blanks"])
def view(request):
    if request.param == "msgpack":
        return samewire.view(samewire.packb(VALUE))
    return samewire.view(samewire.dumps(VALUE, indent=2 if "blanks" in request.param else None), "json")


def test_places(view):
    assert view["user"]["name"] == "Ada" and view["items"][-1] == 3 and view["items"][0]["id"] == 1
    assert view["none"] is None
    assert view.get("/items/1/id") == 2 and view.get("/a~1b/~0/0", 5) is None
    assert view.get("/nothing") is None and view.get("/items/9", "x") == "x" and view.get("/user/name/x") is None
    assert view.get("").value() == VALUE
    assert isinstance(view["items"], samewire.View) and view["items"].kind == "array" and view.kind == "map"
    assert view["user"].value() == VALUE["user"] and view.value() == VALUE


def test_containers(view):
    assert len(view) == 4 and len(view["items"]) == 3 and view and not samewire.view(b"\x80")
    assert list(view) == list(VALUE) == view.keys()
    assert "user" in view and "User" not in view and 3 in view["items"] and {"id": 1} in view["items"]
    assert [v.value() if isinstance(v, samewire.View) else v for v in view["items"]] == VALUE["items"]
    assert dict(view["user"].items()) == VALUE["user"] and view["user"].values() == ["Ada", 36]


def test_raw_bytes(view):
    raw = view["items"].raw
    read = samewire.unpackb if raw[0] == 0x93 else samewire.loads
    assert read(raw) == VALUE["items"]
    assert samewire.view(samewire.packb([1, "a"])).raw == samewire.packb([1, "a"])


def test_what_is_not_there(view):
    for key, error in [("x", KeyError), (1, KeyError)]:
        with pytest.raises(error):
            view[key]
    for key, error in [(3, IndexError), (-4, IndexError), ("a", TypeError)]:
        with pytest.raises(error):
            view["items"][key]
    with pytest.raises(samewire.DecodeError, match="invalid-syntax"):
        view.get("items")
    scalar = samewire.view(b"\x05")
    assert scalar.kind == "scalar" and scalar.value() == 5
    for use in (len, iter, lambda v: v[0]):
        with pytest.raises(TypeError):
            use(scalar)


def test_the_message_is_checked_first():
    with pytest.raises(samewire.DecodeError) as caught:
        samewire.view(b"\x81\xa1a\x91\xc1")
    assert (caught.value.code, caught.value.offset, caught.value.path) == ("invalid-marker", 4, "/a/0")
    with pytest.raises(samewire.DecodeError, match="trailing-data"):
        samewire.view(b"1 2", "json")


def test_changing_the_buffer_does_not_change_the_view():
    buffer = bytearray(samewire.packb({"a": [1]}))
    view = samewire.view(buffer)
    buffer[-1] = 0xC1
    assert view.value() == {"a": [1]}


def test_options_hold_for_what_is_read():
    data = samewire.packb({1: "a", (2,): [samewire.Timestamp(1, 1)]}, map_keys="any")
    view = samewire.view(data, map_keys="any", timestamp="int")
    assert view[1] == "a" and view[(2,)][0] == 1_000_000_001 and view.keys() == [1, (2,)]
    assert samewire.view('{"a":1,"a":2}', "json", duplicate_keys="last")["a"] == 2
    assert samewire.view('{"a":1,"a":2}', "json", duplicate_keys="first")["a"] == 1
