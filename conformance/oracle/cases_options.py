"""Each option, the canonical form, and streams."""

from model import Ext, Map, Time

KEYS = ["b", "a", "é", "z", "", "aa", "B", "\U00010000", "\uffff", "10", "2"]


def duplicates(s):
    for mode in ("last", "first"):
        f = "options/duplicate_keys.json"
        o = {"duplicate_keys": mode}
        for name, data in (("twice", "82a16101a16102"), ("thrice", "84a16101a16202a16103a16104"), ("nested", "82a16181a17801a16182a17801a17802"), ("inner", "81a17882a16101a16102"), ("longer-header", "82a16101d9016102"), ("kinds-differ", "83a16191c0a1620aa161c0"), ("none", "82a16101a16202")):
            s.read(f, f"duplicates-{mode}-msgpack-{name}", "msgpack", data, o)
        for name, text in (("twice", '{"a":1,"a":2}'), ("thrice", '{"a":1,"b":2,"a":3,"a":4}'), ("nested", '{"a":{"x":1},"a":{"x":1,"x":2}}'), ("inner", '{"x":{"a":1,"a":2}}'), ("escaped", '{"a":1,"\\u0061":2}'), ("kinds-differ", '{"a":[null],"b":10,"a":null}'), ("none", '{"a":1,"b":2}'), ("many", "{" + ",".join(f'"k{i % 30}":{i}' for i in range(60)) + "}")):
            s.read(f, f"duplicates-{mode}-json-{name}", "json", text, o)
        s.read(f, f"duplicates-{mode}-fault-in-the-loser", "json", '{"a":x,"a":2}' if mode == "last" else '{"a":1,"a":x}', o)
        s.read(f, f"duplicates-{mode}-marker-in-the-loser", "msgpack", "82a161c1a16102" if mode == "last" else "82a16101a161c1", o)


def map_keys(s):
    f = "options/map_keys.json"
    for name, data in (
        ("ints", "83010aff0bcd012c0c"), ("bool-and-nil", "83c001c202c303"), ("negative", "81d1ff7f01"), ("uint64", "81cfffffffffffffffff01"), ("strings-too", "82a1610105 02".replace(" ", "")), ("nested", "81018102a161"), ("in-array", "9281010281a16103"),
    ):
        s.read(f, f"stringify-{name}", "msgpack", data, {"map_keys": "stringify"})
        if name != "bool-and-nil":
            s.read(f, f"any-{name}", "msgpack", data, {"map_keys": "any"})
    s.read(f, "stringify-float", "msgpack", "81cb3ff8000000000000c0", {"map_keys": "stringify"})
    s.read(f, "stringify-makes-a-duplicate", "msgpack", "820101a13102", {"map_keys": "stringify"}, expect=("duplicate-key", 3, "/1"))
    s.read(f, "stringify-makes-a-duplicate-of-widths", "msgpack", "820101cc0102", {"map_keys": "stringify"}, expect=("duplicate-key", 3, "/1"))
    s.read(f, "stringify-duplicate-last", "msgpack", "820101a13102", {"map_keys": "stringify", "duplicate_keys": "last"})
    s.read(f, "any-int-and-its-text-differ", "msgpack", "820101a13102", {"map_keys": "any"})
    s.read(f, "any-duplicate", "msgpack", "8205010502", {"map_keys": "any"}, expect=("duplicate-key", 3, "/5"))
    s.read(f, "any-duplicate-other-width", "msgpack", "820501cc0502", {"map_keys": "any"}, expect=("duplicate-key", 3, "/5"))
    s.read(f, "any-path-through-an-int-key", "msgpack", "8105c1", {"map_keys": "any"}, expect=("invalid-marker", 2, "/5"))
    s.read(f, "any-bin-key", "msgpack", "81c4016101", {"map_keys": "any"}, only=["rust", "python"])
    s.read(f, "json-has-only-strings", "json", '{"1":2}', {"map_keys": "any"}, only=["rust", "python"])
    for name, value in (("ints", Map([(1, "a"), (-5, "b"), (300, "c")])), ("mixed", Map([("a", 1), (2, 2)])), ("big", Map([(2**64 - 1, 1)]))):
        s.value(f, f"write-any-{name}", value, {"map_keys": "any"}, formats=("msgpack",))
        s.value(f, f"write-stringify-{name}", value, {"map_keys": "stringify"}, reads=False)
        s.value(f, f"write-str-{name}", value)


