# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the cases and writes the report; ``scripts/validate`` starts it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from validation.case import Case, Result, Row  # noqa: E402
from validation.cases import CASES  # noqa: E402
from validation.execution import results  # noqa: E402
from validation.plots import draw  # noqa: E402
from validation.product.accuracy import comparison, lines, write_accuracy  # noqa: E402
from validation.product.converged import record_converged  # noqa: E402
from validation.product.probe import Comparison  # noqa: E402
from validation.report import write_report  # noqa: E402


def main() -> int:
    """Run, print and write; 1 when a number is outside its tolerance."""
    options = parse()
    if options.accuracy:
        if options.converge:
            record(comparison(options.scenes))
        write_accuracy(lines(options.scenes), options.output / "accuracy.md")
        return 0
    chosen = [
        case for case in CASES if (not options.only or case.name in options.only) and (case.quick or not options.quick)
    ]
    if options.converge:
        converge(chosen)
        return 0
    pictures = options.output / "validation"
    pictures.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for case, result, seconds in results(chosen, options.jobs):
        rows += result.rows
        print(f"{case.title} [{seconds:.1f} s]", flush=True)
        print_rows(result)
        draw(result.plot, pictures / f"{case.name}.png")
        # at once: a run that is stopped keeps what it has found
        write_report([(case, result)], options.output / "validation.md", CASES)
    outside, missed = sum(row.has_failed for row in rows), sum(not row.is_within and not row.has_failed for row in rows)
    print(f"{outside} numbers are outside their tolerance." if outside else "All numbers are within their tolerance.")
    print(f"{missed} numbers miss their goal, as they are known to.")
    if any(row.is_reached for row in rows):
        print("Where it says REACHED, remove the bound: the goal holds.")
    return 1 if outside else 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="validate", description="Compare the solver with results that are known.")
    parser.add_argument("--only", nargs="+", metavar="CASE", choices=[case.name for case in CASES], help="only these")
    parser.add_argument("--quick", action="store_true", help="only cases that take less than two seconds")
    text = "compute and record what the cases through the add-on give with many more substeps; takes very long"
    parser.add_argument("--converge", action="store_true", help=text)
    text = "write docs/accuracy.md instead; with --converge, what many more substeps give is recorded before"
    parser.add_argument("--accuracy", action="store_true", help=text)
    text = "with --accuracy, only the rows of scenes whose names begin so; other rows stay"
    parser.add_argument("--scenes", nargs="+", metavar="NAME", default=[], help=text)
    jobs = min(2, os.cpu_count() or 1)
    parser.add_argument("--jobs", type=int, default=jobs, help="cases at a time (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "docs", help="folder of the report (default: docs)")
    return parser.parse_args()


def converge(chosen: Sequence[Case]) -> None:
    """Record the converged numbers of those cases that have any."""
    for case in chosen:
        if isinstance(case.run, Comparison):
            record(case.run)


def record(comparison: Comparison) -> None:
    """Compute and record the converged numbers of a comparison."""
    found = comparison.converge()
    record_converged(found)
    for key, number in found.items():
        print(f"{key}: {number.value:.5g} with {number.substeps} substeps", flush=True)


def print_rows(result: Result) -> None:
    """Print every number of a case."""
    for row in result.rows:
        verdict = "REACHED" if row.is_reached else "ok" if row.is_within else "OUTSIDE" if row.has_failed else "misses"
        settings = f" at {row.settings}" if row.settings else ""
        converged = "" if row.converged is None else f", converged {row.converged:.5g}"
        print(
            f"  {verdict:7} {row.label}: {row.got:.5g}{settings} ({row.expected}; {row.error or '-'}{converged})",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
