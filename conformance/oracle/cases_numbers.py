"""Integers, floats, times and extensions: every boundary with its neighbours."""

import random
import struct

import json_spec
from model import Ext, Time, from_bits

SPEC = "msgpack spec.md"


def integers(s):
    edges = {0, 1, 31, 32, 33, 63, 64, 100, 127, 128, 129, 255, 256, 257}
    for power in (7, 8, 15, 16, 24, 31, 32, 40, 48, 53, 62, 63, 64):
        edges |= {2**power - 1, 2**power, 2**power + 1}
    for power in range(2, 21):
        edges |= {10**power - 1, 10**power}
    edges |= {9223372036854775807, 18446744073709551615, 19500000000000000001, 99999999999999999999}
    edges |= {-n for n in edges}
    for n in sorted(edges):
        name = f"{'minus-' if n < 0 else ''}{abs(n)}"
        s.value("int/edges.json", name, n, source=SPEC + ", int format family; RFC 8259 §6")
    rng = random.Random(1)
    for i in range(30):
        n = rng.randrange(-(2**63), 2**64) >> rng.randrange(0, 60)
        s.value("int/mixed.json", f"random-{i}", n)
    for _, digits in enumerate((21, 25, 40, 100, 400)):
        n = rng.randrange(10 ** (digits - 1), 10**digits)
        s.value("int/big.json", f"big-{digits}-digits", n)
        s.value("int/big.json", f"big-minus-{digits}-digits", -n)
    s.value("int/big.json", "array-with-big", [1, 2**64, -(2**63) - 1], source="the path of the first one that does not fit")
    s.value("int/big.json", "map-with-big", {"a": {"b/c": [0, 10**30]}})
    s.read("int/read.json", "int64-bits-of-a-signalling-nan", "msgpack", "9200d3fff7ffffffffffff", source="msgpack/msgpack-c#37")
    s.read("int/read.json", "same-value-three-widths", "msgpack", "93cf0000000000000001cd0001d30000000000000001", source="kriszyp/msgpackr#78")
    s.read("int/read.json", "forty-two-four-widths", "msgpack", "942acc2ace0000002acf000000000000002a", source="napi-rs/napi-rs#1478")
    s.read("int/read.json", "unsigned-for-signed", "msgpack", "93ccffd07fd0ff", source="tinylib/msgp#134")
    for n in (9007199254740991, 9007199254740992, 9007199254740993, -9007199254740993, 18446744073709551615, 18446744073709551616):
        s.read("int/read.json", f"json-in-array-{n}".replace("--", "-minus-"), "json", f"[{n},{{\"n\":{n}}}]", source="dbuenzli/jsont#18")


def float_values():
    yield from (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 0.1, 0.2, 0.3, 1 / 3, 100.0, 1e2, 123456.0, 3.141592653589793, 2.718281828459045)
    yield from (9007199254740991.0, 9007199254740992.0, 9007199254740994.0, -9007199254740992.0, 4503599627370496.5, 4503599627370497.5)
    yield from (10.0**e for e in range(-8, 24))
    yield from (float(f"1.5e{e}") for e in (-7, -6, -5, -4, -3, 14, 15, 16, 17, 20, 21, 22, 100, -100, 300, -300))
    yield from (5e-324, 1e-323, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308)
    yield from (1.7976931348623155e308, 4.9406564584124654e-324, 1e-310, 1.25e-7, 1.2999999523162842, 6.0328868632295236)
    yield from (9.5367431640625e-07, 1.1920928955078125e-07, 333333333.33333329, 1e23, 8.41e21, 9.409340012568248e18, 2.0**70, 2.0**-70)
    yield from (16777216.0, 16777217.0, 3.4028234663852886e38, 3.4028235677973366e38, 1.401298464324817e-45, 1.1754943508222875e-38)
    yield from (1680380568.094729, 0.09999999999999999, 0.30000000000000004, 1.7976931348623157e300, 123456789.123456789, 5.0e-5, 12345678901234567000.0)
    for e in (1, 51, 52, 53, 62, 63, 64, 127, 128, 1023, -1, -126, -127, -149, -1021, -1022, -1023, -1074):
        yield 2.0**e


