"""What all benchmark harnesses share: statistics, the record format, and the tables.

A record is one JSON file: `{"meta": {...}, "cells": [...]}`; a cell is `{"id", "op", "payload", "runtime", "key", "ours", "bytes",
"rounds": {contestant: [nanoseconds per call, one number a round]}, "failed": {contestant: reason}}`, with
`"instructions": {contestant: count per call}` where they were counted.
Contestants whose name starts with `~` are references (a floor, another format), shown but never counted as peers.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import random
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def meta(**more) -> dict:
    """Where and when: enough to tell whether two records may be compared."""
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    cpu = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017 - not in 3.10
        "commit": commit, "cpu": cpu, "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2), **more,
    }  # fmt: skip


def peers_of(cell: dict) -> list[str]:
    return [n for n in cell["rounds"] if not is_ours(cell, n) and not n.startswith("~")]


def is_ours(cell: dict, name: str) -> bool:
    return name == cell["ours"] or name.startswith(cell["ours"] + " ")


def fastest(cell: dict) -> str | None:
    peers = peers_of(cell)
    return min(peers, key=lambda n: statistics.median(cell["rounds"][n])) if peers else None


def bootstrap(cell: dict, a: str, b: str, draws: int = 400) -> list[float]:
    """Ratios of the medians of a and b over resampled rounds. Rounds are drawn together: what disturbed one of them
    disturbed both contestants."""
    ra, rb = cell["rounds"][a], cell["rounds"][b]
    n = min(len(ra), len(rb))
    rng = random.Random(cell["id"])
    out = []
    for _ in range(draws):
        pick = [int(rng.random() * n) for _ in range(n)]
        out.append(statistics.median([ra[i] for i in pick]) / statistics.median([rb[i] for i in pick]))
    return out


def interval(values: list[float]) -> tuple[float, float]:
    v = sorted(values)
    return v[int(0.025 * len(v))], v[min(len(v) - 1, int(0.975 * len(v)))]


def geomean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def spread(samples: list[float]) -> float:
    """Half the interquartile range over the median: the noise of one contestant."""
    if len(samples) < 4:
        return 0.0
    q = statistics.quantiles(samples, n=4)
    return (q[2] - q[0]) / 2 / q[1]


def nanoseconds(x: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}" if x / size < 1000 else f"{x / size:.0f} {unit}"
    return f"{x:.0f} ns"


def table(cells: list[dict], out=print) -> None:
    """Prints the cells by runtime and operation, each ratio relative to the fastest peer of its cell."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for c in cells:
        if c["rounds"] or c["failed"]:  # a cell may hold instruction counts alone
            groups.setdefault((c["runtime"], c["op"]), []).append(c)
    everything: list[tuple[float, list[float]]] = []
    for (runtime, op), group in groups.items():
        out(f"\n{runtime} · {op}    (time / fastest peer; below 1 is faster than every peer)")
        rows, ratios, key = [], [], []
        for c in group:
            best = fastest(c)
            ours = [n for n in c["rounds"] if is_ours(c, n)]
            base = statistics.median(c["rounds"][best]) if best else None
            mine = "—"
            if c["ours"] in c["rounds"] and best:
                draws = bootstrap(c, c["ours"], best)
                low, high = interval(draws)
                r = statistics.median(c["rounds"][c["ours"]]) / base
                mine = f"{r:5.2f} ({low:.2f}–{high:.2f}) {'●' if r <= 1 else '○'}"
                ratios.append((r, draws))
                if c["key"]:
                    key.append((r, draws))
            elif c["ours"] in c["failed"]:
                mine = "✗"
            others = sorted((n for n in c["rounds"] if n != c["ours"] and n != best), key=lambda n: statistics.median(c["rounds"][n]))
            text = [f"{n} {statistics.median(c['rounds'][n]) / base:.2f}" if base else f"{n} {nanoseconds(statistics.median(c['rounds'][n]))}" for n in others]
            text += [f"{n} ✗" for n in c["failed"] if n != c["ours"]]
            abs_ = nanoseconds(statistics.median(c["rounds"][ours[0]])) if ours else "—"
            rows.append((c["payload"], abs_, mine, f"{best} {nanoseconds(base)}" if best else "—", "  ".join(text)))
        w = [max(len(r[i]) for r in [*rows, ("payload", group[0]["ours"], "ratio", "fastest peer", "")]) for i in range(4)]
        out(f"  {'payload':{w[0]}}  {group[0]['ours']:>{w[1]}}  {'ratio':{w[2]}}  {'fastest peer':{w[3]}}  others / fastest")
        for r in rows:
            out(f"  {r[0]:{w[0]}}  {r[1]:>{w[1]}}  {r[2]:{w[2]}}  {r[3]:{w[3]}}  {r[4]}")
        if ratios:
            out(f"  geometric mean: {mean_line(key, 'key payloads')}" + (f"; {mean_line(ratios, 'all')}" if len(ratios) != len(key) else ""))
            out(against(group))
        everything += key
    if len(groups) > 1 and everything:
        out(f"\nall key cells: {mean_line(everything, 'geometric mean')}; {sum(r > 1 for r, _ in everything)} above 1.0")
    failures = [(c["id"], n, why) for c in cells for n, why in c["failed"].items()]
    if failures:
        out("\nnot timed, because the output is wrong or the call fails:")
        for where, name, why in failures:
            out(f"  {where}: {name}: {why}")
    noise = [spread(c["rounds"][n]) for c in cells for n in c["rounds"]]
    if noise:
        out(f"\nnoise: half the interquartile range is {100 * statistics.median(noise):.1f} % of the median (median of all contestants), load {os.getloadavg()[0]:.1f}")


def against(group: list[dict]) -> str:
    """Ours relative to each contestant by itself: the geometric mean, and the cell in which it does best against us."""
    names = sorted({n for c in group for n in c["rounds"] if n != c["ours"]})
    parts = []
    for n in names:
        ratios = {}
        for c in group:
            if n in c["rounds"] and c["ours"] in c["rounds"]:
                ratios[c["payload"]] = statistics.median(c["rounds"][c["ours"]]) / statistics.median(c["rounds"][n])
        if ratios:
            worst = max(ratios, key=lambda p: ratios[p])
            parts.append(f"{n} {geomean(list(ratios.values())):.2f} ({worst} {ratios[worst]:.2f})")
    return "  ours / each, geometric mean (worst cell): " + ", ".join(parts)


def mean_line(rows: list[tuple[float, list[float]]], label: str) -> str:
    if not rows:
        return f"{label} —"
    low, high = interval([geomean([d[i] for _, d in rows]) for i in range(len(rows[0][1]))])
    return f"{label} {geomean([r for r, _ in rows]):.3f} ({low:.3f}–{high:.3f}) over {len(rows)} cells"


def write_record(path: str | Path, record: dict) -> None:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for c in record["cells"]:
        c["rounds"] = {n: [round(x, 2) for x in v] for n, v in c["rounds"].items()}
    path.write_text(json.dumps(record, ensure_ascii=False, separators=(",", ":")).replace('{"id"', '\n{"id"') + "\n")
