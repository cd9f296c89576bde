"""JSON text, written from RFC 8259, RFC 8785 and the data model of this project. Slow and plain.

Floats are read with `decimal` and checked against exact integer arithmetic; the shortest digits come from
Python's repr (David Gay's algorithm), the layout from the data model.
"""

import re
from decimal import Decimal
from fractions import Fraction

from model import SAFE, Ext, Fault, Time, b64, bits, pairs_of, pointer, rfc3339

NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def digits_of(value):
    """Shortest digits and the position of the decimal point after them: value = 0.DIGITS × 10^point."""
    sign, digits, exponent = Decimal(repr(abs(value))).as_tuple()
    text = "".join(map(str, digits)).lstrip("0") or "0"
    stripped = text.rstrip("0") or "0"
    return stripped, len(text) + exponent


def float_text(value):
    """`1.0`, `1e+16`, `-0.0`: as serde_json 1.0.154 and orjson 3.13 lay it out."""
    sign = "-" if bits(value) >> 63 else ""
    if value == 0:
        return sign + "0.0"
    digits, point = digits_of(value)
    if len(digits) <= point <= 16:
        return sign + digits.ljust(point, "0") + ".0"
    if 0 < point <= 16:
        return sign + digits[:point] + "." + digits[point:]
    if -5 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+}"


