"""Many values one after another: out of chunks, files and asynchronous streams, and into them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from ._errors import SamewireError
from ._samewire import Encoder, StreamReader

_CHUNK = 64 << 10


class _Reader:
    """What `Unpacker` and `JSONLines` share."""

    def __init__(self, source: Any, framing: str, options: dict[str, Any]) -> None:
        self._values = StreamReader(framing, **options)
        self._source = source
        self._ended = False
        self._generator: Iterator[Any] | None = None

    def feed(self, chunk: Any) -> None:
        """Takes the next bytes of the stream, cut anywhere."""
        if self._ended:
            raise SamewireError("the stream was finished", "invalid-state")
        self._values.feed(chunk)

    def finish(self) -> None:
        """Says that the stream has ended: `truncated` if it did so inside a value. Iterate once more for a last value
        that only the end completes (a JSON number, a last line)."""
        self._values.finish()
        self._ended = True

    @property
    def position(self) -> int:
        """Offset in the stream of the first byte that is in no value yet."""
        return self._values.position

    def __iter__(self) -> Iterator[Any]:
        return self if self._source is None else self._pulled()

    def __next__(self) -> Any:
        return next(self._values if self._source is None else self._pulled())

    def _pulled(self) -> Iterator[Any]:
        # One generator, so that `next` and loops may take turns.
        if self._generator is None:
            self._generator = self._pull()
        return self._generator

    def _take(self, chunk: Any) -> None:
        if chunk:
            self._values.feed(chunk)
        else:
            self._values.finish()
            self._ended = True

    def _pull(self) -> Iterator[Any]:
        read = getattr(self._source, "read", None)
        if read is not None:
            while not self._ended:
                yield from self._values
                self._take(read(_CHUNK))
        elif not self._ended:
            for chunk in self._source:
                self._values.feed(chunk)
                yield from self._values
            self._take(b"")
        yield from self._values

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._pull_async()

    async def _pull_async(self) -> AsyncIterator[Any]:
        source = self._source
        if source is None:
            raise SamewireError("asynchronous iteration needs a source", "invalid-state")
        if not self._ended and hasattr(source, "__aiter__"):
            async for chunk in source:
                self._values.feed(chunk)
                for value in self._values:
                    yield value
            self._take(b"")
        while not self._ended:
            for value in self._values:
                yield value
            self._take(await source.read(_CHUNK))
        for value in self._values:
            yield value


class Unpacker(_Reader):
    """MessagePack values, one after another.

    Feed it chunks and iterate, or give it a source: a binary file, an iterable of chunks, or, for `async for`, an
    asynchronous iterable of chunks or a stream whose `read` is a coroutine. Memory is bounded by the largest value,
    that by `max_bytes`. Takes the keyword arguments of `unpackb`; `format="json"` reads concatenated JSON texts.
    """

    def __init__(self, source: Any = None, *, format: str = "msgpack", **options: Any) -> None:
        super().__init__(source, format, options)


class JSONLines(_Reader):
    """JSON texts, one a line; blank lines are passed over. Used as `Unpacker` is. Takes the keyword arguments of
    `loads`."""

    def __init__(self, source: Any = None, **options: Any) -> None:
        super().__init__(source, "jsonl", options)


class Packer:
    """Writes values one after another, in bounded memory.

    `sink` is a binary file, or an object whose `write` is a coroutine (use `pack_async` and `async with` then);
    without one, `take` gives what was written. `format` is "msgpack", or "json" for JSON Lines. Takes the keyword
    arguments of `packb` and `dumps`.
    """

    def __init__(
        self, sink: Any = None, *, format: str = "msgpack", buffer_size: int = 64 << 10, **options: Any
    ) -> None:
        if format == "json":
            if options.get("indent") is not None:
                raise SamewireError("JSON Lines has one line a value: indent has no place", "invalid-option")
            options["append_newline"] = True
        self._encoder = Encoder(format, **options)
        self._sink = sink
        self._buffer = bytearray()
        self._size = buffer_size

    def pack(self, obj: Any) -> None:
        """Writes a value. What gathered goes to the sink when it reaches `buffer_size`."""
        self._encoder.encode_into(obj, self._buffer, -1)
        if self._sink is not None and len(self._buffer) >= self._size:
            self.flush()

    def flush(self) -> None:
        """Hands what gathered to the sink."""
        if self._sink is not None and self._buffer:
            data, self._buffer = self._buffer, bytearray()
            self._sink.write(bytes(data))

    def take(self) -> bytes:
        """What was written since the last `take`, for a Packer without a sink."""
        data, self._buffer = self._buffer, bytearray()
        return bytes(data)

    def __len__(self) -> int:
        """Bytes that were written and not handed over."""
        return len(self._buffer)

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Packer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.flush()

    async def pack_async(self, obj: Any) -> None:
        """Writes a value; awaits the sink when what gathered reaches `buffer_size`."""
        self._encoder.encode_into(obj, self._buffer, -1)
        if len(self._buffer) >= self._size:
            await self.flush_async()

    async def flush_async(self) -> None:
        """Hands what gathered to the sink and awaits it (and its `drain`, as asyncio's writers have it)."""
        if self._sink is None or not self._buffer:
            return
        data, self._buffer = self._buffer, bytearray()
        result = self._sink.write(bytes(data))
        if hasattr(result, "__await__"):
            await result
        drain = getattr(self._sink, "drain", None)
        if drain is not None:
            await drain()

    async def __aenter__(self) -> Packer:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.flush_async()
