"""Text, bytes, arrays, maps: headers at each size, Unicode, escapes, and the JSON grammar's accepted side."""

import random

from model import Ext, Time

SPEC = "msgpack spec.md"


def strings(s):
    for n in (0, 1, 2, 30, 31, 32, 33, 63, 64, 127, 128, 254, 255, 256, 257, 511, 512, 513, 1023):
        s.value("str/lengths.json", f"ascii-{n}", "".join(chr(97 + i % 26) for i in range(n)), source=SPEC + ", str format family")
    for n in (15, 16, 17, 127, 128):
        s.value("str/lengths.json", f"two-byte-{n}", "é" * n)
    for n in (10, 11, 85, 86):
        s.value("str/lengths.json", f"three-byte-{n}", "日" * n)
    for n in (7, 8, 63, 64):
        s.value("str/lengths.json", f"four-byte-{n}", "😀" * n)
    for n in (0, 1, 2, 3, 4, 5, 31, 32, 33, 254, 255, 256, 257):
        s.value("bin/lengths.json", f"bytes-{n}", bytes((i * 37 + n) & 255 for i in range(n)), source=SPEC + ", bin format family; RFC 4648 §4")
    s.value("bin/values.json", "all-bytes", bytes(range(256)))
    s.value("bin/values.json", "plus-and-slash", bytes.fromhex("fbefbefbffff"))
    s.value("bin/values.json", "in-map", {"a": b"\0", "b": [b"", b"\xff"]})
    s.value("bin/values.json", "no-bin-in-json", {"a": [b"\0"]}, {"bin_json": "error"}, formats=("json",))
    for data, expect in {
        "a1": ("length-exceeds-input", 0, ""), "a261": ("length-exceeds-input", 0, ""), "d9": ("truncated", 1, ""), "d901": ("length-exceeds-input", 0, ""), "da00": ("truncated", 2, ""), "da0001": ("length-exceeds-input", 0, ""), "db000000": ("truncated", 4, ""), "dbffffffff": ("length-exceeds-input", 0, ""), "db7fffffff61": ("length-exceeds-input", 0, ""),
        "c4": ("truncated", 1, ""), "c401": ("length-exceeds-input", 0, ""), "c500": ("truncated", 2, ""), "c50001": ("length-exceeds-input", 0, ""), "c6000000": ("truncated", 4, ""), "c6ffffffff": ("length-exceeds-input", 0, ""), "c60000000200": ("length-exceeds-input", 0, ""),
        "9201a1": ("length-exceeds-input", 2, "/1"), "9201d9": ("truncated", 3, "/1"), "81a161a1": ("length-exceeds-input", 3, "/a"), "81a161da01": ("truncated", 5, "/a"), "81a261": ("length-exceeds-input", 1, ""), "81d9ff": ("length-exceeds-input", 1, ""),
    }.items():
        s.read("bin/errors.json" if data[0] == "c" else "str/errors.json", f"cut-{data}", "msgpack", data, expect=expect)
    s.read("str/read.json", "bytes-of-a-bin-are-not-text", "msgpack", "92c40161a161")
    s.read("str/read.json", "marker-like-key-is-data", "json", '{"$serde_json::private::Number":"1e3"}', source="serde-rs/json#505")
    s.read("str/read.json", "proto-is-data", "json", '{"__proto__":{"a":1},"constructor":1,"toString":2}')
    s.read("str/read.json", "inherited-names-are-data", "msgpack", "82a8746f537472696e6701a776616c75654f6602", source="protobufjs/protobuf.js#2121")