def floats(s):
    seen = set()
    for v in float_values():
        text = json_spec.float_text(v)
        if text in seen:
            continue
        seen.add(text)
        more = []
        if v == 1.0:
            more = ["1e0", "10E-1", "1.000000000000000000000000", "0.1e1", "100e-2", "1E+0"]
        elif v == 0.0 and text == "-0.0":
            more = ["-0", "-0e0", "-0.000", "-0E+5", "-1e-400"]
        elif v == 0.0:
            more = ["0e0", "0E5", "0.00", "0e999999999999", "1e-400", "0.0e-99999999999999999999"]
        elif abs(v) > 1e15:
            more = [repr(v) if "e" in repr(v) else repr(v) + "e0", f"{v:.25e}"]
        elif v == 0.1:
            more = ["1e-1", "0.1000000000000000055511151231257827021181583404541015625", "0.10000000000000000"]
        s.value("float/values.json", "value-" + text.replace("-", "minus", 1) if text[0] == "-" else "value-" + text, v, json_accepted=more)
    for name, v in (("nan", float("nan")), ("infinity", float("inf")), ("minus-infinity", float("-inf"))):
        s.value("float/non_finite.json", name, v)
        s.value("float/non_finite.json", f"{name}-in-map", {"a": [1, v]})
        for mode in ("null", "string"):
            s.value("float/non_finite.json", f"{name}-{mode}", [v], {"non_finite": mode}, formats=("json",), reads=False)
    for i, payload in enumerate((0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF)):
        s.read("float/non_finite.json", f"nan-payload-{i}", "msgpack", f"cb{payload:016x}", note="any NaN that is read is a NaN; it is written as 7ff8000000000000")
    for single in ("7fc00000", "7f800001", "ffffffff", "7f800000", "ff800000", "00000001", "80000000", "3fa66666", "7f7fffff", "00800000", "007fffff", "3dcccccd", "4b800001"):
        s.read("float/single.json", f"float32-{single}", "msgpack", "ca" + single, source="MessagePack-CSharp/MessagePack-CSharp#1675")
    rng = random.Random(2)
    for i in range(60):
        v = from_bits(rng.getrandbits(64))
        while v != v or abs(v) == float("inf"):
            v = from_bits(rng.getrandbits(64))
        s.value("float/random.json", f"bits-{i}", v)
    for i in range(40):
        v = round(rng.uniform(-1e6, 1e6), rng.randrange(0, 7))
        s.value("float/random.json", f"short-{i}", v)


HALFWAY = """9007199254740993.0 9007199254740995.0 9007199254740992.99999999999999999999 9007199254740993.00000000000000000001
4503599627370496.25 4503599627370496.75 1.00000000000000011102230246251565404236316680908203125 1.00000000000000011102230246251565404236316680908203124
1.00000000000000011102230246251565404236316680908203126 2.4703282292062327e-324 2.4703282292062328e-324 2.47e-324 2.48e-324 7.4109846876186981626485318930233205854758970392148714663837852375101326090531312779794975454245398856969484704316857659638998506553390969459816219401617281718945106978546710679176872575177347315553307795408549809608457500958111373034747658096871009590975442271004757307809711118935784838675653998783503015228055934046593739791790738723868299395818481660169122019456499931289798411362062484498678713572180352209017023903285791732520220528974020802906854021606612375549983402671300035812486479041385743401875520901590172592547146296175134159774938718574737870961645638908718119841271673056017045493004705269590165763776884908267986972573366521765567941072508764337560846003984904972149117463085539556354188641513168478436313080237596295773983001708984374999
1.7976931348623158e308 1.797693134862315807e308 17976931348623157e292 179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558632766878171540458953514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236903222948165808559332123347747979e-1
0.000000000000000000000000000000000000000000000000000000000000000000000000000001e77 123456789012345678901234567890e-10 1e22 1e23 1.0e23 10000000000000000000000.0 100000000000000000000000.0
2.2250738585072011e-308 2.2250738585072012e-308 2.225073858507201136057409796709131975934819546351645648023426109724822222021076945516529523908135087914149158913039621106870086438694594645527657207407820621743379988141063267329253552286881372149012981122451451889849057222307285255133155755015914397476397983411801999323962548289017107081850690630666655994938275772572015763062690663332647565300009245888316433037779791869612049497390377829704905051080609940730262937128958950003583799967207254304360284078895771796150945516748243471030702609144621572289880258182545180325707018860872113128079512233426288368622321503775666622503982534335974568884423900265498198385487948292206894721689831099698365846814022854243330660339850886445804001034933970427567186443383770486037861622771738545623065874679014086723327636718751234567890123456789012345678901e-308
9223372036854775808.0 18446744073709551616.0 1.5e1 15e-1 0.15e+2 1500E-2 1e-5 1e-05 1E+05 1e005 -1.5 -0.0 -1e-7
6.02214076e23 1.602176634e-19 299792458.0 6.62607015e-34 8.98846567431158e307 4.4501477170144023e-308 3.5844466002796428e298 1e-324""".split()


