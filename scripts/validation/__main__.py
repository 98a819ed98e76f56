# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the cases in processes of their own and writes the report; ``scripts/validate`` starts it."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from validation.case import Result  # noqa: E402
from validation.cases import CASES  # noqa: E402
from validation.plots import draw  # noqa: E402
from validation.report import write_report  # noqa: E402


def prepare() -> None:
    """Start Taichi in a process, once."""
    from blender_xpbd.solver.runtime import start_taichi

    start_taichi("CPU", 0, ROOT / ".cache" / "taichi")


def run_case(name: str) -> tuple[Result, float]:
    """Run one case; answer its result and its seconds."""
    began = time.perf_counter()
    result = next(case for case in CASES if case.name == name).run()
    return result, time.perf_counter() - began


def main() -> int:
    """Run, print and write; 1 when a number is outside its tolerance."""
    parser = argparse.ArgumentParser(description="Compare the solver with results that are known.")
    parser.add_argument("--only", nargs="+", metavar="CASE", choices=[case.name for case in CASES], help="only these")
    parser.add_argument("--quick", action="store_true", help="only cases that take less than two seconds")
    parser.add_argument(
        "--jobs", type=int, default=min(2, os.cpu_count() or 1), help="cases at a time (default: %(default)s)"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "docs", help="folder of the report (default: docs)")
    options = parser.parse_args()
    chosen = [
        case for case in CASES if (not options.only or case.name in options.only) and (case.quick or not options.quick)
    ]
    # part of the cases would make a report that lacks the others
    is_whole = len(chosen) == len(CASES) or options.output != ROOT / "docs"
    pictures = options.output / "validation"
    pictures.mkdir(parents=True, exist_ok=True)
    found, outside = [], 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, context, initializer=prepare) as pool:
        futures = [(case, pool.submit(run_case, case.name)) for case in chosen]
        for case, future in futures:
            result, seconds = future.result()
            found.append((case, result))
            print(f"{case.title} [{seconds:.1f} s]", flush=True)
            for row in result.rows:
                outside += not row.is_within
                verdict = "ok     " if row.is_within else "OUTSIDE"
                print(f"  {verdict} {row.label}: {row.got:.5g} ({row.expected}; {row.error or '-'})")
            draw(result.plot, pictures / f"{case.name}.png")
    if is_whole:
        write_report(found, options.output / "validation.md")
    print(f"{outside} numbers are outside their tolerance." if outside else "All numbers are within their tolerance.")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
