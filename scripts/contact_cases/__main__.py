# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the cases, prints a row for each and keeps them; ``scripts/contact_suite`` starts it."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from contact_cases.cases import CASES  # noqa: E402
from contact_cases.record import keep_rows, write_tables  # noqa: E402
from contact_cases.rows import row_of  # noqa: E402


def main() -> int:
    """Run, print and draw; 1 when anything crosses or diverges."""
    options = parse()
    if options.keep:
        keep_rows([row for path in options.keep for row in json.loads(path.read_text(encoding="utf-8"))])
        write_tables()
        return 0
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if not options.names or case.name in options.names]
    runs = [(case, n, start) for case in chosen for n in options.substeps for start in range(options.starts)]
    rows = []
    print("case             substeps start  frames crossed  most first  apart  told  gap %  dip %      mm/s       ms")
    # Taichi does not survive a fork, and takes the precision of one scene
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, context, max_tasks_per_child=1) as pool:
        futures = [
            pool.submit(row_of, case.name, start, n, options.frames, options.pictures) for case, n, start in runs
        ]
        for future in futures:
            row = future.result()
            rows.append(row)
            print(
                "{case:16} {substeps:8} {start:5} {frames_crossed:15} {most_crossings:5} {first_crossed:5} "
                "{recovered:6} {frames_told:5} {gap_error:6.2f} {dip:6.2f} {speed_mm_s:9.3f} "
                "{milliseconds:8.1f} {end}".format(**row),
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if any(row["frames_crossed"] or row["end"] for row in rows) else 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="contact_suite", description="Count what crosses where bodies meet.")
    names = ", ".join(case.name for case in CASES)
    parser.add_argument("names", nargs="*", metavar="CASE", help=f"only these: {names}")
    parser.add_argument("--starts", type=int, default=10, help="jittered starts of each (default: %(default)s)")
    parser.add_argument("--substeps", type=int, nargs="+", default=[3, 10, 20], help="(default: 3 10 20)")
    parser.add_argument("--frames", type=int, default=1000, help="simulate no more than these of each")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw a sheet of each case's first start")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows")
    parser.add_argument(
        "--keep", type=Path, nargs="+", metavar="FILE", help="run nothing: write rows of such files into the docs"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