def float_reading(s):
    for i, text in enumerate(HALFWAY):
        s.read("float/reading.json", f"literal-{i}-{text[:24]}", "json", text, source="correct rounding, half to even (IEEE 754 §4.3.1)")
    over = ("1e309", "1e400", "-1e400", "1.7976931348623159e308", "1.797693134862315808e308", "1e99999999999999999999", "9" * 310 + ".0", "123e307", "-1.8e308", "0.001e312")
    for i, text in enumerate(over):
        s.read("float/reading.json", f"beyond-{i}", "json", text, expect=("number-out-of-range", 0, ""))
        s.read("float/reading.json", f"beyond-{i}-inside", "json", '{"a":[1, ' + text + ",2]}", expect=("number-out-of-range", 9, "/a/1"))
    rng = random.Random(3)
    for i in range(60):
        # Exactly between two neighbours, and one digit to either side of that.
        b = rng.randrange(1, 0x7FE0000000000000) if i % 3 else rng.randrange(1, 0x0010000000000000)
        if i % 2:
            b = struct.unpack(">Q", struct.pack(">d", rng.uniform(1e-3, 1e9)))[0]
        from fractions import Fraction

        middle = (Fraction(from_bits(b)) + Fraction(from_bits(b + 1))) / 2
        scale = max(0, middle.denominator.bit_length() - 1)
        digits = str(middle.numerator * 5**scale)
        text = f"{digits}e-{scale}"
        assert Fraction(int(digits)) / 10**scale == middle
        if len(text) > 320:
            continue
        text += ""
        s.read("float/halfway.json", f"tie-{i}", "json", text if scale else text.replace("e-0", ".0"))
        if scale:
            s.read("float/halfway.json", f"above-tie-{i}", "json", f"{digits}1e-{scale + 1}")


