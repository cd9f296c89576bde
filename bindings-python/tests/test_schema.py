"""Schemas: reading, writing, checking data and changes."""

from __future__ import annotations

import datetime as dt

import pytest
import samewire

DOCUMENT = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "at": {"type": "string", "format": "date-time"},
    },
    "required": ["id"],
}
AT = dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.timezone.utc)


@pytest.mark.parametrize("document", [DOCUMENT, samewire.dumps(DOCUMENT), samewire.dumps(DOCUMENT).decode()])
def test_reads_and_writes(document):
    schema = samewire.Schema(document)
    value = {"id": 1, "name": "Ada", "at": AT}
    assert schema.unpackb(schema.packb(value)) == value
    assert schema.loads(schema.dumps(value)) == value
    assert schema.transcode(schema.packb(value), "msgpack", "json") == schema.dumps(value)
    schema.validate(schema.packb(value))
    schema.validate(schema.dumps(value), "json")
    assert schema.document == DOCUMENT and schema.version is None and "Schema" in repr(schema)


def test_errors_say_where():
    schema = samewire.Schema(DOCUMENT)
    for call, code, path in [
        (lambda: schema.packb({"id": "x"}), "type-mismatch", "/id"),
        (lambda: schema.dumps({"name": "x"}), "missing-field", ""),
        (lambda: schema.unpackb(samewire.packb({"id": "x"})), "type-mismatch", "/id"),
        (lambda: schema.loads(b'{"name":"x"}'), "missing-field", ""),
        (lambda: schema.loads(b'{"id":1,"at":"yesterday"}'), "invalid-timestamp", "/at"),
        (lambda: schema.validate(b"{}", "json"), "missing-field", ""),
    ]:
        with pytest.raises(samewire.SamewireError) as caught:
            call()
        assert (caught.value.code, caught.value.path) == (code, path)
    with pytest.raises(samewire.SamewireError) as caught:
        samewire.Schema({"type": "strin"})
    assert caught.value.code == "invalid-schema"


def test_changes():
    required = {**DOCUMENT, "required": ["id", "name"]}
    assert not [f for f in samewire.check(DOCUMENT, DOCUMENT, "FULL") if f.severity == "error"]
    found = [f for f in samewire.check(DOCUMENT, required, "BACKWARD") if f.severity == "error"]
    assert found and found[0].path == "/name" and found[0].mode == "BACKWARD"
    assert samewire.Schema(DOCUMENT).unpackb(samewire.packb(found[0].witness)) is not None
    assert not [f for f in samewire.check(DOCUMENT, required, "FORWARD") if f.severity == "error"]
    history = samewire.check([required, DOCUMENT], samewire.Schema(required), "BACKWARD_TRANSITIVE")
    assert {f.against for f in history if f.severity == "error"} == {1}
    with pytest.raises(samewire.SamewireError, match="invalid-option"):
        samewire.check(DOCUMENT, DOCUMENT, "SIDEWAYS")  # type: ignore[arg-type]