SAMPLES = {
    "nul": "\0", "nul-inside": "a\0b", "delete": "\x7f", "c1-controls": "\x80\x9f", "nbsp": "\xa0", "latin-1": "äöüÿ", "two-byte-first": "\u0080", "two-byte-last": "\u07ff",
    "three-byte-first": "\u0800", "before-surrogates": "\ud7ff", "after-surrogates": "\ue000", "three-byte-last": "\uffff", "noncharacter-fffe": "\ufffe", "noncharacters-fdd0": "\ufdd0\ufdef",
    "four-byte-first": "\U00010000", "last": "\U0010ffff", "noncharacter-10fffe": "\U0010fffe", "bom-inside": "\ufeffa", "replacement": "\ufffd", "line-separators": "\u2028\u2029",
    "emoji-zwj": "👩‍👩‍👧‍👦", "flags": "🇳🇱🇺🇦", "combining": "e\u0301", "composed": "é", "hangul": "각각", "rtl": "שלום עולם", "arabic": "مرحبا", "cjk": "漢字かな交じり文", "cjk-extension": "𠀀𪜎", "math": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "tag-characters": "a\U000e0061",
    "quote": '"', "backslash": "\\", "slash": "/", "controls": "".join(map(chr, range(32))), "quotes-many": '"\\"\\"' * 20, "html": "<script>&amp;</script>", "long-mixed": "abc\u00e9日😀" * 30, "tab-newline": "a\tb\nc\rd", "ends-with-backslash": "abc\\", "escape-at-16": "a" * 15 + '"' + "b" * 16, "escape-at-32": "a" * 31 + "\n", "escape-at-64": "a" * 63 + "\\" + "b" * 64,
    "ascii-then-wide": "a" * 64 + "é", "ascii-then-emoji": "a" * 33 + "😀", "latin-then-cjk": "é" * 20 + "日", "cjk-then-emoji": "日" * 20 + "😀", "wide-first": "é" + "a" * 70, "every-ascii": "".join(map(chr, range(32, 127))), "percent": "%d%s%n", "digits": "0123456789" * 5,
}


