"""Every conformance vector that is for Python."""

from __future__ import annotations

from typing import Any

import pytest
import samewire
import samewire._host
import vectors
from vectors import Invalid, same, value_of

if not vectors.FOLDER.exists():
    pytest.skip("the conformance vectors are not in this tree", allow_module_level=True)

CASES = vectors.load()
STREAMS = [case for case in CASES if case.get("stream")]
READS = [case for case in CASES if "format" in case and not case.get("stream") and case["format"] != "tagged"]
VALUES = [case for case in CASES if "value" in case and "format" not in case]
READ = {"msgpack": samewire.unpackb, "json": samewire.loads}
WRITE = {"msgpack": samewire.packb, "json": samewire.dumps}


def name(case: dict[str, Any]) -> str:
    return case["name"]


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {key: value_of(value) for key, value in case.get("options", [])}


def skip(case: dict[str, Any]) -> None:
    if "skip" in case:
        pytest.skip(str(case["skip"]))


def fails_as(expected: Any, call: Any, *args: Any, **kwargs: Any) -> None:
    expected = dict(expected)
    with pytest.raises(samewire.SamewireError) as caught:
        print(call(*args, **kwargs))
    found = {"code": caught.value.code, "offset": caught.value.offset, "path": caught.value.path}
    assert {key: found[key] for key in expected} == expected, str(caught.value)


def bytes_of(format: str, text: str) -> bytes:
    return bytes.fromhex(text) if format == "msgpack" else text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("case", VALUES, ids=name)
def test_value(case):
    skip(case)
    options = options_of(case)
    try:
        value = value_of(case["value"])
    except Invalid:
        if "read_error" in case:
            fails_as(case["read_error"], samewire.unpackb, bytes.fromhex(case["msgpack"]), **options)
            return
        pytest.skip("Python has no such value")
    if "read_error" in case:
        fails_as(case["read_error"], samewire.unpackb, bytes.fromhex(case["msgpack"]), **options)
        return
    for format in ("msgpack", "json"):
        if f"{format}_error" in case:
            fails_as(case[f"{format}_error"], WRITE[format], value, **options)
            continue
        if format not in case:
            continue
        written = bytes_of(format, case[format])
        assert WRITE[format](value, **options) == written
        if case.get("write_only"):
            continue
        reads_as = value_of(case["json_value"]) if format == "json" and "json_value" in case else value
        for text in [case[format], *case.get(f"{format}_accepted", [])]:
            data = bytes_of(format, text)
            read = READ[format](data, **options)
            assert same(read, reads_as), f"{data!r} reads as {read!r}"
            if format == "json" and not any(0xD800 <= ord(c) < 0xE000 for c in text):
                assert same(samewire.loads(text, **options), reads_as)
            assert same(samewire.view(data, format, **options).value(), reads_as)
    if "digest" in case:
        assert samewire.digest(value).hex() == case["digest"]


@pytest.mark.parametrize("case", READS, ids=name)
def test_reading(case):
    skip(case)
    options, format = options_of(case), case["format"]
    data = bytes.fromhex(case["input_hex"]) if "input_hex" in case else bytes_of(format, case["input"])
    expected_error = case.get("error") or case.get("read_error")
    if expected_error is None:
        try:
            value = value_of(case["value"])
        except Invalid:
            pytest.skip("Python has no such value")
        assert same(READ[format](data, **options), value)
        return
    fails_as(expected_error, READ[format], data, **options)
    fails_as(expected_error, READ[format], bytearray(data), **options)
    if "read_error" not in case and not {"naive", "timestamp"} & set(options):
        fails_as(expected_error, samewire.validate, data, format, **options)


@pytest.mark.parametrize("case", STREAMS, ids=name)
def test_streams_cut_everywhere(case):
    skip(case)
    options, format = options_of(case), case["format"]
    data = bytes.fromhex(case["input_hex"]) if "input_hex" in case else bytes_of(format, case["input"])
    values = value_of(case["values"])
    cuts = [[data], [data[i : i + 1] for i in range(len(data))]]
    cuts += [[data[:i], data[i:]] for i in range(len(data) + 1)]

    def read(chunks: list[bytes], into: list[Any]) -> None:
        stream = samewire.JSONLines(**options) if format == "json" else samewire.Unpacker(**options)
        for chunk in chunks:
            stream.feed(chunk)
            into.extend(stream)
        stream.finish()
        into.extend(stream)

    for chunks in cuts:
        found: list[Any] = []
        if "error" in case:
            fails_as(case["error"], read, chunks, found)
        else:
            read(chunks, found)
        assert same(found, values)
        if "error" not in case:
            kind = samewire.JSONLines if format == "json" else samewire.Unpacker
            assert same(list(kind(iter(chunks), **options)), values)