def writing(s):
    f = "options/writing.json"
    value = {k: i for i, k in enumerate(KEYS)}
    nested = {"b": {"d": 1, "c": [{"z": 0, "y": None}]}, "a": None}
    s.value(f, "sort-keys", value, {"sort_keys": True}, reads=False)
    s.value(f, "sort-keys-nested", nested, {"sort_keys": True}, reads=False)
    s.value(f, "sort-keys-empty", {}, {"sort_keys": True})
    s.value(f, "sort-keys-prefixes", {"abc": 1, "ab": 2, "a": 3, "b": 4, "": 5}, {"sort_keys": True}, reads=False)
    s.value(f, "sort-keys-many", {f"k{i * 37 % 101}": i for i in range(101)}, {"sort_keys": True}, reads=False)
    for n in (1, 2, 3, 4, 7, 8):
        s.value(f, f"indent-{n}", {"a": [1, {"b": []}, {}], "c": {"d": None}}, {"indent": n}, formats=("json",))
    s.value(f, "indent-empty-array", [], {"indent": 2}, formats=("json",))
    s.value(f, "indent-empty-map", {}, {"indent": 2}, formats=("json",))
    s.value(f, "indent-scalar", 1, {"indent": 2}, formats=("json",))
    s.value(f, "indent-and-sort", nested, {"indent": 2, "sort_keys": True}, formats=("json",), reads=False)
    s.value(f, "append-newline", [1], {"append_newline": True}, formats=("json",))
    s.value(f, "append-newline-indent", [1], {"append_newline": True, "indent": 2}, formats=("json",))
    s.value(f, "append-newline-leaves-msgpack", [1], {"append_newline": True})
    for i, text in enumerate(("<b>&</b>", "\u2028\u2029", "a<b", "x" * 40 + "<", "</script>", "\u2027\u202a", "é<日>😀&")):
        s.value(f, f"escape-html-{i}", text, {"escape_html": True}, formats=("json",))
    s.value(f, "escape-html-key", {"<k>": "&"}, {"escape_html": True}, formats=("json",))
    s.value(f, "omit-null", {"a": None, "b": 1, "c": {"d": None}, "e": [None]}, {"omit_null": True}, reads=False)
    s.value(f, "omit-null-all", {"a": None, "b": None}, {"omit_null": True}, reads=False)
    s.value(f, "omit-null-top", None, {"omit_null": True})
    s.value(f, "omit-null-sorted", {"b": None, "a": 1, "0": 2}, {"omit_null": True, "sort_keys": True}, reads=False)
    for name, options in {
        "unknown": {"nonfinite": "null"}, "unknown-2": {"max_dept": 1}, "camel-case": {"sortkeys": True}, "value": {"non_finite": "nan"}, "type": {"sort_keys": "yes"}, "indent-9": {"indent": 9}, "indent-minus": {"indent": -1}, "depth-513": {"max_depth": 513}, "depth-minus": {"max_depth": -1}, "duplicate": {"duplicate_keys": "merge"}, "keys": {"map_keys": "int"}, "utf8": {"invalid_utf8": "ignore"}, "surrogates": {"lone_surrogates": "keep"}, "bin": {"bin_json": "hex"}, "canonical": {"canonical": "jcs"}, "items": {"max_items": "many"}, "bytes": {"max_bytes": -1},
    }.items():
        for format, data in (("msgpack", "c0"), ("json", "null")):
            s.add("options/invalid.json", {"name": f"options/invalid-{name}-{format}", "format": format, "input": data, "options": options, "error": {"code": "invalid-option"}})


