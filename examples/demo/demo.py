"""`make demo`: what samewire does, on real data, in half a minute. Every step checks what it says."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import samewire

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
SAMEWIRE = str(Path(sys.executable).parent / "samewire")


def style(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def head(title: str) -> None:
    print(f"\n{style('1', title)}\n{style('2', '─' * 100)}")


def note(text: str) -> None:
    print(style("2", text))


def good(text: str) -> None:
    print(f"{style('32', '✓')} {text}")


def check(condition: bool, what: str) -> None:
    if not condition:
        print(style("1;31", f"✗ {what}"))
        sys.exit(1)
    good(what)


def command(*args: str, shown: bool = True, input: bytes | None = None) -> subprocess.CompletedProcess:
    if shown:
        print(style("36", "$ samewire " + " ".join(args)))
        sys.stdout.flush()
    return subprocess.run([SAMEWIRE, *args], input=input, capture_output=True, timeout=60)


def succeed(*args: str) -> bytes:
    done = command(*args)
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.flush()
    if done.returncode:
        sys.stdout.buffer.write(done.stderr)
        sys.exit(done.returncode)
    return done.stdout


def size(n: int) -> str:
    return f"{n:,} B"


def records(path: Path) -> None:
    """A JSON Lines file: what an inference gateway logs, the same in every run."""
    rng = random.Random(20260301)
    models = ["qwen3-32b-instruct", "llama-4-scout", "mistral-small-3.2"]
    start = datetime(2026, 3, 1, 6, 0, tzinfo=timezone.utc)
    with path.open("w") as out:
        for _ in range(2000):
            start += timedelta(milliseconds=rng.randrange(1, 900))
            tokens = rng.randrange(12, 900)
            record = {
                "id": f"req_{rng.getrandbits(64):016x}",
                "time": start.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "model": rng.choice(models),
                "tenant": rng.choice(["werkstatt-nord", "écluse", "北京分店", "shop-17"]),
                "status": rng.choice([200, 200, 200, 200, 429, 500]),
                "prompt_tokens": rng.randrange(30, 4000),
                "completion_tokens": tokens,
                "seconds": round(tokens * rng.uniform(0.008, 0.03), 4),
                "cached": rng.random() < 0.3,
                "logprobs": [round(rng.uniform(-6, 0), 5) for _ in range(4)],
                "error": None,
            }
            out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def sizes(names: list[tuple[str, Path]]) -> None:
    least = min(p.stat().st_size for _, p in names)
    most = max(p.stat().st_size for _, p in names)
    for label, path in names:
        data = path.read_bytes()
        bar = "█" * round(len(data) / most * 40)
        packed = size(len(gzip.compress(data)))
        tint = "32" if len(data) == least else "0"
        print(f"  {label:<22}{size(len(data)):>12}   gzip {packed:>10}   {style(tint, bar)}")


def convert(folder: Path) -> None:
    head("1. A request to a language model: JSON → MessagePack → JSON")
    shutil.copy(HERE / "request.json", folder)
    succeed("convert", "request.json", "-o", "request.msgpack")
    succeed("convert", "request.msgpack", "-o", "back.json")
    succeed("convert", "request.json", "-o", "compact.json", "--to", "json")
    sizes(
        [
            ("JSON, as written", folder / "request.json"),
            ("JSON, compact", folder / "compact.json"),
            ("MessagePack", folder / "request.msgpack"),
        ]
    )
    check(command("diff", "request.json", "back.json").returncode == 0, "the same values came back")
    check((folder / "compact.json").read_bytes() == (folder / "back.json").read_bytes(), "…and the same bytes")
    seed = json.loads((folder / "back.json").read_text())["seed"]
    check(seed == 2**53 + 1, f"the seed {seed} is exact, though no JavaScript number could hold it")

    head("2. A log of 2,000 records: JSON Lines → a stream of MessagePack → JSON Lines")
    records(folder / "log.jsonl")
    succeed("convert", "log.jsonl", "-o", "log.msgpack")
    succeed("convert", "log.msgpack", "-o", "back.jsonl")
    sizes([("JSON Lines", folder / "log.jsonl"), ("MessagePack", folder / "log.msgpack")])
    check((folder / "log.jsonl").read_bytes() == (folder / "back.jsonl").read_bytes(), "byte for byte the same log")
    print(style("36", "$ samewire get /seconds log.msgpack | sort -n | tail -1"))
    slowest = subprocess.run(
        f"'{SAMEWIRE}' get /seconds log.msgpack | sort -n | tail -1", shell=True, capture_output=True, text=True
    )
    print(slowest.stdout, end="")


def python(folder: Path) -> dict:
    head("3. The same from Python")
    data = (folder / "request.msgpack").read_bytes()
    request = samewire.unpackb(data)
    print(style("36", ">>> request = samewire.unpackb(data)"))
    print(f"{request['model']!r}, {len(request['messages'])} messages, {request['metadata']}")
    check(request == json.loads((folder / "request.json").read_text()), "equal to what Python's json reads")
    check(samewire.packb(request) == data, "samewire.packb(request) gives the bytes that the command wrote")
    check(
        samewire.transcode(data, "msgpack", "json") + b"\n" == (folder / "back.json").read_bytes(),
        'samewire.transcode(data, "msgpack", "json") too, with no Python object in between',
    )
    return request


def inspect(folder: Path) -> None:
    head("4. What is in those bytes?")
    message = {
        "tool": "free_slots",
        "at": samewire.unpackb(b"\xd7\xff\x1d\x6f\x34\x54\x65\x53\xf1\x00"),
        "wav": b"RIFF\x24\x08\x00\x00WAVEfmt ",
        "score": [0.25, None],
        "n": 2**63,
    }
    (folder / "small.msgpack").write_bytes(samewire.packb(message))
    succeed("inspect", "small.msgpack", "--color", "always" if COLOUR else "never")

    print()
    data = bytearray((folder / "small.msgpack").read_bytes())
    at = data.index(b"\xc4") + 1
    note(f"One bit flipped on the way: at byte {at}, the length 0x{data[at]:02x} becomes 0x{data[at] ^ 0x40:02x}")
    data[at] ^= 0x40
    (folder / "broken.msgpack").write_bytes(data)
    done = command("convert", "broken.msgpack", "--to", "json", "--color", "always" if COLOUR else "never")
    sys.stdout.buffer.write(done.stderr)
    sys.stdout.flush()
    try:
        samewire.unpackb(bytes(data))
    except samewire.DecodeError as error:
        check(
            done.returncode == 1 and error.code.encode() in done.stderr,
            f"Python says the same: {error.code}, path {error.path}",
        )
    else:
        check(False, "Python reads what the command refuses")


def digests(folder: Path, request: dict) -> None:
    head("5. One value, one digest, however it is written")
    shuffled = dict(sorted(request.items(), reverse=True))
    (folder / "shuffled.msgpack").write_bytes(samewire.packb(shuffled))
    lines = succeed("digest", "request.json", "request.msgpack", "shuffled.msgpack").decode().splitlines()
    found = {line.split()[0] for line in lines}
    check(found == {samewire.digest(request).hex()}, "all equal, and equal to samewire.digest(request) in Python")


def hops() -> None:
    head("6. Python → Node → Chromium → Python")
    package = TOP / "node_modules" / "samewire"
    if not package.exists():
        note("the npm package is not built: `make setup` does it")
        return
    message = {
        "id": 2**60 + 7,
        "at": samewire.unpackb(b"\xd7\xff\x1d\x6f\x34\x54\x65\x53\xf1\x00"),
        "embedding": [0.1, -2.5e-8, 1e300],
        "blob": bytes(range(8)),
        "texts": ["größer", "東京", "🚲"],
        "seen_by": [f"Python {sys.version_info.major}.{sys.version_info.minor}"],
    }
    data = samewire.packb(message)
    for where, environment in [("node", {}), ("node", {"SAMEWIRE_ENGINE": "wasm"}), ("chromium", {})]:
        done = subprocess.run(
            ["node", str(HERE / "hop.mjs"), where],
            input=data,
            capture_output=True,
            env=dict(os.environ, **environment),
            timeout=90,
        )
        if done.returncode == 3:
            note(f"no {where} on this machine: skipped (apt-get install chromium brings it)")
            continue
        if done.returncode:
            sys.stdout.buffer.write(done.stderr)
            sys.exit(1)
        answer = json.loads(done.stdout)
        received = samewire.unpackb(bytes.fromhex(answer["bytes"]))
        sent = samewire.digest(message).hex()
        check(answer["before"] == sent, f"{received['seen_by'][-1]:<28} got {sent[:16]}…, the digest that was sent")
        message["seen_by"].append(received["seen_by"][-1])
        check(samewire.packb(message).hex() == answer["bytes"], f"{'':<28} and wrote the bytes that Python would")
        data = bytes.fromhex(answer["bytes"])
    note(f"integers of 60 bits, nanoseconds ({samewire.dumps(message['at']).decode()}), binary and text as they were")


def measure(functions: dict) -> dict[str, float]:
    """The median time of one call, in seconds; the contestants take turns."""
    loops = {}
    for name, call in functions.items():
        start, n = time.perf_counter(), 0
        while time.perf_counter() - start < 0.01:
            call()
            n += 1
        loops[name] = max(1, n // 4)
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(31):
        for name, call in functions.items():
            start = time.perf_counter()
            for _ in range(loops[name]):
                call()
            times[name].append((time.perf_counter() - start) / loops[name])
    return {name: sorted(t)[len(t) // 2] for name, t in times.items()}


def race(request: dict) -> None:
    head("7. How long does it take? (this request, this machine, microseconds; less is better)")
    import msgpack
    import msgspec
    import orjson
    import ormsgpack

    text, data = orjson.dumps(request), ormsgpack.packb(request)
    operations = {
        "write MessagePack": {
            "samewire": lambda: samewire.packb(request),
            "ormsgpack": lambda: ormsgpack.packb(request),
            "msgspec": lambda: msgspec.msgpack.encode(request),
            "msgpack": lambda: msgpack.packb(request),
        },
        "read MessagePack": {
            "samewire": lambda: samewire.unpackb(data),
            "ormsgpack": lambda: ormsgpack.unpackb(data),
            "msgspec": lambda: msgspec.msgpack.decode(data),
            "msgpack": lambda: msgpack.unpackb(data),
        },
        "write JSON": {
            "samewire": lambda: samewire.dumps(request),
            "orjson": lambda: orjson.dumps(request),
            "msgspec": lambda: msgspec.json.encode(request),
            "json": lambda: json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode(),
        },
        "read JSON": {
            "samewire": lambda: samewire.loads(text),
            "orjson": lambda: orjson.loads(text),
            "msgspec": lambda: msgspec.json.decode(text),
            "json": lambda: json.loads(text),
        },
    }
    for title, functions in operations.items():
        # Correctness before time.
        for name, call in functions.items():
            result = call()
            expected = request if title.startswith("read") else None
            same = (
                result == expected
                if expected
                else (samewire.loads if "JSON" in title else samewire.unpackb)(result) == request
            )
            if not same:
                check(False, f"{name} gives another result for: {title}")
        took = measure(functions)
        fastest = min(took.values())
        cells = []
        for name, seconds in took.items():
            cell = f"{name} {seconds * 1e6:.2f}"
            cells.append(style("32;1", f"{cell:<18}") if seconds == fastest else f"{cell:<18}")
        print(f"  {title:<20}" + "".join(cells))
    note("One payload says little: `make bench-python` runs them all, against every peer, with confidence intervals.")


def main() -> None:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="samewire-demo-") as name:
        folder = Path(name)
        os.chdir(folder)
        convert(folder)
        request = python(folder)
        inspect(folder)
        digests(folder, request)
        hops()
        race(request)
        os.chdir(TOP)
    print(f"\n{style('1', 'Done')} in {time.perf_counter() - began:.0f} s. Next: README.md, docs/, or your own data:")
    print(f"  {os.path.relpath(SAMEWIRE, TOP)} stats yours.jsonl\n")


if __name__ == "__main__":
    main()
