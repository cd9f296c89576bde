#!/usr/bin/env python3
"""Prints what `tools/bench-schema` measured: for each runtime and operation the ratio of the time by schema to the other's,
payload by payload, their geometric mean, and the goal it is held to.

    schema_table.py [--json RECORD] CELLS…
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common

# What each operation is to stay below, and of whom.
READ = WRITE = 1.15
GOALS = {
    "unpackb": READ, "loads": READ, "decode": READ, "parse": READ,
    "packb": WRITE, "dumps": WRITE, "encode": WRITE, "stringify": WRITE,
}  # fmt: skip
CHECK = {"CPython": 0.3, "Node": 0.6}


def goal(cell: dict) -> float:
    return GOALS.get(cell["op"]) or CHECK[cell["runtime"].split()[0]]


def rows(cells: list[dict]):
    """(runtime, operation, the other, {payload: ratio}, geometric mean, its interval, goal) of each group."""
    groups: dict[tuple[str, str, str], list[dict]] = {}
    for c in cells:
        for other in c["rounds"]:
            if other != c["ours"] and c["ours"] in c["rounds"]:
                groups.setdefault((c["runtime"], c["op"], other), []).append(c)
    for (runtime, op, other), group in groups.items():
        ratios, draws = {}, []
        for c in group:
            ratios[c["payload"]] = statistics.median(c["rounds"][c["ours"]]) / statistics.median(c["rounds"][other])
            draws.append(common.bootstrap(c, c["ours"], other))
        mean = common.geomean(list(ratios.values()))
        low, high = common.interval([common.geomean([d[i] for d in draws]) for i in range(len(draws[0]))])
        yield runtime, op, other, ratios, mean, (low, high), None if other.startswith("~") else goal(group[0])


def main() -> int:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("cells", nargs="+")
    a.add_argument("--json")
    o = a.parse_args()
    cells = [c for path in o.cells for c in json.loads(Path(path).read_bytes())]
    payloads = list(dict.fromkeys(c["payload"] for c in cells))
    print(f"{'runtime':14} {'operation':17} {'against':26} " + " ".join(f"{p:>10}" for p in payloads) + f"  {'mean':>5} {'(interval)':13} goal")
    for runtime, op, other, ratios, mean, (low, high), most in rows(cells):
        line = " ".join(f"{ratios[p]:10.2f}" if p in ratios else f"{'—':>10}" for p in payloads)
        verdict = "" if most is None else f"≤ {most:.2f} {'●' if mean <= most else '○'}"
        print(f"{runtime:14} {op:17} {other:26} {line}  {mean:5.2f} ({low:.2f}–{high:.2f})   {verdict}")
    failures = [(c["id"], n, why) for c in cells for n, why in c["failed"].items()]
    for where, name, why in failures:
        print(f"✗ {where}: {name}: {why}")
    noise = statistics.median(common.spread(s) for c in cells for s in c["rounds"].values())
    print(f"noise: half the interquartile range is {100 * noise:.1f} % of the median (median of all contestants)")
    if o.json:
        common.write_record(o.json, {"meta": common.meta(), "cells": cells})
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
