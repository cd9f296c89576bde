"""Whole files: a path, or an object with `read` or `write`."""

from __future__ import annotations

import os
from typing import Any

from ._samewire import dumps, loads, packb, unpackb


def _read(file: Any) -> Any:
    if hasattr(file, "read"):
        return file.read()
    with open(file, "rb") as opened:
        return opened.read()


def _write(file: Any, data: bytes) -> None:
    if isinstance(file, (str, bytes, os.PathLike)):
        with open(file, "wb") as opened:
            opened.write(data)
    else:
        file.write(data)


def pack(obj: Any, file: Any, /, **options: Any) -> None:
    """Writes an object as MessagePack to a binary file or a path. Takes the keyword arguments of `packb`.

    Nothing is written if the object cannot be.
    """
    _write(file, packb(obj, **options))


def unpack(file: Any, /, **options: Any) -> Any:
    """Reads the one MessagePack value of a binary file or a path. Takes the keyword arguments of `unpackb`."""
    return unpackb(_read(file), **options)


def dump(obj: Any, file: Any, /, **options: Any) -> None:
    """Writes an object as JSON to a binary file or a path. Takes the keyword arguments of `dumps`.

    Nothing is written if the object cannot be.
    """
    _write(file, dumps(obj, **options))


def load(file: Any, /, **options: Any) -> Any:
    """Reads the one JSON text of a file or a path. Takes the keyword arguments of `loads`."""
    return loads(_read(file), **options)
