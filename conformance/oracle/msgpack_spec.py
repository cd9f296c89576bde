"""MessagePack, written from the specification (spec.md of msgpack/msgpack) and the data model of this project.

Slow and plain: a reader that finds the first fault in data order with its offset and path, a writer of the
shortest form, and every longer form that a reader must take.
"""

import struct

from json_spec import json_text
from model import Ext, Fault, Map, Time, is_int, pairs_of, pointer

NAN = 0x7FF8000000000000


def header(kind, n):
    """All headers for a length or count, the shortest first."""
    out = []
    fix = {"str": (0xA0, 31), "array": (0x90, 15), "map": (0x80, 15)}.get(kind)
    if fix and n <= fix[1]:
        out.append(bytes([fix[0] | n]))
    if kind == "ext" and n in (1, 2, 4, 8, 16):
        out.append(bytes([{1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}[n]]))
    wide = {"str": (0xD9, 0xDA, 0xDB), "bin": (0xC4, 0xC5, 0xC6), "ext": (0xC7, 0xC8, 0xC9), "array": (None, 0xDC, 0xDD), "map": (None, 0xDE, 0xDF)}
    for marker, size in zip(wide[kind], (1, 2, 4)):
        if marker and n < 256**size:
            out.append(bytes([marker]) + n.to_bytes(size, "big"))
    return out


def int_forms(n):
    """All encodings of an integer, the shortest first; non-negative ones prefer the unsigned forms."""
    out = []
    if 0 <= n <= 127 or -32 <= n < 0:
        out.append(bytes([n & 0xFF]))
    for size, unsigned, signed in ((1, 0xCC, 0xD0), (2, 0xCD, 0xD1), (4, 0xCE, 0xD2), (8, 0xCF, 0xD3)):
        if 0 <= n < 256**size:
            out.append(bytes([unsigned]) + n.to_bytes(size, "big"))
        if -(256**size) // 2 <= n < 256**size // 2:
            out.append(bytes([signed]) + n.to_bytes(size, "big", signed=True))
    return out


def time_payloads(t):
    out = []
    if t.nanoseconds == 0 and 0 <= t.seconds < 2**32:
        out.append(t.seconds.to_bytes(4, "big"))
    if 0 <= t.seconds < 2**34:
        out.append((t.nanoseconds << 34 | t.seconds).to_bytes(8, "big"))
    out.append(t.nanoseconds.to_bytes(4, "big") + t.seconds.to_bytes(8, "big", signed=True))
    return out


def float_forms(value):
    out = [b"\xcb" + struct.pack(">Q", NAN) if value != value else b"\xcb" + struct.pack(">d", value)]
    if value == value:
        try:
            single = struct.pack(">f", value)
        except OverflowError:
            return out
        if struct.unpack(">f", single)[0] == value:
            out.append(b"\xca" + single)
    return out


def encode(value, options=None, path=()):
    """The one encoding that samewire writes."""
    o = options or {}
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, Time):
        payload = time_payloads(value)[0]
        return header("ext", len(payload))[0] + b"\xff" + payload
    if isinstance(value, Ext):
        return header("ext", len(value.data))[0] + (value.kind & 0xFF).to_bytes(1, "big") + value.data
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise Fault("integer-out-of-range", None, pointer(path))
        return int_forms(value)[0]
    if isinstance(value, float):
        return float_forms(value)[0]
    if isinstance(value, str):
        data = value.encode()
        return header("str", len(data))[0] + data
    if isinstance(value, bytes):
        return header("bin", len(value))[0] + value
    if isinstance(value, list):
        return header("array", len(value))[0] + b"".join(encode(v, o, (*path, i)) for i, v in enumerate(value))
    entries = []
    for k, v in pairs_of(value):
        if v is None and o.get("omit_null"):
            continue
        if not isinstance(k, str):
            mode = o.get("map_keys", "str")
            if mode == "str":
                raise Fault("map-key-type", None, pointer(path))
            if mode == "stringify":
                k = json_text(k)
        name = k if isinstance(k, str) else json_text(k)
        entries.append((encode(k, o, path), encode(v, o, (*path, name)), k))
    if o.get("canonical"):
        entries.sort(key=lambda e: e[0])
    elif o.get("sort_keys"):
        entries.sort(key=lambda e: e[2].encode())
    return header("map", len(entries))[0] + b"".join(k + v for k, v, _ in entries)


def longer_forms(value):
    """Other encodings of the same value that readers take: the outermost header longer than needed, or a float32."""
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, Time):
        first, *rest = time_payloads(value)
        out = [h + b"\xff" + p for p in (first, *rest) for h in header("ext", len(p))]
        return out[1:]
    if isinstance(value, Ext):
        return [h + (value.kind & 0xFF).to_bytes(1, "big") + value.data for h in header("ext", len(value.data))[1:]]
    if isinstance(value, int):
        return int_forms(value)[1:]
    if isinstance(value, float):
        return float_forms(value)[1:]
    kind = {str: "str", bytes: "bin", list: "array", dict: "map", Map: "map"}[type(value)]
    n = len(value.encode()) if kind == "str" else len(pairs_of(value)) if kind == "map" else len(value)
    body = encode(value, {"map_keys": "any"})[len(header(kind, n)[0]) :]
    return [h + body for h in header(kind, n)[1:]]