def unicode(s):
    for name, text in SAMPLES.items():
        s.value("unicode/values.json", name, text, accepted=False)
        s.value("unicode/keys.json", "key-" + name, {text: text}, accepted=False)
    for n in range(1, 41):
        s.value("unicode/positions.json", f"wide-after-{n}", "x" * n + "ß" + "y" * (41 - n), accepted=False, formats=("msgpack", "json"))
    escapes = {
        r'"\u0041"': "A", r'"\u00e9"': "é", r'"\u00E9"': "é", r'"\uD83D\uDE00"': "😀", r'"\ud83d\ude00"': "😀", r'"\/"': "/", r'"/"': "/", r'"\b\f\n\r\t\"\\"': '\b\f\n\r\t"\\', r'"\u0000"': "\0",
        r'"\u001f"': "\x1f", r'"\uffff"': "\uffff", r'"\udbff\udfff"': "\U0010ffff", r'"\ud800\udc00"': "\U00010000", r'"a\u0062c"': "abc", r'"\u2028"': "\u2028", '"\u2028"': "\u2028", '"\x7f"': "\x7f", r'"\ufeff"': "\ufeff", r'"\\u0041"': "\\u0041",
    }
    for i, text in enumerate(escapes):
        s.read("unicode/escapes.json", f"escape-{i}", "json", text, source="RFC 8259 §7")
    s.read("unicode/escapes.json", "escaped-key", "json", r'{"\u0061":1,"b\n":2,"\ud83d\ude00":3}')
    s.read("unicode/escapes.json", "escaped-spelling-of-the-same-key", "json", r'{"a":1,"\u0061":2}', expect=("duplicate-key", 7, "/a"), source="keybase/client#423")
    lone = {
        r'"\ud800"': 1, r'"\udbff"': 1, r'"\udc00"': 1, r'"\udfff"': 1, r'"a\ud800b"': 2, r'"\ud800\u0041"': 1, r'"\ud800\n"': 1, r'"\ud800\ud800\udc00"': 1, r'"\udc00\ud800"': 1, r'"\ud83d\ude00\ude00"': 13, r'"\ud800x"': 1, r'"\ud800\\udc00"': 1, r'"\uD800"': 1,
    }
    for i, (text, at) in enumerate(lone.items()):
        s.read("unicode/surrogates.json", f"lone-{i}", "json", text, expect=("lone-surrogate", at, ""))
        s.read("unicode/surrogates.json", f"lone-{i}-replaced", "json", text, {"lone_surrogates": "replace"})
        s.read("unicode/surrogates.json", f"lone-{i}-inside", "json", '{"k":[' + text + "]}", expect=("lone-surrogate", at + 6, "/k/0"))
    s.read("unicode/surrogates.json", "lone-in-key", "json", r'{"a":{"\ud800":1}}', expect=("lone-surrogate", 7, "/a"))
    bad = {
        "80": 0, "bf": 0, "c0af": 0, "c080": 0, "c1bf": 0, "c2": 0, "c328": 0, "e08080": 0, "e09fbf": 0, "e28228": 0, "e282": 0, "eda080": 0, "edbfbf": 0, "f08080af": 0, "f0808080": 0, "f08fbfbf": 0, "f09f98": 0, "f09f9828": 0, "f4908080": 0, "f5808080": 0, "f888808080": 0, "fe": 0, "ff": 0,
        "61ff": 1, "c3a9ff": 2, "e697a5e6": 3, "f09f9880ed": 4, "61c3": 1, "4142c341": 2, "61" * 40 + "ff": 40, "61" * 15 + "e2": 15, "c3a9" * 20 + "80" + "61" * 8: 40, "e697a5" * 12 + "eda080": 36, "61f09f61": 1,
    }
    for data, at in bad.items():
        n = len(data) // 2
        head = f"{0xA0 | n:02x}" if n < 32 else f"d9{n:02x}"
        short = data if n < 9 else f"{data[:8]}-{n}"
        s.read("unicode/invalid.json", f"msgpack-{short}", "msgpack", head + data, expect=("invalid-utf8", len(head) // 2 + at, ""))
        s.read("unicode/invalid.json", f"msgpack-{short}-replaced", "msgpack", head + data, {"invalid_utf8": "replace"}, source="Unicode §3.9, substitution of maximal subparts")
        s.read("unicode/invalid.json", f"msgpack-{short}-bytes", "msgpack", "91" + head + data, {"invalid_utf8": "bytes"})
        s.read("unicode/invalid.json", f"json-{short}", "json", b'["a","' + bytes.fromhex(data) + b'"]', expect=("invalid-utf8", 6 + at, "/1"))
    s.read("unicode/invalid.json", "msgpack-key", "msgpack", "81a16182a16201a2c32801", expect=("invalid-utf8", 8, "/a"))
    s.read("unicode/invalid.json", "json-key", "json", b'{"a":{"b\xff":1}}', expect=("invalid-utf8", 8, "/a"))
    s.read("unicode/invalid.json", "msgpack-second-of-two", "msgpack", "92a161a2ff61", expect=("invalid-utf8", 4, "/1"))


def containers(s):
    for n in (0, 1, 2, 14, 15, 16, 17, 31, 32, 255, 256, 257):
        s.value("array/lengths.json", f"length-{n}", [i % 128 for i in range(n)], source=SPEC + ", array format family")
        s.value("map/lengths.json", f"length-{n}", {f"k{i}": i % 128 for i in range(n)}, source=SPEC + ", map format family")
    s.value("array/values.json", "mixed", [None, True, False, 1, -1, 1.5, "a", [], {}], json_accepted=["[ null , true,false,\t1,-1,1.5e0,\"a\",[ ],{\r\n} ]\n"])
    s.value("array/values.json", "nested", [[], [[]], [[[1]], [2, [3]]]])
    s.value("array/values.json", "floats", [0.5, -0.25, 1e300, 1e-300, 3.75])
    s.value("array/values.json", "whole-floats", [1.0, 2.0, -3.0, 0.0, -0.0])
    s.value("array/values.json", "floats-and-ints", [0.9, 1, 1.1, 2], source="msgpack/msgpack#163")
    s.value("array/values.json", "strings", ["", "a", "bb", "ccc", "a", "a"])
    s.value("array/values.json", "bools", [i % 3 == 0 for i in range(50)])
    s.value("array/values.json", "nulls", [None] * 40)
    s.value("array/values.json", "mixed-ints", [0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**53, 2**63, 2**64 - 1, -1, -32, -33, -128, -129, -32768, -32769, -(2**31), -(2**31) - 1, -(2**63)])
    s.value("array/values.json", "same-shape", [{"id": i, "name": f"n{i}", "ok": i % 2 == 0, "score": i / 4} for i in range(60)], accepted=False)
    s.value("array/values.json", "changing-shapes", [{f"k{j}": j for j in range(i % 7)} for i in range(40)], accepted=False)
    s.value("array/values.json", "same-keys-other-order", [{"a": 1, "b": 2}, {"b": 1, "a": 2}, {"a": 1}, {"b": 1}, {"a": None, "b": None, "c": 1}], accepted=False)
    s.value("map/values.json", "empty-key", {"": 1})
    s.value("map/values.json", "order-kept", {"z": 1, "a": 2, "m": 3, "A": 4})
    s.value("map/values.json", "keys-like-indexes", {"b": 0, "10": 1, "2": 2, "a": 3, "01": 4, "4294967295": 5, "4294967294": 6, "-1": 7})
    s.value("map/values.json", "names-of-objects", {"__proto__": 1, "constructor": {"prototype": 2}, "hasOwnProperty": 3, "toString": 4, "toJSON": 5, "valueOf": 6, "then": 7, "length": 8}, accepted=False)
    s.value("map/values.json", "proto-alone", {"__proto__": {"x": 1}}, accepted=False)
    s.value("map/values.json", "python-names", {"self": 1, "__class__": 2, "class": 3, "None": None}, accepted=False)
    s.value("map/values.json", "dollar-key", {"$int": "5"}, accepted=False, note="data that looks like tagged JSON is data")
    s.value("map/values.json", "dollar-keys", {"$time": "x", "$bin": "y"}, accepted=False)
    s.value("map/values.json", "pointer-characters", {"a/b": {"m~n": [{"": 1}]}}, accepted=False)
    s.value("map/values.json", "long-keys", {"k" * 31: 1, "k" * 32: 2, "k" * 255: 3, "k" * 256: 4}, accepted=False)
    s.value("map/values.json", "keys-that-share-ends", {f"aaaaaaaa{i:03}bbbbbbbb": i for i in range(40)}, accepted=False)
    s.value("map/values.json", "three-hundred-keys", {f"key{i * 7919 % 1000:03}": i for i in range(300)}, accepted=False)
    s.value("map/values.json", "nested", {"a": {"b": {"c": {"d": [1, {"e": {}}]}}}})
    s.value("map/values.json", "every-kind", {"null": None, "bool": True, "int": 1, "big": 2**64 - 1, "float": 1.5, "str": "x", "bin": b"\1", "array": [1], "map": {"a": 1}, "time": Time(1700000000, 1)}, accepted=False)
    s.value("map/values.json", "ext-has-no-text", {"a": [0, Ext(1, b"x")]}, accepted=False)
    s.value("map/values.json", "scalars-null", None)
    s.value("map/values.json", "scalars-true", True)
    s.value("map/values.json", "scalars-false", False, json_accepted=[" false", "false ", "\n\tfalse\r\n"])
    rng = random.Random(5)

    def tree(depth):
        kind = rng.randrange(10 if depth else 7)
        if kind < 7:
            return [None, rng.random() < 0.5, rng.randrange(-(2**63), 2**64) >> rng.randrange(64), round(rng.uniform(-1e4, 1e4), 3) + 0.0005, "".join(rng.choice("abcé日😀\"\\\n0 ") for _ in range(rng.randrange(12))), rng.randbytes(rng.randrange(6)), rng.randrange(-40, 200)][kind]
        if kind < 9:
            return {f"{rng.choice('abcdef')}{i}": tree(depth - 1) for i in range(rng.randrange(6))}
        return [tree(depth - 1) for _ in range(rng.randrange(6))]

    for i in range(60):
        value = tree(4)
        while not isinstance(value, (dict, list)):
            value = tree(4)
        s.value("map/trees.json", f"tree-{i}", value, accepted=False)


def all_cases(s):
    strings(s)
    unicode(s)
    containers(s)
