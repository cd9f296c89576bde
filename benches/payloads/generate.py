#!/usr/bin/env python3
"""Writes the payloads that every benchmark reads.

A payload is a file with a JSON array; each element is one instance, that is, one message. Harnesses rotate through the
instances, so that caches and branch predictors see what production shows them: similar messages, never the same one.

Small payloads are checked in. Large ones (`large/`) are written by the same command when a benchmark first needs them and
are held to the checksum in `manifest.json`. Everything comes from fixed seeds and from `Random.random()` alone, the one
method whose sequence Python promises for all versions.

    generate.py            write what is missing or differs, then the manifest
    generate.py --check    regenerate in memory; fail when a checked-in file or the manifest differs
    generate.py --large    only make the large files, verified against the manifest
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent

WORDS = (  # noqa: SIM905
    "the quick brown fox jumps over lazy dog inference a of tokens model batch latency gateway request answer please "
    "summarise following paragraph and explain why it matters to people who run services at scale in production without "
    "surprises each value returns exactly as written or an error says where"
).split()
NAMES = ["Ada Lovelace", "张三", "Jürgen Müller", "Grace Hopper", "Søren", "José Álvarez", "田中さくら", "bob", "Zoë", "Иван"]
SCRIPTS = [
    "München {}", "東京都千代田区 {}", "naïve café {}", "emoji 😀 {}", "Привет мир {}", "Ελλάδα {}", "서울특별시 {}", "שלום {}",
    "مرحبا {}", "नमस्ते {}", "Łódź {}", "crème brûlée {}",
]  # fmt: skip
CJK = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严"


class Gen:
    """Random values from one seed."""

    def __init__(self, seed: str):
        # The seed is hashed here: seeding by a string would depend on Python's own hashing of it.
        self.random = Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:6], "big")).random

    def int(self, low: int, high: int) -> int:
        """low … high, both included."""
        return low + int(self.random() * (high - low + 1))

    def bits(self, n: int) -> int:
        return int(self.random() * (1 << n))

    def pick(self, seq):
        return seq[int(self.random() * len(seq))]

    def chance(self, p: float) -> bool:
        return self.random() < p

    def some(self, seq, n: int) -> list:
        left = list(seq)
        return [left.pop(int(self.random() * len(left))) for _ in range(n)]

    def words(self, n: int) -> str:
        return " ".join(self.pick(WORDS) for _ in range(n))

    def hex(self, n: int) -> str:
        return "".join(self.pick("0123456789abcdef") for _ in range(n))

    def time(self, fraction: int | None = None) -> str:
        day = f"2026-{self.int(1, 12):02}-{self.int(1, 28):02}T{self.int(0, 23):02}:{self.int(0, 59):02}:{self.int(0, 59):02}"
        return day + (f".{self.int(1, 10**fraction - 1):0{fraction}}Z" if fraction else "Z")


def event(g: Gen):
    return {
        "uid": g.int(1, 10**9), "name": g.pick(NAMES), "followers": g.int(0, 100_000), "online": g.chance(0.5),
        "ts": g.time(6), "kind": g.pick(["push", "pull_request", "issue", "fork"]),
    }  # fmt: skip


def prompt(g: Gen, size: int) -> str:
    parts = []
    while sum(map(len, parts)) < size:
        parts.append(g.words(g.int(8, 22)).capitalize() + g.pick([". ", ". ", ".\n\n", "? ", ": "]))
    return "".join(parts)[:size].rstrip()


def metadata(g: Gen):
    return {
        "tenant": g.pick(["acme", "globex", "initech", "umbrella"]), "request_id": g.hex(16), "priority": g.int(0, 9),
        "tags": g.some(["prod", "eu-west-1", "batch", "chat", "canary", "internal", "paid"], 3),
    }  # fmt: skip


def request(g: Gen):
    return {
        "model": g.pick(["llama-3-70b-instruct", "mixtral-8x22b", "qwen2.5-72b", "gemma-2-27b-it"]),
        "prompt": prompt(g, g.int(1450, 1750)),
        "max_tokens": g.int(16, 4096), "temperature": g.int(0, 20) / 10, "top_p": g.int(50, 100) / 100, "top_k": g.int(1, 100),
        "seed": g.bits(32) if g.chance(0.5) else None,
        "stop": ["\n\n", "</s>"], "stream": g.chance(0.5), "user": f"user-{g.int(1, 9999)}", "metadata": metadata(g),
    }  # fmt: skip


def request10k(g: Gen):
    roles = ["user", "assistant"]
    messages = [{"role": "system", "content": prompt(g, 400)}]
    for i in range(g.int(10, 14)):
        text = prompt(g, g.int(300, 1100))
        if i % 4 == 3:
            text += f'\n\n"{g.words(6)}" — {g.pick(NAMES)}'
        messages.append({"role": roles[i % 2], "content": text})
    return {
        "model": g.pick(["llama-3-70b-instruct", "mixtral-8x22b", "qwen2.5-72b", "gemma-2-27b-it"]),
        "messages": messages,
        "max_tokens": g.int(16, 4096), "temperature": g.int(0, 20) / 10, "top_p": g.int(50, 100) / 100, "top_k": g.int(1, 100),
        "frequency_penalty": g.int(0, 100) / 100, "seed": g.bits(32) if g.chance(0.5) else None,
        "logit_bias": {str(g.int(0, 50_000)): g.int(-100, 100) for _ in range(12)},
        "stop": ["\n\n", "</s>"], "stream": g.chance(0.5), "user": f"user-{g.int(1, 9999)}", "metadata": metadata(g),
    }  # fmt: skip


def nested(g: Gen):
    def item(i):
        name = g.pick(["ada", "grace", "alan", "edsger", "barbara"]) + str(g.int(1, 99))
        return {
            "id": i,
            "user": {"name": name, "email": f"{name}@example.com", "score": g.random() * 100},
            "tags": g.some(["alpha", "beta", "gamma", "delta", "epsilon"], 3),
            "values": [g.random() for _ in range(g.int(6, 10))],
            "active": g.chance(0.5), "created": g.time(), "note": g.pick(SCRIPTS).format(g.int(0, 999)),
        }  # fmt: skip

    return {"items": [item(i) for i in range(26)], "total": g.int(26, 5000), "next": g.int(2, 99) if g.chance(0.5) else None}


def records(g: Gen):
    return [
        {
            "id": i, "price": g.int(1, 999_999) / 100, "symbol": g.pick(["AAPL", "MSFT", "GOOG", "NVDA", "AMZN"]),
            "quantity": g.int(-1000, 1000), "weight": g.random(), "category": g.pick(["equity", "bond", "commodity"]),
            "flags": g.int(0, 255), "ratio": g.random() * 1000, "owner": f"owner-{g.int(1, 500)}",
            "created_at": 1_700_000_000_000 + g.bits(30), "active": g.chance(0.5), "comment": g.words(g.int(0, 3)),
        }
        for i in range(5000)
    ]


def floats(g: Gen):
    return [(g.random() - 0.3) * 10 ** g.int(-3, 6) for _ in range(5300)]


def text(g: Gen):
    """Long prose without anything to escape."""
    return {"id": g.int(1, 10**6), "text": prompt(g, 100_000).replace("\n\n", " ")}


def escaped(g: Gen):
    """Long prose with the escapes that prose has: line ends and quotation marks."""
    parts, size = [], 0
    while size < 100_000:
        line = g.words(g.int(9, 16))
        if g.chance(0.3):
            line = f'{line} "{g.words(3)}" {g.words(4)}'
        parts.append(line)
        size += len(line) + 1
    return {"id": g.int(1, 10**6), "text": "\n".join(parts)}


def cjk(g: Gen):
    """Long text in which nearly every character takes three bytes of UTF-8."""
    return {"id": g.int(1, 10**6), "text": "".join(g.pick(CJK) if g.chance(0.92) else g.pick("，。 、\n") for _ in range(33_000))}


def dictionary(g: Gen):
    """200 keys that no other instance has."""
    return {f"{g.pick(['user', 'item', 'order', 'session'])}-{g.hex(8)}": g.bits(g.int(4, 40)) for _ in range(200)}


SHAPE_KEYS = [f"{a}{b}" for a in ("", "is_", "max_", "user_", "last_") for b in
              ("id", "name", "kind", "size", "state", "owner", "count", "price", "region", "labels", "updated", "weight")]  # fmt: skip


def shapes(g: Gen):
    """60 objects, nearly each with another set of keys."""

    def value():
        k = g.int(0, 7)
        return [g.int(0, 10**5), g.random() * 100, g.words(2), g.chance(0.5), None, g.pick(NAMES), g.int(-9, 9), [g.int(0, 99), g.words(1)]][k]

    return [{k: value() for k in g.some(SHAPE_KEYS, g.int(3, 10))} for _ in range(60)]


def ints(g: Gen):
    """Every size up to 53 bits (beyond it JSON.parse would round), a quarter of them negative, in random order."""
    return [g.bits(g.int(1, 53)) * (-1 if g.chance(0.25) else 1) for _ in range(2000)]


def flags(g: Gen):
    return [g.pick([True, False, None]) for _ in range(2000)]


def unicode(g: Gen):
    return [g.pick(SCRIPTS).format(g.int(0, 99_999)) for _ in range(300)]


def deep(g: Gen):
    """60 objects in 60 arrays, one in the other: depth 120 (serde_json's limit is 128)."""
    node = None
    for _ in range(60):
        children = [] if node is None else [node]
        node = {"id": g.int(0, 10**6), "kind": g.pick(["div", "span", "table", "row"]), "on": g.chance(0.5), "children": children}
    return node


def times(g: Gen):
    """Rows with two instants each. Hosts that have a type for instants turn the fields named in the manifest into it."""
    return [
        {"id": g.int(0, 10**6), "created": g.time(6), "updated": g.time(), "name": f"row number {g.int(0, 9999)}"}
        for _ in range(90)
    ]


# name: (maker, instances, large, key, what it is). `key` payloads are those that the project's targets are stated for.
PAYLOADS = {
    "event": (event, 16, False, True, "a small event, about 120 bytes"),
    "request": (request, 16, False, True, "an inference request with a prompt, about 2 KB"),
    "request10k": (request10k, 8, False, True, "an inference request with a conversation, about 10 KB"),
    "nested": (nested, 8, False, True, "26 items with repeated keys, floats, short and non-ASCII strings, about 10 KB"),
    "records": (records, 2, True, True, "5,000 records of 12 fields, about 1 MB"),
    "floats": (floats, 4, True, True, "5,300 random doubles, about 100 KB"),
    "text": (text, 4, True, True, "one string of 100 KB, ASCII, nothing to escape"),
    "dictionary": (dictionary, 16, False, True, "200 keys that occur once"),
    "shapes": (shapes, 16, False, True, "60 objects of many shapes"),
    "ints": (ints, 8, False, True, "2,000 integers of mixed sizes"),
    "flags": (flags, 8, False, True, "2,000 booleans and nulls"),
    "unicode": (unicode, 8, False, True, "300 short strings of several scripts"),
    "deep": (deep, 8, False, True, "depth 120"),
    "times": (times, 8, False, True, "90 rows with two instants each"),
    "escaped": (escaped, 4, True, False, "one string of 100 KB, ASCII, with line ends and quotation marks"),
    "cjk": (cjk, 4, True, False, "one string of 33,000 characters, 100 KB, nearly all of them Chinese"),
}
TIME_FIELDS = {"times": ["created", "updated"]}


def compact(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def make(name: str) -> bytes:
    maker, count, *_ = PAYLOADS[name]
    lines = [compact(maker(Gen(f"samewire/{name}/{i}"))) for i in range(count)]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def path_of(name: str) -> Path:
    return HERE / ("large" if PAYLOADS[name][2] else ".") / f"{name}.json"


def manifest(data: dict[str, bytes]) -> bytes:
    out = {}
    for name, (_, count, large, key, about) in PAYLOADS.items():
        body = data[name]
        out[name] = {
            "about": about, "instances": count, "bytes": (len(body) - 4) // count,
            "file": str(path_of(name).relative_to(HERE)), "large": large, "key": key, "times": TIME_FIELDS.get(name, []),
            "sha256": hashlib.sha256(body).hexdigest(),
        }  # fmt: skip
    return (json.dumps(out, indent=1, ensure_ascii=False) + "\n").encode()


def main(args: list[str]) -> int:
    index = HERE / "manifest.json"
    if "--large" in args:
        known = json.loads(index.read_bytes())
        for name, entry in known.items():
            path = HERE / entry["file"]
            if not entry["large"]:
                continue
            if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]:
                continue
            body = make(name)
            if hashlib.sha256(body).hexdigest() != entry["sha256"]:
                print(f"{path}: what this Python generates differs from manifest.json", file=sys.stderr)
                return 1
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(body)
            print(f"wrote {path} ({len(body)} bytes)", file=sys.stderr)
        return 0
    data = {name: make(name) for name in PAYLOADS}
    files = {path_of(name): body for name, body in data.items()}
    files[index] = manifest(data)
    if "--check" in args:
        large = {path_of(name) for name in PAYLOADS if PAYLOADS[name][2]}
        wrong = [p for p, b in files.items() if (p.exists() or p not in large) and (not p.exists() or p.read_bytes() != b)]
        for p in wrong:
            print(f"{p} differs from what generate.py writes", file=sys.stderr)
        return 1 if wrong else 0
    for p, b in files.items():
        p.parent.mkdir(exist_ok=True)
        if not p.exists() or p.read_bytes() != b:
            p.write_bytes(b)
            print(f"wrote {p} ({len(b)} bytes)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
