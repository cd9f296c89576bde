"""Streams out of chunks, files, iterables and asynchronous sources; and into them."""

from __future__ import annotations

import asyncio
import io
import random

import pytest
import samewire

VALUES = [1, {"a": [1, 2, "é" * 10]}, "x" * 300, [], {}, None, -1.5, list(range(50))]
PACKED = b"".join(map(samewire.packb, VALUES))
LINES = b"".join(samewire.dumps(v) + b"\n" for v in VALUES)


def chunks(data: bytes, seed: int):
    rng = random.Random(seed)
    at = 0
    while at < len(data):
        n = rng.choice([0, 1, 2, 3, 7, 50])
        yield data[at : at + n]
        at += n


@pytest.mark.parametrize(("kind", "data"), [(samewire.Unpacker, PACKED), (samewire.JSONLines, LINES)])
def test_every_kind_of_source(kind, data):
    assert list(kind(io.BytesIO(data))) == VALUES
    assert list(kind([data])) == VALUES
    for seed in range(20):
        assert list(kind(chunks(data, seed))) == VALUES
    reader = kind(io.BytesIO(data))
    assert [next(reader), next(reader)] == VALUES[:2]
    assert list(reader) == VALUES[2:]
    with pytest.raises(StopIteration):
        next(reader)


@pytest.mark.parametrize(("kind", "data"), [(samewire.Unpacker, PACKED), (samewire.JSONLines, LINES)])
def test_asynchronous_sources(kind, data):
    async def source():
        for chunk in chunks(data, 1):
            await asyncio.sleep(0)
            yield chunk

    async def run():
        assert [v async for v in kind(source())] == VALUES
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        assert [v async for v in kind(stream)] == VALUES
        with pytest.raises(samewire.SamewireError, match="invalid-state"):
            async for _ in kind():
                pass

    asyncio.run(run())


def test_concatenated_json():
    assert list(samewire.Unpacker([b'{"a":1}[2]', b" 3 4"], format="json")) == [{"a": 1}, [2], 3, 4]


def test_an_end_inside_a_value():
    for kind, data in ((samewire.Unpacker, b"\x92\x01"), (samewire.JSONLines, b'{"a":')):
        with pytest.raises(samewire.DecodeError) as caught:
            list(kind([b"\x01" if kind is samewire.Unpacker else b"1\n", data]))
        assert caught.value.code == "truncated"


def test_offsets_count_from_the_beginning_of_the_stream():
    reader = samewire.Unpacker([b"\x01\x02", b"\x92\x03\xa1\xff"])
    assert [next(reader), next(reader)] == [1, 2]
    with pytest.raises(samewire.DecodeError) as caught:
        next(reader)
    assert (caught.value.code, caught.value.offset, caught.value.path) == ("invalid-utf8", 5, "/1")
    lines = samewire.JSONLines([b'1\n{"a": x}\n'])
    assert next(lines) == 1
    with pytest.raises(samewire.DecodeError) as caught:
        next(lines)
    assert (caught.value.code, caught.value.offset, caught.value.path) == ("invalid-syntax", 8, "/a")


def test_memory_is_bounded_by_max_bytes():
    reader = samewire.Unpacker(max_bytes=1000)
    reader.feed(b"\xc6\x7f\xff\xff\xff")
    with pytest.raises(samewire.DecodeError, match="input-too-large"):
        next(reader)
    lines = samewire.JSONLines(max_bytes=10)
    lines.feed(b'"' + b"x" * 20)
    with pytest.raises(samewire.DecodeError, match="input-too-large"):
        next(lines)


def test_feeding_after_the_end():
    reader = samewire.Unpacker()
    reader.finish()
    with pytest.raises(samewire.SamewireError, match="invalid-state"):
        reader.feed(b"\x01")


def test_position():
    reader = samewire.Unpacker()
    reader.feed(b"\x01\x92\x01")
    assert list(reader) == [1] and reader.position == 1
    reader.feed(b"\x02")
    assert list(reader) == [[1, 2]] and reader.position == 4


class Sink(io.BytesIO):
    writes = 0

    def write(self, data):
        self.writes += 1
        return super().write(data)


@pytest.mark.parametrize(("format", "data"), [("msgpack", PACKED), ("json", LINES)])
def test_packer(format, data):
    sink = Sink()
    with samewire.Packer(sink, format=format, buffer_size=200) as packer:
        for value in VALUES:
            packer.pack(value)
            assert len(packer) < 200
    assert sink.getvalue() == data and 1 < sink.writes <= len(VALUES)
    packer = samewire.Packer(format=format)
    for value in VALUES:
        packer.pack(value)
    assert packer.take() == data and packer.take() == b""
    with pytest.raises(samewire.EncodeError):
        packer.pack([1, object()])
    assert packer.take() == b""


def test_asynchronous_packer():
    class Writer:
        def __init__(self):
            self.data, self.drained = b"", 0

        def write(self, data):
            self.data += data

        async def drain(self):
            self.drained += 1

    class Coroutine:
        data = b""

        async def write(self, data):
            self.data += data

    async def run():
        for sink in (Writer(), Coroutine()):
            async with samewire.Packer(sink, buffer_size=50) as packer:
                for value in VALUES:
                    await packer.pack_async(value)
            assert sink.data == PACKED

    asyncio.run(run())


def test_indented_lines_are_refused():
    with pytest.raises(samewire.SamewireError, match="invalid-option"):
        samewire.Packer(format="json", indent=2)


def test_files(tmp_path):
    value = {"a": [1, 2.5, None]}
    for write, read in ((samewire.pack, samewire.unpack), (samewire.dump, samewire.load)):
        path = tmp_path / "message"
        write(value, path)
        assert read(path) == value and read(str(path)) == value
        with open(path, "rb") as file:
            assert read(file) == value
        sink = io.BytesIO()
        write(value, sink)
        assert sink.getvalue() == path.read_bytes()
        with pytest.raises(samewire.EncodeError):
            write(object(), path)
        assert read(path) == value
    assert samewire.load(io.StringIO('{"é": 1}')) == {"é": 1}
