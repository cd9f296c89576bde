#!/usr/bin/env python3
"""How time and memory grow in CPython: with the input's size, its depth, the number of distinct keys, and with threads.

    growth.py [--only size,depth,keys,threads] [--max MB] [--quick]

Each table gives nanoseconds per byte of input: a contestant whose column stays flat is linear. Memory is the growth of the
peak resident size while one call runs in a process of its own, divided by the input's size.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import threading
from time import perf_counter_ns as now
from time import thread_time_ns

import contestants as who
import payloads

OPS = ["packb", "unpackb", "dumps", "loads"]
SHOWN = {"packb": ["ormsgpack", "msgspec"], "unpackb": ["ormsgpack", "msgspec"], "dumps": ["orjson", "msgspec"], "loads": ["orjson", "msgspec"]}


class Made(payloads.Payload):
    def __init__(self, value):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        super().__init__("made", [text], [], False)


def of_size(size: int):
    """About `size` bytes of records."""
    (p,) = payloads.load(["records"])
    rows = json.loads(p.texts[0])
    out, total, i = [], 0, 0
    while total < size:
        row = rows[i % len(rows)]
        out.append(dict(row, id=i))
        total += 228
        i += 1
    return out


def of_depth(depth: int):
    """Half a megabyte of arrays in arrays."""

    def tower():
        v = [1]
        for i in range(depth - 2):
            v = [i, v]
        return v

    return [tower() for _ in range(max(1, 100_000 // depth))]


def of_keys(distinct: int):
    """20,000 objects of eight keys each, out of so many."""
    r = random.Random(1)
    keys = [f"attribute_{i}" for i in range(max(distinct, 8))]
    return [{k: i for k in r.sample(keys, 8)} for i in range(20_000)]


def time_of(call, x, quick: bool) -> float:
    call(x)
    spent = []
    gc.collect()
    gc.freeze()
    end = now() + (2e7 if quick else 4e8)
    while now() < end or len(spent) < 3:
        start = thread_time_ns()  # not wall time: others may use the machine
        call(x)
        spent.append(thread_time_ns() - start)
    gc.unfreeze()
    return statistics.median(spent)


def peak() -> int:
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))


def memory_child(op: str, name: str) -> None:
    # The input comes from outside, so that what was freed while it was made cannot be what the call is then given.
    data = sys.stdin.buffer.read()
    m = who.available()
    call = who.contestants(op, Made([]), m)[name]
    x = m["orjson"].loads(data) if op in ("packb", "dumps") else data
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")  # resets VmHWM to what is resident now
    before = peak()
    kept = call(x)
    print((peak() - before) / len(data))
    del kept


def memory(op: str, name: str, p: payloads.Payload, packed: bytes) -> str:
    data = packed if op == "unpackb" else p.texts[0]
    out = subprocess.run([sys.executable, __file__, "--memory", op, name], input=data, capture_output=True, check=False)
    return f"{float(out.stdout):.1f}" if out.returncode == 0 else "—"


def grow(title: str, steps: list[tuple[str, object]], m, quick: bool, sizes: list[int] | None = None) -> None:
    print(f"\n{title}: ns per byte" + ("; bytes of memory per byte of input" if sizes else ""))
    for op in OPS:
        names = [n for n in [who.OURS, *SHOWN[op]] if n in m]
        print(f"  {op:8} " + " ".join(f"{n:>16}" for n in names))
        for i, (label, make) in enumerate(steps):
            p = Made(make())
            build, _ = who.build_inputs(op, p, m)
            calls = who.contestants(op, p, m)
            row = []
            for n in names:
                why = who.check(op, p, n, calls[n], build, m)
                if why:
                    row.append("✗")
                    continue
                text = f"{time_of(calls[n], build(0), quick) / p.size:.2f}"
                if sizes and sizes[i] >= 1 << 20:
                    text += f" ({memory(op, n, p, m['msgpack'].packb(p.plain(0)))})"
                row.append(text)
            print(f"  {label:>8} " + " ".join(f"{t:>16}" for t in row), flush=True)


def threads(m, quick: bool) -> None:
    print("\nthreads: throughput relative to one thread (cores: see the record); 1 MB a call")
    p = Made(of_size(1 << 20))
    for op in ["to_json", "to_msgpack", "unpackb", "loads"]:
        calls = who.contestants(op, p, m)
        build, _ = who.build_inputs(op, p, m)
        x = build(0)
        for name in list(calls)[:3]:
            if who.check(op, p, name, calls[name], build, m):
                continue
            call, rates = calls[name], []
            for n in (1, 2, 4):
                done = [0] * n
                end = now() + (1e8 if quick else 1e9)

                def work(i, call=call, done=done, end=end, x=x):
                    while now() < end:
                        call(x)
                        done[i] += 1

                pool = [threading.Thread(target=work, args=(i,)) for i in range(n)]
                [t.start() for t in pool]
                [t.join() for t in pool]
                rates.append(sum(done))
            print(f"  {op:10} {name:20} " + "  ".join(f"{n} threads {r / rates[0]:.2f}" for n, r in zip((1, 2, 4), rates)), flush=True)


def main() -> int:
    if sys.argv[1:2] == ["--memory"]:
        memory_child(sys.argv[2], sys.argv[3])
        return 0
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--only", default="size,depth,keys,threads")
    a.add_argument("--max", type=int, default=64, help="largest input in MB (default 64; 256 needs some 8 GB)")
    a.add_argument("--quick", action="store_true")
    o = a.parse_args()
    m = who.available()
    top = 1 if o.quick else o.max
    if "size" in o.only:
        sizes = [s for s in (1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 24, 1 << 26, 1 << 28) if s <= top << 20]
        name = lambda s: f"{s >> 20} MB" if s >= 1 << 20 else f"{s >> 10} KB"
        grow("input size", [(name(s), lambda s=s: of_size(s)) for s in sizes], m, o.quick, sizes)
    if "depth" in o.only:
        grow("depth", [(str(d), lambda d=d: of_depth(d)) for d in (2, 8, 32, 128, 240)], m, o.quick)
    if "keys" in o.only:
        grow("distinct keys", [(f"{k:,}", lambda k=k: of_keys(k)) for k in (10, 100, 1000, 10_000, 100_000)], m, o.quick)
    if "threads" in o.only:
        threads(m, o.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