def canonical(s):
    o = {"canonical": True}
    f = "canonical/values.json"
    value = {k: i for i, k in enumerate(KEYS)}
    s.value(f, "keys", value, o, reads=False, source="RFC 8785 §3.2.3; MessagePack keys by their encoded bytes")
    s.value(f, "rfc-8785-keys", {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\U0001f600": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}, o, reads=False, source="RFC 8785 §3.2.3")
    s.value(f, "rfc-8785-example", {"numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001], "string": '\u20ac$\u000f\nA\'B"\\\\"/', "literals": [None, True, False]}, o, reads=False, source="RFC 8785 §3.2.2")
    s.value(f, "key-lengths-before-bytes", {"b": 1, "aa": 2, "a": 3, "k" * 32: 4, "k" * 31: 5}, o, reads=False, note="a shorter header sorts first")
    s.value(f, "nested", [{"b": {"d": 1, "c": 2}, "a": [{"z": 1, "y": 2}]}], o, reads=False)
    for i, v in enumerate((0.0, -0.0, 1.0, 1.5, 1e21, 1e20, 1e-6, 1e-7, 123456789012345680.0, 5e-324, 1.7976931348623157e308, 9007199254740992.0, 1e23, 0.1, 333333333.3333333, -1e-7, 4.5, 100.0, 9.999999999999997e22, 295147905179352830000.0, 1424953923781206.2)):
        s.value(f, f"number-{i}", v, o, reads=False, source="RFC 8785 appendix B, ECMA-262 Number::toString")
    for n in (0, 1, -1, 2**53 - 1, -(2**53) + 1, 2**53, -(2**53), 2**63, 2**64 - 1, -(2**63)):
        s.value(f, f"int-{n}".replace("--", "-minus-"), [n], o, reads=False)
        s.value(f, f"int-string-{n}".replace("--", "-minus-"), [n], {"canonical": True, "int64": "string"}, formats=("json",), reads=False)
    for name, v in (("nan", float("nan")), ("infinity", float("inf"))):
        s.value(f, name, {"a": v}, o, reads=False)
    s.value(f, "escapes", "\0\x1f\x7f\"\\/\b\f\n\r\t\u2028\u20ac\U0001f600", o, reads=False)
    s.value(f, "bin", b"\0\1", o, reads=False)
    s.value(f, "time", Time(1700000000, 120_000_000), o, reads=False)
    s.value(f, "indent-and-newline-do-not-apply", {"b": 1, "a": [2]}, {"canonical": True, "indent": 2}, reads=False)
    s.value(f, "ext", {"b": Ext(1, b"x"), "a": 1}, o, formats=("msgpack",), reads=False)
    s.value(f, "empty", {}, o)
    s.value(f, "hundred-keys", {f"{i * 7919 % 997}": i for i in range(100)}, o, reads=False)


def streams(s):
    f = "streams/msgpack.json"
    h = bytes.fromhex
    s.stream(f, "empty", "msgpack", b"", [])
    s.stream(f, "one", "msgpack", h("05"), [5])
    s.stream(f, "three", "msgpack", h("05a16191c0"), [5, "a", [None]])
    s.stream(f, "every-width", "msgpack", h("ccffcdffffceffffffffcfffffffffffffffffd080d18000d280000000d38000000000000000"), [255, 65535, 2**32 - 1, 2**64 - 1, -128, -32768, -(2**31), -(2**63)])
    s.stream(f, "floats", "msgpack", h("cb3ff8000000000000ca3fc00000"), [1.5, 1.5])
    s.stream(f, "text-cut-in-a-character", "msgpack", h("a6e697a5e69cacaaf09f9880f09f98806162a0"), ["日本", "😀😀ab", ""])
    s.stream(f, "maps", "msgpack", h("82a16101a16293c0c2c381a163d903616263"), [{"a": 1, "b": [None, False, True]}, {"c": "abc"}])
    s.stream(f, "time-and-ext", "msgpack", h("d7ff1d6f34546553f100c70305010203d6ff00000000"), [Time(1700000000, 123456789), Ext(5, b"\1\2\3"), Time(0)])
    s.stream(f, "bin", "msgpack", h("c403010203c50002ffff"), [b"\1\2\3", b"\xff\xff"])
    s.stream(f, "long-headers", "msgpack", h("dd00000002dc0000df00000001db000000016101"), [[[], {"a": 1}]])
    s.stream(f, "nested", "msgpack", h("92919181a16192a16291010590"), [[[[{"a": ["b", [1]]}]], 5], []])
    s.stream(f, "ends-inside", "msgpack", h("05cd01"), [5], {"code": "truncated", "offset": 3, "path": ""})
    s.stream(f, "ends-inside-array", "msgpack", h("0592a161"), [5], {"code": "truncated", "path": "/1"})
    s.stream(f, "bad-marker", "msgpack", h("05c105"), [5], {"code": "invalid-marker", "offset": 1, "path": ""})
    s.stream(f, "bad-marker-inside", "msgpack", h("0592c0c1"), [5], {"code": "invalid-marker", "offset": 3, "path": "/1"})
    s.stream(f, "bad-text", "msgpack", h("05a2ff61"), [5], {"code": "invalid-utf8", "offset": 2, "path": ""})
    s.stream(f, "duplicate", "msgpack", h("0582a16101a16102"), [5], {"code": "duplicate-key", "offset": 5, "path": "/a"})
    s.stream(f, "claims-more-than-max-bytes", "msgpack", h("05db00001000"), [5], {"code": "input-too-large"}, options={"max_bytes": 64})
    s.stream(f, "many-small", "msgpack", bytes(range(128)), list(range(128)))
    f = "streams/json.json"
    s.stream(f, "json-empty", "json", "", [])
    s.stream(f, "json-one", "json", "5\n", [5])
    s.stream(f, "json-no-last-newline", "json", "5\n6", [5, 6])
    s.stream(f, "json-lines", "json", '{"a":1}\n[2,"x"]\nnull\ntrue\n1.5\n"日本😀"\n', [{"a": 1}, [2, "x"], None, True, 1.5, "日本😀"])
    s.stream(f, "json-crlf", "json", "1\r\n2\r\n", [1, 2])
    s.stream(f, "json-blank-lines", "json", "1\n\n2\n  \n3\n", [1, 2, 3])
    s.stream(f, "json-blanks-around", "json", '  {"a": 1 }  \n\t[ ]\n', [{"a": 1}, []])
    s.stream(f, "json-escapes", "json", '"a\\nb\\u00e9\\ud83d\\ude00"\n"\\\\"\n', ["a\nbé😀", "\\"])
    s.stream(f, "json-numbers", "json", "-0\n1e5\n18446744073709551616\n0.1\n", [-0.0, 1e5, 2**64, 0.1])
    s.stream(f, "json-ends-inside", "json", '1\n{"a":', [1], {"code": "truncated", "path": "/a"})
    s.stream(f, "json-bad-line", "json", "1\n[1,}\n2\n", [1], {"code": "invalid-syntax", "path": "/1"})


def all_cases(s):
    duplicates(s)
    map_keys(s)
    writing(s)
    canonical(s)
    streams(s)
