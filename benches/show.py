#!/usr/bin/env python3
"""Prints the tables of one or more records, or turns the bare list of cells that a harness wrote into a record.

    show.py RECORD…
    show.py --cells FILE [--json RECORD] [--note KEY=VALUE]…
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import common


def main() -> int:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("records", nargs="*")
    a.add_argument("--cells", help="a file with a list of cells, as the Rust and JavaScript harnesses write it")
    a.add_argument("--json", help="write the record here")
    a.add_argument("--note", action="append", default=[], help="KEY=VALUE for the record's meta")
    o = a.parse_args()
    cells = []
    if o.cells:
        cells = json.loads(Path(o.cells).read_bytes())
        if o.json:
            common.write_record(o.json, {"meta": common.meta(**dict(n.split("=", 1) for n in o.note)), "cells": cells})
    for path in o.records:
        record = json.loads(Path(path).read_bytes())
        print(f"{path}: {record['meta'].get('date')} {record['meta'].get('commit')} on {record['meta'].get('cpu')}")
        cells += record["cells"]
    common.table(cells)
    # A cell in which our own output is wrong is a failure of the run, not a row of it.
    return 1 if any(c["ours"] in c["failed"] for c in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