def times(s):
    names = {
        "epoch": Time(0), "one-second": Time(1), "one-nanosecond": Time(0, 1), "last-32-bit": Time(2**32 - 1), "first-64-bit": Time(2**32),
        "last-32-bit-and-a-nanosecond": Time(2**32 - 1, 1), "last-64-bit": Time(2**34 - 1, 999_999_999), "first-96-bit": Time(2**34),
        "before-the-epoch": Time(-1), "half-second-before": Time(-1, 500_000_000), "one-millisecond-before": Time(-1, 999_000_000),
        "last-nanosecond-before": Time(-1, 999_999_999), "year-0": Time(-62167219200), "year-0-end": Time(-62135596801, 999_999_999),
        "year-1": Time(-62135596800), "year-1583": Time(-12212553600), "year-1900": Time(-2208988800), "y2k": Time(946684800), "y2038": Time(2**31 - 1), "y2038-after": Time(2**31),
        "leap-day-2024": Time(1709208000, 1), "leap-day-2000": Time(951782400), "no-leap-day-1900": Time(-2203891200), "no-leap-day-2100": Time(4107542400),
        "leap-second-neighbour": Time(1483228799, 999_999_999), "after-leap-second": Time(1483228800),
        "go-nanoseconds": Time(1700000000, 123456789), "milliseconds": Time(1700000000, 123_000_000), "microseconds": Time(1700000000, 123_456_000),
        "tenth": Time(1700000000, 100_000_000), "ten-nanoseconds": Time(1700000000, 10), "hundred-microseconds": Time(1700000000, 100_000),
        "year-3000": Time(32503680000, 999_999_000), "year-9999": Time(253402300799, 999_999_999), "year-9999-microseconds": Time(253402300799, 999_999_000), "year-10000": Time(253402300800),
        "js-date-end": Time(8640000000000), "js-date-past-end": Time(8640000000001), "js-date-start": Time(-8640000000000), "js-date-before-start": Time(-8640000000001),
        "i64-min": Time(-(2**63)), "i64-max": Time(2**63 - 1, 999_999_999), "year-minus-1": Time(-62167219201),
    }
    for name, t in names.items():
        s.value("time/values.json", name, t, source=SPEC + ", timestamp extension type; RFC 3339 §5.6")
    rng = random.Random(4)
    for i in range(40):
        t = Time(rng.randrange(-62135596800, 253402300800), rng.choice((0, 1, 10**3, 10**6, 5 * 10**8)) * rng.randrange(1, 2) if i % 4 else rng.randrange(10**9))
        s.value("time/random.json", f"random-{i}", t)
    s.value("time/nested.json", "in-map", {"t": Time(1700000000, 123456789), "u": [Time(-1), None]})
    s.value("time/nested.json", "path-of-one-without-text", {"t": [0, Time(253402300800)]}, formats=("json",), reads=False)
    bad = {
        "ns-too-large-64": "d7ffee6b280065000000", "ns-max-64": "d7fffffffffc00000000", "ns-too-large-96": "c70cff3b9aca000000000000000000", "ns-max-96": "c70cffffffffff0000000000000000",
        "leap-second-nanoseconds": "c70cff773593ff000000005868467f", "length-0": "c700ff", "length-1": "d4ff00", "length-2": "d5ff0000", "length-3": "c703ff000000",
        "length-5": "c705ff0000000000", "length-6": "c706ff000000000000", "length-7": "c707ff00000000000000", "length-9": "c709ff" + "00" * 9, "length-11": "c70bff" + "00" * 11, "length-13": "c70dff" + "00" * 13, "length-16": "d8ff" + "00" * 16, "length-255": "c7ffff" + "00" * 255,
    }
    for name, data in bad.items():
        s.read("time/invalid.json", name, "msgpack", data, expect=("invalid-timestamp", 0, ""))
        s.read("time/invalid.json", name + "-inside", "msgpack", "82a16101a16291" + data, expect=("invalid-timestamp", 7, "/b/0"))
    for name, data in {
        "old-javascript-ext-13": "c7090dcb4278bcfe56800000", "fourteen-bytes-of-bin": "c40f010000000edce5e80000000000ffff", "all-sizes": "93d6ff00000001d7ff0000000400000001c70cff000000010000000000000001",
        "ext-8-headers": "93c704ff00000001c708ff0000000400000001c70cff000000010000000000000001", "ext-16-and-32": "92c80004ff00000001c90000000cff000000010000000000000001",
    }.items():
        s.read("time/read.json", name, "msgpack", data)


