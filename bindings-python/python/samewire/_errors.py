"""The exceptions. `code`, `offset` and `path` are part of the API; the message is for people."""

from __future__ import annotations


class SamewireError(ValueError):
    """A failure with a stable code.

    Raised itself for what is neither input nor output: `invalid-option`, `invalid-state`.
    """

    code: str
    """Why: one of the codes of the documentation, such as `"length-exceeds-input"`."""
    offset: int | None
    """Byte offset in the input, when reading."""
    path: str
    """JSON Pointer (RFC 6901) to the value; empty for the whole message."""
    message: str
    """What was expected and what was found, without code, offset and path."""

    def __init__(self, message: str, code: str = "invalid-state", offset: int | None = None, path: str = "") -> None:
        super().__init__(message, code, offset, path)
        self.message = message
        self.code = code
        self.offset = offset
        self.path = path

    def __str__(self) -> str:
        place = "" if self.offset is None else f", at byte {self.offset}"
        if self.path:
            place += f", in {self.path}"
        return f"{self.message} ({self.code}{place})"


class DecodeError(SamewireError):
    """Input that cannot be read."""


class EncodeError(SamewireError):
    """An object that cannot be written."""


class Refused(Exception):
    """How the Python half tells the Rust half that a value has no form: code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
