#!/usr/bin/env python3
"""Tests of the harnesses themselves: what they would report wrongly without anyone noticing. Needs nothing but Python."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "python")]
import common  # noqa: E402, I001
import contestants  # noqa: E402
import payloads  # noqa: E402
import plot  # noqa: E402


def script(name: str):
    """A module from a command that has no suffix."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def cell(**rounds) -> dict:
    return {
        "id": "T/op/p", "op": "op", "payload": "p", "runtime": "T", "key": True, "ours": "samewire", "bytes": 1, "failed": {},
        "rounds": rounds,
    }  # fmt: skip


def noisy(base: float) -> list[float]:
    return [base * (1 + ((i * 7) % 11 - 5) / 500) for i in range(31)]


class Payloads(unittest.TestCase):
    def test_checked_in_files_are_what_the_generator_writes(self):
        self.assertEqual(subprocess.run([sys.executable, HERE / "payloads/generate.py", "--check"], check=False).returncode, 0)

    def test_a_changed_file_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "payloads"
            shutil.copytree(HERE / "payloads", copy, ignore=shutil.ignore_patterns("large"))
            path = copy / "ints.json"
            path.write_text(path.read_text().replace("1", "2", 1))
            run = subprocess.run([sys.executable, copy / "generate.py", "--check"], capture_output=True, check=False)
            self.assertEqual(run.returncode, 1)

    def test_instances_differ(self):
        for p in payloads.load(["event", "request", "nested", "dictionary", "shapes", "ints", "flags", "unicode", "deep"]):
            self.assertEqual(len(set(p.texts)), len(p.texts), p.name)
            self.assertGreaterEqual(len(p.texts), 8, p.name)

    def test_every_dictionary_key_occurs_once(self):
        (p,) = payloads.load(["dictionary"])
        keys = [k for i in range(len(p.texts)) for k in p.plain(i)]
        self.assertEqual(len(keys), 16 * 200)
        self.assertEqual(len(set(keys)), len(keys))


class Correctness(unittest.TestCase):
    def verdict(self, call, op="loads", name="event"):
        (p,) = payloads.load([name])
        build, _ = contestants.build_inputs(op, p, {"json": json})
        return contestants.check(op, p, "x", call, build, {"json": json})

    def test_right_output_passes(self):
        self.assertIsNone(self.verdict(json.loads))
        self.assertIsNone(self.verdict(json.dumps, "dumps"))

    def test_wrong_outputs_are_found(self):
        self.assertIn("wrong output", self.verdict(lambda b: {**json.loads(b), "uid": 1.5}))
        self.assertIn("wrong output", self.verdict(lambda b: dict(reversed(json.loads(b).items()))))
        self.assertIn("wrong output", self.verdict(lambda b: {k: float(v) if k == "followers" else v for k, v in json.loads(b).items()}))
        self.assertIn("wrong output", self.verdict(lambda b: [bool(x) for x in json.loads(b)], name="flags"))
        self.assertIn("wrong output", self.verdict(lambda o: json.dumps(o, sort_keys=True), "dumps"))
        self.assertIn("TypeError", self.verdict(lambda b: json.loads(b) + 1))

    def test_instants_are_compared(self):
        def truncated(o):
            return json.dumps([{**row, "created": row["created"].replace(microsecond=0)} for row in o], default=str)

        exact = self.verdict(lambda o: json.dumps(o, default=lambda t: t.isoformat()), "dumps", "times")
        self.assertIsNone(exact)
        self.assertIn("wrong output", self.verdict(truncated, "dumps", "times"))


class Statistics(unittest.TestCase):
    def test_mann_whitney(self):
        test = script("compare").mann_whitney
        low, high = [float(i) for i in range(10)], [float(i) for i in range(10, 20)]
        self.assertAlmostEqual(test(low, high), 1.827e-4, delta=2e-6)  # R: wilcox.test(0:9, 10:19, exact=FALSE)
        self.assertEqual(test(low, low), 1.0)
        self.assertEqual(test([1.0] * 5, [1.0] * 5), 1.0)

    def test_only_peers_are_fastest(self):
        c = cell(samewire=[1.0] * 9, a=[3.0] * 9, b=[2.0] * 9, **{"~other": [0.1] * 9, "samewire (x)": [0.5] * 9})
        self.assertEqual(common.fastest(c), "b")
        low, high = common.interval(common.bootstrap(c, "samewire", "b"))
        self.assertEqual((low, high), (0.5, 0.5))

    def test_the_table_says_what_failed(self):
        c = cell(a=noisy(2.0))
        c["failed"] = {"samewire": "wrong output for instance 3"}
        lines: list[str] = []
        common.table([c], lines.append)
        self.assertIn("T/op/p: samewire: wrong output for instance 3", "\n".join(lines))
        self.assertTrue(plot.svg([c], "t").startswith("<svg"))


class Compare(unittest.TestCase):
    def outcome(self, before: dict, after: dict) -> int:
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, c in (("a", before), ("b", after)):
                paths.append(f"{folder}/{name}.json")
                common.write_record(paths[-1], {"meta": {}, "cells": [c]})
            old, sys.argv = sys.argv, ["compare", *paths]
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    return script("compare").main()
            finally:
                sys.argv = old

    def test_slower_fails_and_a_slower_machine_does_not(self):
        base = cell(samewire=noisy(100.0), peer=noisy(200.0))
        self.assertEqual(self.outcome(base, cell(samewire=noisy(100.0), peer=noisy(200.0))), 0)
        self.assertEqual(self.outcome(base, cell(samewire=noisy(110.0), peer=noisy(200.0))), 1)
        self.assertEqual(self.outcome(base, cell(samewire=noisy(150.0), peer=noisy(300.0))), 0)
        self.assertEqual(self.outcome(base, cell(samewire=noisy(80.0), peer=noisy(200.0))), 0)

    def test_instructions_may_grow_by_one_per_cent(self):
        def counted(n):
            return {**cell(), "instructions": {"samewire": n}}

        self.assertEqual(self.outcome(counted(1000), counted(1009)), 0)
        self.assertEqual(self.outcome(counted(1000), counted(1011)), 1)

    def test_nothing_in_common_is_no_success(self):
        other = cell(samewire=noisy(1.0), peer=noisy(1.0))
        other["id"] = "T/other/p"
        self.assertEqual(self.outcome(cell(samewire=noisy(1.0), peer=noisy(1.0)), other), 1)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    bad, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    print(f"{result.testsRun - bad - skipped} passed, {bad} failed, {skipped} skipped")
    sys.exit(1 if bad else 0)
