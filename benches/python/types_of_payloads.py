"""The types of the payloads that have one, as msgspec Structs and as dataclasses, for typed decoding."""

from __future__ import annotations

import dataclasses
from typing import Any

Spec = dict[str, Any]

EVENT: Spec = {"uid": int, "name": str, "followers": int, "online": bool, "ts": str, "kind": str}
METADATA: Spec = {"tenant": str, "request_id": str, "priority": int, "tags": list[str]}
REQUEST: Spec = {
    "model": str, "prompt": str, "max_tokens": int, "temperature": float, "top_p": float, "top_k": int, "seed": int | None,
    "stop": list[str], "stream": bool, "user": str, "metadata": ("Metadata", METADATA),
}  # fmt: skip
USER: Spec = {"name": str, "email": str, "score": float}
ITEM: Spec = {
    "id": int, "user": ("User", USER), "tags": list[str], "values": list[float], "active": bool, "created": str, "note": str,
}  # fmt: skip
NESTED: Spec = {"items": ["Item", ITEM], "total": int, "next": int | None}
RECORD: Spec = {
    "id": int, "price": float, "symbol": str, "quantity": int, "weight": float, "category": str, "flags": int, "ratio": float,
    "owner": str, "created_at": int, "active": bool, "comment": str,
}  # fmt: skip

SPECS: dict[str, tuple[str, Spec, bool]] = {
    "event": ("Event", EVENT, False), "request": ("Request", REQUEST, False), "nested": ("Nested", NESTED, False),
    "records": ("Record", RECORD, True),
}  # fmt: skip


def _build(name: str, spec: Spec, make):
    fields = []
    for key, kind in spec.items():
        if isinstance(kind, tuple):
            kind = _build(*kind, make)
        elif isinstance(kind, list):
            kind = list[_build(*kind, make)]
        fields.append((key, kind))
    return make(name, fields)


def types(payload: str):
    """(a type of msgspec Structs, a type of dataclasses) for the payload, or (None, None)."""
    if payload not in SPECS:
        return None, None
    import msgspec

    name, spec, listed = SPECS[payload]
    struct = _build(name, spec, msgspec.defstruct)
    data = _build(name, spec, dataclasses.make_dataclass)
    return (list[struct], list[data]) if listed else (struct, data)
