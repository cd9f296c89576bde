"""Inputs that must be refused: each with the author's own answer for code, offset and path, checked against the
oracle's readers."""

import re

from model import tagged

DEEP = 512


def msgpack(s):
    def bad(data, *expect, options=None, name=None, **extra):
        s.read("errors/msgpack.json", f"msgpack-{name or data}", "msgpack", data.replace(" ", ""), options, expect=expect, **extra)

    bad("", "truncated", 0, "", name="empty")
    bad("c1", "invalid-marker", 0, "")
    bad("92c0c1", "invalid-marker", 2, "/1")
    bad("81a16bc1", "invalid-marker", 3, "/k")
    bad("81c101", "invalid-marker", 1, "")
    bad("9191c1", "invalid-marker", 2, "/0/0")
    bad("c0c0", "trailing-data", 1, "")
    bad("00c1", "trailing-data", 1, "", name="trailing-byte-that-begins-nothing")
    bad("9000", "trailing-data", 1, "")
    bad("810000", "map-key-type", 1, "")
    bad("81a16100ff", "trailing-data", 4, "")
    bad("cb3ff000000000000000", "trailing-data", 9, "")
    for marker, size in (("cc", 1), ("cd", 2), ("ce", 4), ("cf", 8), ("d0", 1), ("d1", 2), ("d2", 4), ("d3", 8), ("ca", 4), ("cb", 8)):
        for have in {0, 1, size // 2, size - 1} - {size}:
            if have < size:
                bad(marker + "01" * have, "truncated", 1 + have, "", name=f"number-{marker}-with-{have}-of-{size}")
        bad("92 01" + marker + "01" * (size - 1), "truncated", 2 + size, "/1", name=f"number-{marker}-cut-in-array")
        bad("81a161" + marker + "01" * (size - 1), "truncated", 3 + size, "/a", name=f"number-{marker}-cut-in-map")
    bad("9201cd", "truncated", 3, "/1")
    bad("929101", "truncated", 3, "/1")
    bad("9391019100", "truncated", 5, "/2")
    bad("9201", "length-exceeds-input", 0, "")
    bad("91", "length-exceeds-input", 0, "")
    bad("9f", "length-exceeds-input", 0, "")
    bad("81", "length-exceeds-input", 0, "")
    bad("81a0", "length-exceeds-input", 0, "")
    bad("81a161", "truncated", 3, "/a")
    bad("82a16101", "length-exceeds-input", 0, "")
    bad("82a161a3414243", "truncated", 7, "", name="second-key-missing")
    bad("8281a0", "length-exceeds-input", 0, "", name="map-of-two-in-two-bytes")
    bad("9181", "length-exceeds-input", 1, "/0")
    bad("92dd00000005c0", "length-exceeds-input", 1, "/0")
    bad("81a16bdf00000005c0", "length-exceeds-input", 3, "/k")
    bad("dc", "truncated", 1, "")
    bad("dc00", "truncated", 2, "")
    bad("dd000000", "truncated", 4, "")
    bad("de00", "truncated", 2, "")
    bad("df000000", "truncated", 4, "")
    bad("dc0001", "length-exceeds-input", 0, "")
    bad("dd00000001", "length-exceeds-input", 0, "")
    bad("de0001", "length-exceeds-input", 0, "")
    bad("df0000000101", "length-exceeds-input", 0, "")
    for claim in ("00010000", "04000000", "7fffffff", "80000000", "ffffffff"):
        for marker in ("dd", "df", "db", "c6"):
            bad(marker + claim + "c0c0c0", "length-exceeds-input", 0, "", name=f"{marker}-claims-{claim}", source="Go peers die of this: they allocate what the header claims")
            bad("92c0" + marker + claim + "c0", "length-exceeds-input", 2, "/1", name=f"{marker}-claims-{claim}-inside")
        bad("c9" + claim + "05c0c0", "length-exceeds-input", 0, "", name=f"c9-claims-{claim}")
    bad("dcffff" + "dcffff" * 3, "length-exceeds-input", 0, "", name="claims-in-claims")
    bad("9392939192", "length-exceeds-input", 2, "/0/0", name="nested-claims")
    # Keys.
    bad("8101c0", "map-key-type", 1, "")
    bad("81c0c0", "map-key-type", 1, "", name="key-nil")
    bad("81c301", "map-key-type", 1, "", name="key-true")
    bad("81cb3ff000000000000001", "map-key-type", 1, "", name="key-float")
    bad("81c4016101", "map-key-type", 1, "", name="key-bin")
    bad("81d6ff0000000101", "map-key-type", 1, "", name="key-time")
    bad("81d4010001", "map-key-type", 1, "", name="key-ext")
    bad("82a161010202", "map-key-type", 4, "", name="second-key-int")
    bad("81a16181ff01", "map-key-type", 4, "/a", name="inner-key-int")
    bad("91 81 a161 91 81 05 05", "map-key-type", 6, "/0/a/0", name="deep-key-int")
    bad("82a16101a16102", "duplicate-key", 4, "/a", source="keybase/client#423")
    bad("82a16101d9016102", "duplicate-key", 4, "/a", name="same-key-longer-header")
    bad("82a001a002", "duplicate-key", 3, "/", name="empty-key-twice")
    bad("83a16101a16202a16103", "duplicate-key", 7, "/a", name="not-next-to-each-other")
    bad("91 82 a3612f62 01 a3612f62 02", "duplicate-key", 7, "/0/a~1b", name="pointer-escapes")
    bad("82a17e01a17e02", "duplicate-key", 4, "/~0", name="pointer-tilde")
    bad("81a17882a16101a16102", "duplicate-key", 7, "/x/a", name="inner-duplicate")
    bad("82a16101a161c1", "duplicate-key", 4, "/a", name="duplicate-before-the-fault-in-its-value")
    bad("82a161c1a16102", "invalid-marker", 3, "/a", name="fault-before-the-duplicate")
    many = "".join(f"a3{ord('k'):02x}{a:02x}{b:02x}01" for a in range(48, 58) for b in range(48, 58))
    bad(f"de0065{many}a36b353301", "duplicate-key", 3 + 500, "/k53", name="hundred-keys-then-one-again")
    # Inside keys that are not text: the byte of the fault, and the path of the map.
    for keys in ("stringify", "any"):
        o = {"map_keys": keys}
        bad("8181a1e9", "invalid-utf8", 3, "", options=o, name=f"text-in-a-key-{keys}")
        bad("81a16d8191a2e961c0", "invalid-utf8", 6, "/m", options=o, name=f"text-in-an-inner-key-{keys}")
        bad("de000181a164", "truncated", 6, "", options=o, name=f"end-in-a-key-{keys}")
        bad("819191", "length-exceeds-input", 2, "", options=o, name=f"claim-in-a-key-{keys}")
        bad("91819281a16b9101c1", "invalid-marker", 8, "/0", options=o, name=f"marker-in-a-key-{keys}")
        bad("818182a16101a16102c0", "duplicate-key", 6, "", options=o, name=f"duplicate-in-a-key-{keys}")
    # Which fault is first.
    bad("93c1a1ffc1", "invalid-marker", 1, "/0", name="first-of-two")
    bad("92a1ffc1", "invalid-utf8", 2, "/0", name="text-before-marker")
    bad("92c700ffc1", "invalid-timestamp", 1, "/0", name="time-before-marker")
    # Depth.
    bad("91" * (DEEP + 1) + "c0", "depth-exceeded", DEEP, "/0" * DEEP, name="arrays-513")
    bad("81a161" * (DEEP + 1) + "c0", "depth-exceeded", DEEP * 3, "/a" * DEEP, name="maps-513")
    bad("91" * 100000 + "c0", "depth-exceeded", DEEP, "/0" * DEEP, name="arrays-100000")
    bad("91" * DEEP + "90", "depth-exceeded", DEEP, "/0" * DEEP, name="empty-array-at-513")
    bad("90", "depth-exceeded", 0, "", options={"max_depth": 0}, name="depth-0-array")
    bad("80", "depth-exceeded", 0, "", options={"max_depth": 0}, name="depth-0-map")
    bad("9190", "depth-exceeded", 1, "/0", options={"max_depth": 1}, name="depth-1")
    bad("81a16180", "depth-exceeded", 3, "/a", options={"max_depth": 1}, name="depth-1-map")
    bad("93010291c0", "depth-exceeded", 3, "/2", options={"max_depth": 1}, name="depth-1-third")
    # Size.
    bad("93010203", "input-too-large", 3, "", options={"max_bytes": 3}, name="bytes-3")
    bad("c1c1", "input-too-large", 1, "", options={"max_bytes": 1}, name="size-before-anything-else")
    bad("00", "input-too-large", 0, "", options={"max_bytes": 0}, name="bytes-0")
    for data, n in (("93010203", 3), ("92010203"[:6], 2), ("9291019101", 4), ("81a16101", 1), ("82a16101a16202", 2), ("00", 0), ("dc0003c0c0c0", 3)):
        bad(data, "too-many-items", options={"max_items": n}, name=f"items-{data}-{n}")


def json(s):
    seen = {}

    def bad(text, *expect, options=None, name=None, **extra):
        shown = name or re.sub(r"[^A-Za-z0-9.+\-]+", "_", text if isinstance(text, str) else text.decode("latin-1"))[:30].strip("_") or "x"
        seen[shown] = seen.get(shown, 0) + 1
        shown = shown if seen[shown] == 1 else f"{shown}.{seen[shown]}"
        s.read("errors/json.json", f"json-{shown}", "json", text, options, expect=expect, **extra)

    bad("", "truncated", 0, "", name="empty")
    bad(" \n\t ", "truncated", 4, "", name="blanks")
    for text, at, path in (
        ("[", 1, ""), ("[1", 2, ""), ("[1,", 3, "/1"), ("[1, ", 4, "/1"), ("[[", 2, "/0"), ("[[1]", 4, ""), ("[[1],", 5, "/1"), ("{", 1, ""), ('{"', 2, ""), ('{"a', 3, ""), ('{"a"', 4, "/a"), ('{"a" ', 5, "/a"), ('{"a":', 5, "/a"), ('{"a": ', 6, "/a"),
        ('{"a":1', 6, ""), ('{"a":1 ', 7, ""), ('{"a":1,', 7, ""), ('{"a":1,"b', 9, ""), ('{"a":1,"b":', 11, "/b"), ('{"a":[', 6, "/a"), ('{"a":{"b":', 10, "/a/b"), ('{"a":{"b":1', 11, "/a"), ('[{"a":"x', 8, "/0/a"), ('{"a\\', 4, ""), ('{"a\\u00', 7, ""),
        ('"', 1, ""), ('"abc', 4, ""), ('"abc\\', 5, ""), ('"abc\\u', 6, ""), ('"abc\\u1', 7, ""), ('"abc\\u12', 8, ""), ('"abc\\u123', 9, ""), ('["a', 3, "/0"), ('["a",', 5, "/1"), ('["a","', 6, "/1"),
        ("t", 1, ""), ("tr", 2, ""), ("tru", 3, ""), ("f", 1, ""), ("fals", 4, ""), ("n", 1, ""), ("nul", 3, ""), ("[nul", 4, "/0"), ("[true,fal", 9, "/1"), ("-", 1, ""), ("1.", 2, ""), ("1e", 2, ""), ("1E+", 3, ""), ("1.5e-", 5, ""), ("[-", 2, "/0"), ("[1.", 3, "/0"), ('{"a":-', 6, "/a"), ("10.", 3, ""), ("-0.", 3, ""), ("0e", 2, ""),
    ):
        bad(text, "truncated", at, path, source="json-iterator/go#136" if text == "10." else "RFC 8259")
    for text, at, path in (
        ("]", 0, ""), ("}", 0, ""), (",", 0, ""), (":", 0, ""), ("[,1]", 1, "/0"), ("[1,]", 3, "/1"), ("[1,,2]", 3, "/1"), ("[1 2]", 3, ""), ("[1;2]", 2, ""), ('[1"a"]', 2, ""), ("[1:2]", 2, ""), ("[1}", 2, ""), ("{]", 1, ""), ("{,}", 1, ""), ('{"a":1,}', 7, ""), ('{"a":1,,}', 7, ""), ('{"a":1 "b":2}', 7, ""), ('{"a" 1}', 5, ""), ('{"a",1}', 4, ""), ('{"a"}', 4, ""), ('{"a"::1}', 5, "/a"), ('{"a":}', 5, "/a"), ('{"a":,}', 5, "/a"), ("{a:1}", 1, ""), ("{'a':1}", 1, ""), ("{1:1}", 1, ""), ("{null:1}", 1, ""), ("{[]:1}", 1, ""), ('{"a":1]', 6, ""), ('{"a":1;"b":2}', 6, ""),
        ("True", 0, ""), ("TRUE", 0, ""), ("trUe", 2, ""), ("nulL", 3, ""), ("nil", 1, ""), ("none", 1, ""), ("undefined", 0, ""), ("NaN", 0, ""), ("-NaN", 1, ""), ("Infinity", 0, ""), ("-Infinity", 1, ""), ("inf", 0, ""), ("[trux]", 4, "/0"), ("[fa1se]", 3, "/0"),
        ("+1", 0, ""), (".5", 0, ""), ("-.5", 1, ""), ("1.e3", 2, ""), ("1.x", 2, ""), ("1ex", 2, ""), ("1e+x", 3, ""), ("1e--1", 3, ""), ("--1", 1, ""), ("-x", 1, ""), ("- 1", 1, ""), ("[-]", 2, "/0"), ("[1.]", 3, "/0"), ("[1e]", 3, "/0"), ("[-,1]", 2, "/0"), ("[1e+]", 4, "/0"), ("[.1]", 1, "/0"), ("[1.5.5]", 4, ""), ("[1e5e5]", 4, ""), ("[1-2]", 2, ""), ("[0x10]", 2, ""), ("[1_000]", 2, ""), ("[١]", 1, "/0"),
        ("[1/*c*/]", 2, ""), ("// c\n1", 0, ""), ("/* c */1", 0, ""), ("#1", 0, ""), ("'a'", 0, ""), ("`a`", 0, ""), ("[\f1]", 1, "/0"), ("\v1", 0, ""), ("\u00a01", 0, ""), ("\ufeff1", 0, ""), ("[\ufeff1]", 1, "/0"), ("\u2028", 0, ""), ("<a>", 0, ""), ("*", 0, ""), ("(1)", 0, ""),
        ('"a\nb"', 2, ""), ('"\t"', 1, ""), ('"\x1f"', 1, ""), ('["ok","\r"]', 7, "/1"), ('{"a\n":1}', 3, ""), ('{"a":"\n"}', 6, "/a"), (r'"\x41"', 2, ""), (r'"\a"', 2, ""), (r'"\u12g4"', 5, ""), (r'"\uxyzw"', 3, ""), (r'"\u 123"', 3, ""), (r'"\U0041"', 2, ""), (r'"\0"', 2, ""), ('"\\\n"', 2, ""), (r'"\u00"', 5, ""), (r'["a\q"]', 4, "/0"), (r'{"\q":1}', 3, ""), (r'"\'"', 2, ""),
    ):
        bad(text, "invalid-syntax", at, path, source="sonic#814" if text == "[-]" else "RFC 8259")
    bad(b"[\xff]", "invalid-syntax", 1, "/0", name="byte-ff")
    bad(b"\x00", "invalid-syntax", 0, "", name="nul")
    bad(b"[1\x00]", "invalid-syntax", 2, "", name="nul-for-comma")
    bad(b'"a\x00b"', "invalid-syntax", 2, "", name="nul-in-string")
    bad(b"\xff\xfe1\x00", "invalid-syntax", 0, "", name="utf-16-le")
    bad(b"\xef\xbb\xbf{}", "invalid-syntax", 0, "", name="bom")
    for text, at in (("1 2", 2), ("{} x", 3), ("[]]", 2), ("null null", 5), ("1,", 1), ('"a""b"', 3), ("{}{}", 2), ("1 // c", 2), ("truetrue", 4), ("nullx", 4), ("[] \n\t[", 5), ("1]", 1), ("{}}", 2), ('"a":1', 3)):
        bad(text, "trailing-data", at, "")
    bad(b"1\x00", "trailing-data", 1, "", name="nul-after")
    for text, at, path in (('{"a":1,"a":2}', 7, "/a"), ('{"":1,"":2}', 6, "/"), ('{"a":1,"b":2,"a":3}', 13, "/a"), ('{"x":{"a":1,"a":2}}', 12, "/x/a"), ('[{"a/b":1,"a/b":2}]', 10, "/0/a~1b"), ('{"~":1,"~":2}', 7, "/~0"), ('{ "a" : 1 , "a" : 2 }', 12, "/a"), ('{"a":1,"a":x}', 7, "/a"), ('{"\\n":1,"\\u000a":2}', 8, "/\n"), ('{"é":1,"\\u00e9":2}', 8, "/é")):
        bad(text, "duplicate-key", at, path)
    bad('{"a":x,"a":1}', "invalid-syntax", 5, "/a", name="fault-before-the-duplicate")
    bad("[" * (DEEP + 1), "depth-exceeded", DEEP, "/0" * DEEP, name="arrays-513")
    bad("[" * 100000, "depth-exceeded", DEEP, "/0" * DEEP, name="arrays-100000")
    bad('{"a":' * (DEEP + 1) + "1", "depth-exceeded", DEEP * 5, "/a" * DEEP, name="maps-513")
    bad("[" * DEEP + "[]" + "]" * DEEP, "depth-exceeded", DEEP, "/0" * DEEP, name="empty-array-at-513")
    bad("[]", "depth-exceeded", 0, "", options={"max_depth": 0}, name="depth-0-array")
    bad(" {}", "depth-exceeded", 1, "", options={"max_depth": 0}, name="depth-0-map")
    bad("[1,[]]", "depth-exceeded", 3, "/1", options={"max_depth": 1}, name="depth-1")
    bad('{"a":{}}', "depth-exceeded", 5, "/a", options={"max_depth": 1}, name="depth-1-map")
    bad("[1,2,3]", "input-too-large", 6, "", options={"max_bytes": 6}, name="bytes-6")
    bad("xyz", "input-too-large", 2, "", options={"max_bytes": 2}, name="size-before-anything-else")
    for text, n in (("[1,2,3]", 3), ("[1,2]", 2), ("[[1],[1]]", 4), ('{"a":1}', 1), ('{"a":1,"b":2}', 2), ("0", 0)):
        bad(text, "too-many-items", options={"max_items": n}, name=f"items-{n}-{len(text)}")
    bad('{"a":[1,{"b":[0,tru]}]}', "invalid-syntax", 19, "/a/1/b/1", name="deep-path")
    bad('{"a":[1,{"b":[0,1e999]}]}', "number-out-of-range", 16, "/a/1/b/1", name="deep-path-number")
    bad('{"a b":{"c\\"d":[nope]}}', "invalid-syntax", 17, '/a b/c"d/0', name="keys-with-quotes")


def limits(s):
    """The other side of each boundary."""
    for n in (1, 2, 100, 511, 512):
        s.read("limits/depth.json", f"msgpack-arrays-{n}", "msgpack", "91" * (n - 1) + "90")
        s.read("limits/depth.json", f"msgpack-maps-{n}", "msgpack", "81a161" * (n - 1) + "80")
        s.read("limits/depth.json", f"json-arrays-{n}", "json", "[" * n + "]" * n)
        s.read("limits/depth.json", f"json-maps-{n}", "json", '{"a":' * (n - 1) + "{}" + "}" * (n - 1))
        s.read("limits/depth.json", f"msgpack-arrays-{n}-with-that-limit", "msgpack", "91" * (n - 1) + "90", {"max_depth": n})
        s.read("limits/depth.json", f"json-arrays-{n}-with-that-limit", "json", "[" * n + "]" * n, {"max_depth": n})
        if n > 1:
            s.read("limits/depth.json", f"msgpack-arrays-{n}-with-one-less", "msgpack", "91" * (n - 1) + "90", {"max_depth": n - 1}, expect=("depth-exceeded", n - 1, "/0" * (n - 1)))
            s.read("limits/depth.json", f"json-arrays-{n}-with-one-less", "json", "[" * n + "]" * n, {"max_depth": n - 1}, expect=("depth-exceeded", n - 1, "/0" * (n - 1)))
    s.read("limits/depth.json", "msgpack-scalar-at-0", "msgpack", "05", {"max_depth": 0})
    s.read("limits/depth.json", "json-scalar-at-0", "json", '"a"', {"max_depth": 0})
    s.read("limits/size.json", "msgpack-exactly", "msgpack", "93010203", {"max_bytes": 4})
    s.read("limits/size.json", "json-exactly", "json", "[1,2,3]", {"max_bytes": 7})
    s.read("limits/size.json", "json-blanks-count", "json", "[1] ", {"max_bytes": 3}, expect=("input-too-large", 3, ""))
    for data, n in (("93010203", 4), ("9291019101", 5), ("81a16101", 2), ("82a16101a16202", 3), ("00", 1)):
        s.read("limits/items.json", f"msgpack-{data}", "msgpack", data, {"max_items": n})
    for text, n in (("[1,2,3]", 4), ("[[1],[1]]", 5), ('{"a":1}', 2), ('{"a":1,"b":2}', 3), ("0", 1)):
        s.read("limits/items.json", f"json-{n}-{len(text)}", "json", text, {"max_items": n})
    deep = None
    for _ in range(DEEP):
        deep = [deep]
    s.value("limits/depth.json", "write-512", deep, accepted=False)
    s.add("limits/depth.json", {"name": "limits/write-513", "value": [tagged(deep)], "msgpack_error": {"code": "depth-exceeded"}, "json_error": {"code": "depth-exceeded"}})


def all_cases(s):
    msgpack(s)
    json(s)
    limits(s)
