"""Read by pyright and mypy, not run: what a caller writes, and the types that come out."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import samewire
from typing_extensions import assert_type


def whole_messages() -> None:
    assert_type(samewire.packb({"a": 1}), bytes)
    assert_type(samewire.dumps({"a": 1}, indent=2, sort_keys=True, default=str), bytes)
    assert_type(samewire.unpackb(b"\xc0"), Any)
    samewire.unpackb(bytearray(b"\xc0"), map_keys="any", timestamp="int")
    samewire.unpackb(memoryview(b"\xc0"), ext_hook=lambda code, data: (code, data))
    samewire.loads("[1.5]", floats="decimal", object_hook=lambda pairs: list(pairs))
    assert_type(samewire.unpack_from(b"\x01\x02", 1), tuple[Any, int])
    assert_type(samewire.transcode(b"[]", "json", "msgpack"), bytes)
    assert_type(samewire.digest([1]), bytes)
    assert_type(samewire.inspect(b"\x01", style="html"), str)
    assert_type(samewire.validate(b"[]", "json"), None)


def files(path: str, stream: io.BytesIO) -> None:
    samewire.pack([1], path)
    samewire.dump([1], stream, indent=1)
    assert_type(samewire.load(path), Any)
    assert_type(samewire.unpack(stream, max_items=10), Any)


def prepared() -> None:
    encoder = samewire.Encoder("json", indent=2)
    assert_type(encoder.encode([1]), bytes)
    assert_type(encoder.encode_into([1], bytearray(), -1), int)
    decoder = samewire.Decoder("msgpack", map_keys="any")
    assert_type(decoder.decode(b"\xc0"), Any)
    assert_type(decoder.decode_from(b"\xc0", 0), tuple[Any, int])


def values() -> None:
    instant = samewire.Timestamp(1, 2)
    assert_type(instant.nanoseconds, int)
    moment: datetime = instant
    print(moment, instant.to_datetime())
    assert_type(samewire.Ext(5, b"x").data, bytes)
    samewire.packb(samewire.Raw(b"\xc0"))
    registry = samewire.ExtRegistry().add(1, complex, lambda c: str(c).encode(), lambda b: complex(b.decode()))
    samewire.packb(1j, ext=registry)
    samewire.unpackb(b"", ext=registry)


def lazily(data: bytes) -> None:
    view = samewire.view(data, "json")
    assert_type(view, samewire.View)
    assert_type(view.get("/a/0", default=1), Any)
    assert_type(view.raw, bytes)
    for key, value in view.items():
        print(key, value, len(view))


def streams(file: io.BytesIO) -> None:
    for value in samewire.Unpacker(file, max_bytes=1000):
        print(value)
    lines = samewire.JSONLines()
    lines.feed(b"{}\n")
    print(list(lines), lines.position)
    with samewire.Packer(file, sort_keys=True) as packer:
        packer.pack(1)
    assert_type(samewire.Packer(format="json").take(), bytes)


async def streams_async(source: AsyncIterator[bytes]) -> None:
    async for value in samewire.Unpacker(source):
        print(value)
    async with samewire.Packer(print) as packer:
        await packer.pack_async(1)


def failures(data: bytes) -> None:
    try:
        samewire.unpackb(data)
    except samewire.DecodeError as error:
        assert_type(error.code, str)
        assert_type(error.offset, int | None)
        assert_type(error.path, str)
    except ValueError:
        pass


def mistakes() -> None:
    samewire.packb(1, map_keys="all")  # type: ignore[arg-type, unused-ignore] # pyright: ignore[reportArgumentType]
    samewire.packb(1, max_dept=1)  # type: ignore[call-arg, unused-ignore] # pyright: ignore[reportCallIssue]
    samewire.unpackb("text")  # type: ignore[arg-type, unused-ignore] # pyright: ignore[reportArgumentType]
    samewire.transcode(b"", "json", "yaml")  # type: ignore[arg-type, unused-ignore] # pyright: ignore[reportArgumentType]
