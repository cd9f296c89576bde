"""Loads the payloads of `benches/payloads` and makes fresh Python objects of them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent.parent / "payloads"


class Payload:
    """One payload: the texts of its instances, and functions that build them anew."""

    def __init__(self, name: str, texts: list[bytes], times: list[str], key: bool):
        self.name = name
        self.texts = texts
        self.times = times
        self.key = key
        self.size = sum(map(len, texts)) // len(texts)

    def plain(self, index: int):
        """The instance as JSON gives it: instants are strings."""
        return json.loads(self.texts[index])

    def host(self, index: int):
        """The instance as an application would hold it: instants are aware datetimes. New objects at every call."""
        return with_times(json.loads(self.texts[index]), self.times) if self.times else json.loads(self.texts[index])


def with_times(value, fields: list[str]):
    """The value with the named fields parsed as instants, in place."""
    if isinstance(value, dict):
        for k, v in value.items():
            if k in fields and isinstance(v, str):
                value[k] = datetime.fromisoformat(v.replace("Z", "+00:00"))  # noqa: FURB162 - 3.10 reads no Z
            else:
                with_times(v, fields)
    elif isinstance(value, list):
        for v in value:
            with_times(v, fields)
    return value


def split_instances(body: bytes) -> list[bytes]:
    """The elements of a payload file, which has one on each line."""
    return [line.rstrip(b",") for line in body.splitlines()[1:-1]]


def load(names: list[str] | None = None, public: str | None = None) -> list[Payload]:
    subprocess.run([sys.executable, str(DIRECTORY / "generate.py"), "--large"], check=True)
    manifest = json.loads((DIRECTORY / "manifest.json").read_bytes())
    for name in names or []:
        if name not in manifest:
            raise SystemExit(f"no payload is called {name!r}; there are: {', '.join(manifest)}")
    out = []
    for name, entry in manifest.items():
        if names and name not in names:
            continue
        texts = split_instances((DIRECTORY / entry["file"]).read_bytes())
        assert len(texts) == entry["instances"], name
        out.append(Payload(name, texts, entry["times"], entry["key"]))
    if public:
        for path in sorted(Path(public).glob("*.json")):
            body = json.dumps(json.loads(path.read_bytes()), ensure_ascii=False, separators=(",", ":")).encode()
            out.append(Payload("public/" + path.stem, [body], [], False))
    return out
