# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the parts and prints a table; ``scripts/reliability`` starts it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from trials.parts import PARTS  # noqa: E402
from trials.report import table, write_table  # noqa: E402
from trials.running import read_rows, run_part  # noqa: E402


def main() -> int:
    """Run what is missing, and print; 1 when anything did not hold."""
    options = parse()
    chosen = [part for part in PARTS if not options.names or part.name in options.names]
    if not options.only_report:
        for part in chosen:
            if why := part.missing():
                print(f"{part.name}: skipped, {why}")
                continue
            count = part.count if options.count is None else options.count
            run_part(part, max(1, round(count * options.share)), options.folder / f"{part.name}.jsonl")
    results = [(part, read_rows(options.folder / f"{part.name}.jsonl")) for part in PARTS]
    found = [(part, rows) for part, rows in results if rows]
    print(table(found))
    if options.write:
        write_table(found, PARTS)
    faults = [(part.name, row["number"], fault) for part, rows in found for row in rows for fault in row["faults"]]
    for name, number, fault in faults:
        print(f"{name} {number}: {fault}")
    of_all = [f"{part.name}: {fault}" for part, rows in found for fault in part.faults([row["kind"] for row in rows])]
    print("".join(f"{fault}\n" for fault in of_all), end="")
    return 1 if faults or of_all else 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="reliability", description="Kill bakes, fill disks, bake odd meshes. Goes on where it was stopped."
    )
    names = [part.name for part in PARTS]
    known = ", ".join(names)
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="PART", help=f"only these: {known}")
    parser.add_argument("--count", type=int, help="trials of each part; by default 200 kills, 10,000 meshes, ...")
    parser.add_argument("--share", type=float, default=1.0, help="of the counts, as 0.1 (default: %(default)s)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "reliability", help="of the rows (default: %(default)s)"
    )
    parser.add_argument("--only-report", action="store_true", help="run nothing, print what there is")
    parser.add_argument("--write", action="store_true", help="write the table into docs/reliability.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
