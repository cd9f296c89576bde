"""Every schema vector: reading, writing, transcoding, refused documents, judged changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
import samewire
import vectors
from vectors import Invalid, same, value_of

FOLDER = vectors.FOLDER / "schema"
if not FOLDER.exists():
    pytest.skip("the schema vectors are not in this tree", allow_module_level=True)

CASES = [case for path in sorted(FOLDER.glob("*/*.json")) for case in json.loads(path.read_text())]
FORMATS = ("msgpack", "json")


def select(*keys: str, without: tuple[str, ...] = ()) -> Any:
    cases = [case for case in CASES if case.keys() >= set(keys) and not case.keys() & set(without)]
    assert cases, f"no case has {keys}"
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["name"])


def tagged(value: Any) -> Any:
    """The Python value of tagged JSON, kinds and bits kept apart."""
    text = json.dumps(value)
    pairs = json.loads(text, object_pairs_hook=vectors._Pairs, parse_int=vectors._int, parse_float=vectors._Float)
    try:
        return value_of(pairs)
    except Invalid as why:
        pytest.skip(str(why))


def input_of(text: str, format: str) -> bytes:
    return bytes.fromhex(text) if format == "msgpack" else text.encode()


def write(schema: samewire.Schema, format: str, value: Any, options: dict[str, Any]) -> bytes:
    return schema.packb(value, **options) if format == "msgpack" else schema.dumps(value, **options)


def read(schema: samewire.Schema, format: str, data: bytes, options: dict[str, Any]) -> Any:
    return schema.unpackb(data, **options) if format == "msgpack" else schema.loads(data, **options)


def fails_as(expected: dict[str, Any], call: Any, *arguments: Any) -> None:
    with pytest.raises(samewire.SamewireError) as caught:
        print(call(*arguments))
    assert {key: getattr(caught.value, key) for key in expected} == expected


@pytest.mark.parametrize("format", FORMATS)
@select("writer", "reader", "value")
def test_resolves(case: dict[str, Any], format: str) -> None:
    options = case.get("options", {})
    reader = samewire.Schema(case["reader"])
    data = write(samewire.Schema(case["writer"]), format, tagged(case["value"]), options)
    if "error" in case:
        fails_as(case["error"], read, reader, format, data, options)
        fails_as(case["error"], lambda: reader.validate(data, format, **options))
    else:
        assert same(read(reader, format, data, options), tagged(case["reads"]))
        reader.validate(data, format, **options)


@select("reader", "format", "input")
def test_reads(case: dict[str, Any]) -> None:
    options, format = case.get("options", {}), case["format"]
    reader, data = samewire.Schema(case["reader"]), input_of(case["input"], case["format"])
    if "error" in case:
        fails_as(case["error"], read, reader, format, data, options)
        fails_as(case["error"], lambda: reader.validate(data, format, **options))
    else:
        assert same(read(reader, format, data, options), tagged(case["reads"]))
        reader.validate(data, format, **options)


@pytest.mark.parametrize("format", FORMATS)
@select("writer", "value", without=("reader",))
def test_writes(case: dict[str, Any], format: str) -> None:
    options = case.get("options", {})
    schema, value = samewire.Schema(case["writer"]), tagged(case["value"])
    if "error" in case:
        fails_as(case["error"], write, schema, format, value, options)
    else:
        assert write(schema, format, value, options) == input_of(case[format], format)


@select("reader", "from", "to", "gives")
def test_transcodes(case: dict[str, Any]) -> None:
    data = input_of(case["input"], case["from"])
    given = samewire.Schema(case["reader"]).transcode(data, case["from"], case["to"], **case.get("options", {}))
    assert given == input_of(case["gives"], case["to"])


@select("document", "error")
def test_refuses_documents(case: dict[str, Any]) -> None:
    fails_as(case["error"], samewire.Schema, case["document"])
    fails_as(case["error"], samewire.Schema, json.dumps(case["document"]))


@select("old", "new", "findings")
def test_judges(case: dict[str, Any]) -> None:
    old, new = samewire.Schema(case["old"]), samewire.Schema(case["new"])
    found = samewire.check(old, new, case["mode"])
    keys = ("mode", "rule", "path", "severity", "format")
    expected = [{"format": "both", **finding} for finding in case["findings"]]
    assert sorted([getattr(f, key) for key in keys] for f in found) == sorted(
        [f[key] for key in keys] for f in expected
    )
    for finding in found:
        # A witness of the packed form would need a reader of it.
        if finding.severity == "error" and finding.format != "packed":
            writer, reader = (old, new) if finding.mode == "BACKWARD" else (new, old)
            for format in FORMATS if finding.format == "both" else (finding.format,):
                data = write(writer, format, finding.witness, {})
                fails_as({"code": finding.code}, read, reader, format, data, {})


@select("old", "new", "compatible")
def test_says_whether_compatible(case: dict[str, Any]) -> None:
    found = samewire.check(case["old"], case["new"], case["mode"])
    assert all(finding.severity != "error" for finding in found) is case["compatible"]