def ecmascript_text(value):
    """Number::toString of ECMA-262, which RFC 8785 asks for."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    digits, point = digits_of(value)
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+}"


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text, options=None):
    html = options and options.get("escape_html")
    out = []
    for c in text:
        if c in ESCAPES:
            out.append(ESCAPES[c])
        elif c < " " or html and c in "<>&\u2028\u2029":
            out.append(f"\\u{ord(c):04x}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def json_text(value, options=None, path=(), level=0):
    """The one text that samewire writes."""
    o = options or {}
    canonical = o.get("canonical")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Time):
        text = rfc3339(value)
        if text is None:
            raise Fault("timestamp-out-of-range", None, pointer(path))
        return quoted(text)
    if isinstance(value, Ext):
        raise Fault("unsupported-type", None, pointer(path))
    if isinstance(value, int):
        if canonical and abs(value) > SAFE:
            if o.get("int64") == "string":
                return f'"{value}"'
            raise Fault("integer-out-of-range", None, pointer(path))
        return str(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            mode = o.get("non_finite", "error")
            if mode == "error":
                raise Fault("non-finite-number", None, pointer(path))
            name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
            return "null" if mode == "null" else f'"{name}"'
        return ecmascript_text(value) if canonical else float_text(value)
    if isinstance(value, str):
        return quoted(value, o)
    if isinstance(value, bytes):
        if o.get("bin_json") == "error":
            raise Fault("unsupported-type", None, pointer(path))
        return f'"{b64(value)}"'
    step = o.get("indent")
    if canonical:
        step = None
    inner, outer = ("\n" + " " * step * (level + 1), "\n" + " " * step * level) if step is not None else ("", "")
    if isinstance(value, list):
        parts = [json_text(v, o, (*path, i), level + 1) for i, v in enumerate(value)]
        return "[" + inner + ("," + inner).join(parts) + outer + "]" if parts else "[]"
    entries = []
    for k, v in pairs_of(value):
        if v is None and o.get("omit_null"):
            continue
        if not isinstance(k, str):
            if o.get("map_keys") != "stringify":
                raise Fault("map-key-type", None, pointer(path))
            k = json_text(k)
        entries.append((k, json_text(v, o, (*path, k), level + 1)))
    if canonical:
        entries.sort(key=lambda e: e[0].encode("utf-16-be"))
    elif o.get("sort_keys"):
        entries.sort(key=lambda e: e[0].encode())
    colon = ": " if step is not None else ":"
    parts = [quoted(k, o) + colon + v for k, v in entries]
    return "{" + inner + ("," + inner).join(parts) + outer + "}" if parts else "{}"


def encode(value, options=None):
    text = json_text(value, options)
    return text + ("\n" if (options or {}).get("append_newline") else "")


def nearest(text):
    """A decimal literal correctly rounded to binary64, by exact rationals; None beyond the range."""
    sign = -1 if text.startswith("-") else 1
    mantissa, _, exponent = text.lstrip("-").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = int(whole + fraction or "0")
    if digits == 0:
        return sign * 0.0
    scale = int(exponent or "0") - len(fraction)
    size = len(str(digits)) + scale
    if size > 310:
        return None
    if size < -330:
        return sign * 0.0
    exact = Fraction(digits) * Fraction(10) ** scale
    # 2^e ≤ exact < 2^(e+1), then a mantissa of 53 bits, or fewer below the normal range.
    e = exact.numerator.bit_length() - exact.denominator.bit_length()
    while Fraction(2) ** e > exact:
        e -= 1
    while Fraction(2) ** (e + 1) <= exact:
        e += 1
    unit = Fraction(2) ** (max(e, -1022) - 52)
    mantissa = round(exact / unit)  # round() of a Fraction is half to even, as IEEE 754 asks
    value = mantissa * unit
    if value >= Fraction(2) ** 1024:
        return None
    result = float(value)
    assert Fraction(result) == value
    return sign * result


class Reader:
    """Reads one text; every fault as the contract names it."""

    def __init__(self, data, options=None):
        self.data, self.at, self.o = data, 0, options or {}
        self.items = self.o.get("max_items")
        self.max_depth = self.o.get("max_depth", 512)
        if len(data) > self.o.get("max_bytes", 256 << 20):
            raise Fault("input-too-large", self.o["max_bytes"], "")

    def document(self):
        self.space()
        value = self.value(())
        self.space()
        if self.at < len(self.data):
            raise Fault("trailing-data", self.at, "")
        return value

    def peek(self, path):
        if self.at >= len(self.data):
            raise Fault("truncated", len(self.data), pointer(path))
        return self.data[self.at]

    def bad(self, path, at=None):
        return Fault("invalid-syntax", self.at if at is None else at, pointer(path))

    def space(self):
        while self.at < len(self.data) and self.data[self.at] in b" \t\n\r":
            self.at += 1

    def value(self, path, depth=0):
        c = self.peek(path)
        if self.items is not None:
            if self.items == 0:
                raise Fault("too-many-items")
            self.items -= 1
        for word, value in ((b"null", None), (b"true", True), (b"false", False)):
            if c == word[0]:
                for expected in word:
                    if self.peek(path) != expected:
                        raise self.bad(path)
                    self.at += 1
                return value
        if c == 0x22:
            return self.string(path)
        if c == 0x2D or 0x30 <= c <= 0x39:
            return self.number(path)
        if c not in b"[{":
            raise self.bad(path)
        if depth >= self.max_depth:
            raise Fault("depth-exceeded", self.at, pointer(path))
        self.at += 1
        return self.array(path, depth) if c == 0x5B else self.object(path, depth)

    def array(self, path, depth):
        out = []
        self.space()
        if self.peek(path) == 0x5D:
            self.at += 1
            return out
        while True:
            out.append(self.value((*path, len(out)), depth + 1))
            self.space()
            c = self.peek(path)
            if c not in b",]":
                raise self.bad(path)
            self.at += 1
            if c == 0x5D:
                return out
            self.space()

    def object(self, path, depth):
        out, repeat = {}, self.o.get("duplicate_keys", "error")
        self.space()
        if self.peek(path) == 0x7D:
            self.at += 1
            return out
        while True:
            start = self.at
            if self.peek(path) != 0x22:
                raise self.bad(path)
            key = self.string(path)
            if key in out and repeat == "error":
                raise Fault("duplicate-key", start, pointer((*path, key)))
            self.space()
            if self.peek((*path, key)) != 0x3A:
                raise self.bad(path)
            self.at += 1
            self.space()
            value = self.value((*path, key), depth + 1)
            if key not in out or repeat == "last":
                out[key] = value
            self.space()
            c = self.peek(path)
            if c not in b",}":
                raise self.bad(path)
            self.at += 1
            if c == 0x7D:
                return out
            self.space()

    def number(self, path):
        start = self.at
        if self.data[self.at] == 0x2D:
            self.at += 1
        digit = lambda: 0x30 <= self.peek(path) <= 0x39
        more = lambda chars: self.at < len(self.data) and self.data[self.at] in chars
        if not digit():
            raise self.bad(path)
        if self.data[self.at] == 0x30:
            self.at += 1
            if more(b"0123456789"):
                raise self.bad(path)
        while more(b"0123456789"):
            self.at += 1
        is_float = False
        if more(b"."):
            is_float = True
            self.at += 1
            if not digit():
                raise self.bad(path)
            while more(b"0123456789"):
                self.at += 1
        if more(b"eE"):
            is_float = True
            self.at += 1
            if self.peek(path) in b"+-":
                self.at += 1
            if not digit():
                raise self.bad(path)
            while more(b"0123456789"):
                self.at += 1
        text = self.data[start : self.at]
        assert NUMBER.fullmatch(text)
        if not is_float:
            return -0.0 if text == b"-0" else int(text)
        value = nearest(text.decode())
        if value is None:
            raise Fault("number-out-of-range", start, pointer(path))
        return value

    def hex4(self, path):
        n = 0
        for _ in range(4):
            c = self.peek(path)
            if c not in b"0123456789abcdefABCDEF":
                raise self.bad(path)
            n = n * 16 + int(chr(c), 16)
            self.at += 1
        return n

    def string(self, path):
        self.at += 1
        out, replace = [], self.o.get("lone_surrogates", "error") == "replace"
        while True:
            c = self.peek(path)
            if c == 0x22:
                self.at += 1
                return "".join(out)
            if c < 0x20:
                raise self.bad(path)
            if c != 0x5C:
                end = self.at
                while end < len(self.data) and self.data[end] not in b'"\\' and self.data[end] >= 0x20:
                    end += 1
                try:
                    out.append(self.data[self.at : end].decode())
                except UnicodeDecodeError as e:
                    raise Fault("invalid-utf8", self.at + e.start, pointer(path)) from None
                self.at = end
                continue
            escape = self.at
            self.at += 1
            c = chr(self.peek(path))
            if c in '"\\/bfnrt':
                out.append({"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(c, c))
                self.at += 1
                continue
            if c != "u":
                raise self.bad(path)
            self.at += 1
            unit = self.hex4(path)
            if 0xD800 <= unit < 0xDC00:
                low = re.match(rb"\\u([dD][c-fC-F][0-9a-fA-F]{2})", self.data[self.at :])
                if low:
                    self.at += 6
                    unit = 0x10000 + (unit - 0xD800 << 10) + int(low[1], 16) - 0xDC00
            if 0xD800 <= unit < 0xE000:
                if not replace:
                    raise Fault("lone-surrogate", escape, pointer(path))
                unit = 0xFFFD
            out.append(chr(unit))


def decode(data, options=None):
    return Reader(data, options).document()
