"""Is a change of a schema safe? The comparison is the core's; here its findings become Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._samewire import Schema, check_schemas

Mode = Literal["NONE", "BACKWARD", "FORWARD", "FULL", "BACKWARD_TRANSITIVE", "FORWARD_TRANSITIVE", "FULL_TRANSITIVE"]


@dataclass(frozen=True)
class Finding:
    """One thing to know about a change of a schema."""

    rule: str
    """The rule's stable name, such as `"field-removed"`."""
    path: str
    """JSON Pointer into the data; `*` stands for every element or key."""
    severity: Literal["info", "warning", "error"]
    """An `"error"` means that some message cannot be read."""
    mode: Literal["BACKWARD", "FORWARD"]
    """The direction that it is about."""
    format: str
    """`"both"`, `"msgpack"`, `"json"` or `"packed"`."""
    advice: str
    """What to do instead."""
    witness: Any = None
    """A message that one side writes and the other refuses; None where none of the values that were tried fails."""
    code: str | None = None
    """What the reader says of the witness."""
    against: int | None = None
    """Of a history, the index of the schema that the new one was held against."""


def _schema(document: Any) -> Schema:
    return document if isinstance(document, Schema) else Schema(document)


def check(old: Any, new: Any, mode: Mode = "BACKWARD") -> list[Finding]:
    """What changes between two schemas, for readers and writers of either: with no finding of severity `"error"`,
    every message that one side writes, the other reads.

    `BACKWARD`: the new schema reads what the old one wrote; `FORWARD`: the old one reads what the new one writes;
    `FULL`: both. The `_TRANSITIVE` modes take all earlier schemas as `old`, the oldest first. Schemas may be given
    as documents.
    """
    history = (
        [_schema(s) for s in old] if isinstance(old, Sequence) and not isinstance(old, (str, bytes)) else [_schema(old)]
    )
    return [Finding(*found) for found in check_schemas(history, _schema(new), mode)]
