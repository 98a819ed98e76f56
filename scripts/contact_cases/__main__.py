# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the cases and prints a row for each; ``scripts/contact_suite`` starts it."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from contact_cases import on_colliders, on_each_other  # noqa: E402
from contact_cases.case import Case  # noqa: E402
from contact_cases.pictures import draw_sheet  # noqa: E402
from contact_cases.running import run_case  # noqa: E402

CASES: tuple[Case, ...] = (*on_colliders.CASES, *on_each_other.CASES)


def main() -> int:
    """Run, print and draw; 1 when anything crosses or diverges."""
    options = parse()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if not options.names or case.name in options.names]
    runs = [(case, n, start) for case in chosen for n in options.substeps for start in range(options.starts)]
    rows = []
    print("case         substeps start  frames crossed  most first      mm/s       ms")
    # Taichi does not survive a fork, and takes the precision of one scene
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(run, case.name, start, n, options.pictures) for case, n, start in runs]
        for future in futures:
            row = future.result()
            rows.append(row)
            print(
                "{case:12} {substeps:8} {start:5} {frames_crossed:15} {most_crossings:5} {first_crossed:5} "
                "{speed_mm_s:9.3f} {milliseconds:8.1f} {end}".format(**row),
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if any(row["frames_crossed"] or row["end"] for row in rows) else 0


def run(name: str, start: int, substeps: int, pictures: Path | None) -> dict[str, Any]:
    """Run a case from one start in a process of its own: a row of the table."""
    case = next(case for case in CASES if case.name == name)
    judge, seen = run_case(case, start, substeps)
    if pictures and start == 0 and seen.surfaces:
        title = f"{case.name}, {substeps} substeps: {seen.frames_crossed} frames with crossings"
        draw_sheet(judge, seen, title, pictures / f"{case.name}-{substeps}.png")
    return {
        "case": name,
        "substeps": substeps,
        "start": start,
        "frames_crossed": seen.frames_crossed,
        "most_crossings": seen.most_crossings,
        "first_crossed": seen.first_crossed,
        "speed_mm_s": 1e3 * seen.speed,
        "milliseconds": seen.milliseconds,
        "end": "DIVERGED" if seen.diverged else "",
    }


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="contact_suite", description="Count what crosses where bodies meet.")
    names = ", ".join(case.name for case in CASES)
    parser.add_argument("names", nargs="*", metavar="CASE", help=f"only these: {names}")
    parser.add_argument("--starts", type=int, default=10, help="jittered starts of each (default: %(default)s)")
    parser.add_argument("--substeps", type=int, nargs="+", default=[3, 10, 20], help="(default: 3 10 20)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw a sheet of each case's first start")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