class Reader:
    """Reads one value; every fault as the contract names it."""

    def __init__(self, data, options=None):
        self.data, self.at, self.o = data, 0, options or {}
        self.items = self.o.get("max_items")
        self.max_depth = self.o.get("max_depth", 512)
        if len(data) > self.o.get("max_bytes", 256 << 20):
            raise Fault("input-too-large", self.o["max_bytes"], "")

    def document(self):
        self.count(1)
        value = self.value(())
        if self.at < len(self.data):
            raise Fault("trailing-data", self.at, "")
        return value

    def count(self, n):
        if self.items is not None:
            if n > self.items:
                raise Fault("too-many-items")
            self.items -= n

    def take(self, n, path):
        """Bytes of a header or a fixed-size number."""
        if self.at + n > len(self.data):
            raise Fault("truncated", len(self.data), pointer(path))
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, n, path):
        return int.from_bytes(self.take(n, path), "big")

    def payload(self, n, start, path):
        if n > len(self.data) - self.at:
            raise Fault("length-exceeds-input", start, pointer(path))
        self.at += n
        return self.data[self.at - n : self.at]

    def length(self, m, path, base, fix=None):
        """The length of a str, bin, array or map whose first wide marker is `base`."""
        if fix is not None and m & ~fix[1] & 0xFF == fix[0]:
            return m & fix[1]
        return self.number({0: 1, 1: 2, 2: 4}[m - base], path)

    def value(self, path, depth=0, key=False):
        start = self.at
        m = self.take(1, path)[0]
        if m <= 0x7F:
            return m
        if m >= 0xE0:
            return m - 256
        if m == 0xC0:
            return None
        if m in (0xC2, 0xC3):
            return m == 0xC3
        if m == 0xC1:
            raise Fault("invalid-marker", start, pointer(path))
        if 0xCC <= m <= 0xCF:
            return self.number(1 << m - 0xCC, path)
        if 0xD0 <= m <= 0xD3:
            return int.from_bytes(self.take(1 << m - 0xD0, path), "big", signed=True)
        if m == 0xCA:
            return struct.unpack(">f", self.take(4, path))[0]
        if m == 0xCB:
            return struct.unpack(">d", self.take(8, path))[0]
        if 0xA0 <= m <= 0xBF or 0xD9 <= m <= 0xDB:
            return self.text(self.payload(self.length(m, path, 0xD9, (0xA0, 31)), start, path), path)
        if 0xC4 <= m <= 0xC6:
            return self.payload(self.length(m, path, 0xC4), start, path)
        if 0xC7 <= m <= 0xC9 or 0xD4 <= m <= 0xD8:
            n = 1 << m - 0xD4 if m >= 0xD4 else self.number(1 << m - 0xC7, path)
            kind = int.from_bytes(self.take(1, path), "big", signed=True)
            data = self.payload(n, start, path)
            return self.time(data, start, path) if kind == -1 else Ext(kind, data)
        is_map = 0x80 <= m <= 0x8F or m in (0xDE, 0xDF)
        if is_map:
            n = m & 15 if m <= 0x8F else self.number(2 if m == 0xDE else 4, path)
        else:
            n = m & 15 if m <= 0x9F else self.number(2 if m == 0xDC else 4, path)
        if depth >= self.max_depth:
            raise Fault("depth-exceeded", start, pointer(path))
        if n * (2 if is_map else 1) > len(self.data) - self.at:
            raise Fault("length-exceeds-input", start, pointer(path))
        self.count(n)
        if is_map:
            return self.map(n, path, depth)
        return [self.value((*path, i), depth + 1) for i in range(n)]

    def map(self, n, path, depth):
        pairs = []
        mode = self.o.get("map_keys", "str")
        repeat = self.o.get("duplicate_keys", "error")
        for _ in range(n):
            start = self.at
            # A key's faults carry the path of its map: what is inside a key has no place in a path.
            try:
                key = self.value(path, depth + 1)
            except Fault as fault:
                fault.path = pointer(path)
                raise
            if not isinstance(key, str):
                if mode == "str":
                    raise Fault("map-key-type", start, pointer(path))
                if mode == "stringify":
                    key = json_text(key)
            name = key if isinstance(key, str) else json_text(key)
            seen = next((i for i, (k, _) in enumerate(pairs) if exact_key(k) == exact_key(key)), None)
            if seen is not None and repeat == "error":
                raise Fault("duplicate-key", start, pointer((*path, name)))
            value = self.value((*path, name), depth + 1)
            if seen is None:
                pairs.append((key, value))
            elif repeat == "last":
                pairs[seen] = (key, value)
        return dict(pairs) if all(isinstance(k, str) for k, _ in pairs) else Map(pairs)

    def text(self, data, path):
        try:
            return data.decode()
        except UnicodeDecodeError as e:
            mode = self.o.get("invalid_utf8", "error")
            if mode == "replace":
                return data.decode(errors="replace")
            if mode == "bytes":
                return data
            raise Fault("invalid-utf8", self.at - len(data) + e.start, pointer(path)) from None

    def time(self, data, start, path):
        n = int.from_bytes(data, "big")
        if len(data) == 4:
            return Time(n, 0)
        if len(data) == 8:
            t = Time(n & 2**34 - 1, n >> 34)
        elif len(data) == 12:
            t = Time(int.from_bytes(data[4:], "big", signed=True), n >> 64)
        else:
            raise Fault("invalid-timestamp", start, pointer(path))
        if t.nanoseconds > 999_999_999:
            raise Fault("invalid-timestamp", start, pointer(path))
        return t


def exact_key(key):
    return (type(key).__name__, repr(key)) if not is_int(key) else ("int", key)


def decode(data, options=None):
    return Reader(data, options).document()
