# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the first tries and prints a table; ``scripts/first_tries`` starts it."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from first_try.judge import Verdict, judge  # noqa: E402
from first_try.running import run_try  # noqa: E402
from first_try.table import table, write_table  # noqa: E402
from first_try.tries import TRIES, Try  # noqa: E402


def main() -> int:
    """Run what is missing, and print; 1 when anything exploded or was silent."""
    options = parse()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [what for what in TRIES if options.only in what.name]
    rows = [(what.name, verdict) for what in chosen if (verdict := _verdict(what, options)) is not None]
    if not rows:
        print("Nothing was tried yet.")
        return 0
    print(table(rows))
    if options.write:
        write_table(rows)
    return 1 if any(one.explosions or one.silences for _, one in rows) else 0


def _verdict(what: Try, options: argparse.Namespace) -> Verdict | None:
    """That of an earlier run, or of one now; None where there is none and nothing is to be run."""
    path = options.folder / f"{what.name}.json"
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()
        }
        return Verdict(**values)
    if options.only_report:
        return None
    verdict = judge(what, run_try(what))
    path.write_text(json.dumps(asdict(verdict)), encoding="utf-8")
    print(what.name, *verdict.explosions, *verdict.silences, flush=True)
    return verdict


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="first_tries", description="Add a primitive, give it a role, bake. Goes on where it was stopped."
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only those whose name holds it, as jelly or 10 m")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "first_tries", help="of what came (default: %(default)s)"
    )
    parser.add_argument("--only-report", action="store_true", help="run nothing, print what there is")
    parser.add_argument("--write", action="store_true", help="write the table into docs/first-tries.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