RFC3339 = {
    "z": ("2024-02-29T12:00:00Z", Time(1709208000)), "lower-case": ("2024-02-29t12:00:00z", Time(1709208000)), "blank": ("2024-02-29 12:00:00Z", Time(1709208000)),
    "plus": ("2016-03-04T05:06:07.123456789+01:00", Time(1457064367, 123456789)), "minus": ("1990-12-31T15:59:59-08:00", Time(662687999)),
    "half-hour": ("1937-01-01T12:00:27.87+00:20", Time(-1041337173, 870000000)), "minus-zero": ("2024-01-01T00:00:00-00:00", Time(1704067200)), "plus-zero": ("2024-01-01T00:00:00+00:00", Time(1704067200)),
    "widest-offset": ("2024-01-01T23:59:00+23:59", Time(1704067200)), "widest-minus": ("2023-12-31T00:01:00-23:59", Time(1704067200)),
    **{f"fraction-{n}": (f"2024-01-01T00:00:00.{'123456789'[:n]}Z", Time(1704067200, int("123456789"[:n].ljust(9, "0")))) for n in range(1, 10)},
    "fraction-zeros": ("2024-01-01T00:00:00.000000000Z", Time(1704067200)), "fraction-trailing-zeros": ("2024-01-01T00:00:00.120Z", Time(1704067200, 120000000)),
    "year-0000": ("0000-01-01T00:00:00Z", Time(-62167219200)), "year-9999": ("9999-12-31T23:59:59.999999999Z", Time(253402300799, 999999999)), "before-epoch": ("1969-12-31T23:59:59.5Z", Time(-1, 500000000)),
    "leap-2000": ("2000-02-29T00:00:00Z", Time(951782400)),
}
RFC3339_BAD = """2024-01-01T00:00:00|2024-01-01|2024-01-01T24:00:00Z|2024-01-01T23:60:00Z|2024-01-01T23:59:60Z|2016-12-31T23:59:60Z|2023-02-29T00:00:00Z|1900-02-29T00:00:00Z|2100-02-29T00:00:00Z
|2024-13-01T00:00:00Z|2024-00-01T00:00:00Z|2024-01-00T00:00:00Z|2024-01-32T00:00:00Z|2024-04-31T00:00:00Z|2024-01-01T00:00:00.Z|2024-01-01T00:00:00.1234567890Z|2024-01-01T00:00:00,5Z
|2024-01-01T00:00:00+0100|2024-01-01T00:00:00+01|2024-01-01T00:00:00+24:00|2024-01-01T00:00:00+01:60|2024-01-01T00:00:00Z |  2024-01-01T00:00:00Z|2024-01-01T00:00Z|24-01-01T00:00:00Z|+2024-01-01T00:00:00Z
|10000-01-01T00:00:00Z|2024-1-01T00:00:00Z|2024-01-01_00:00:00Z|2024-01-01T00:00:00ZZ|20240101T000000Z|2024-01-01T00:00:00 Z|２０２４-01-01T00:00:00Z|-024-01-01T00:00:00Z""".replace("\n", "").split("|")


def rfc3339_text(s):
    """Reading of time text, which without a schema only tagged JSON does."""
    for name, (text, time) in RFC3339.items():
        from model import tagged

        s.add("time/text.json", {"name": f"time/text-{name}", "format": "tagged", "input": '{"$time":"' + text + '"}', "value": tagged(time), **({"hosts": {"python": {"error": {"code": "timestamp-out-of-range"}}}} if time.seconds < -62135596800 else {})})
    for i, text in enumerate(RFC3339_BAD):
        s.add("time/text.json", {"name": f"time/text-bad-{i}", "format": "tagged", "input": '{"$time":"' + text + '"}', "error": {"code": "invalid-timestamp"}})


def extensions(s):
    for kind in (0, 1, 5, 42, 127, -2, -100, -128):
        s.value("ext/values.json", f"type-{kind}".replace("--", "-minus-"), Ext(kind, b"\x01\x02\x03"))
    for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 254, 255, 256, 257):
        s.value("ext/values.json", f"length-{n}", Ext(7, bytes((i * 7) & 255 for i in range(n))), source=SPEC + ", ext format family")
    s.value("ext/values.json", "in-array", [Ext(1, b"a"), {"x": Ext(2, b"bc")}], accepted=False)
    for n in (4, 8, 12):
        s.value("ext/values.json", f"same-lengths-as-a-timestamp-{n}", Ext(1, bytes(n)))
    for data, expect in {
        "d4": ("truncated", 1, ""), "d401": ("length-exceeds-input", 0, ""), "d601000000": ("length-exceeds-input", 0, ""), "d801" + "00" * 15: ("length-exceeds-input", 0, ""), "c7": ("truncated", 1, ""), "c703": ("truncated", 2, ""),
        "c70301": ("length-exceeds-input", 0, ""), "c703010000": ("length-exceeds-input", 0, ""), "c8": ("truncated", 1, ""), "c800": ("truncated", 2, ""), "c80001": ("truncated", 3, ""), "c8000105": ("length-exceeds-input", 0, ""), "c9000000": ("truncated", 4, ""), "c9ffffffff": ("truncated", 5, ""),
        "c9ffffffff0100": ("length-exceeds-input", 0, ""), "d6ff0000": ("length-exceeds-input", 0, ""), "91d6ff0000": ("length-exceeds-input", 1, "/0"), "81a16bc7ff05": ("length-exceeds-input", 3, "/k"),
    }.items():
        s.read("ext/errors.json", f"cut-{data[:12]}-{len(data) // 2}", "msgpack", data, expect=expect)


def all_cases(s):
    integers(s)
    floats(s)
    float_reading(s)
    times(s)
    rfc3339_text(s)
    extensions(s)
