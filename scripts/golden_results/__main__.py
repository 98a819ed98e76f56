# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes the scenes and records them, or compares; ``scripts/golden`` starts it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from blender_xpbd.jobs.version import SOLVER_VERSION  # noqa: E402
from golden_results.computed import digests, processor  # noqa: E402
from golden_results.record import Golden, RefusedError, read_record, renewed, write_record  # noqa: E402
from golden_results.sources import sources_digest  # noqa: E402


def main() -> int:
    """Record, unless bytes changed under an unchanged version; 1 when that was refused."""
    parser = argparse.ArgumentParser(prog="golden", description="Record the bytes that the solver computes.")
    parser.add_argument("--check", action="store_true", help="only say whether they could be recorded")
    options = parser.parse_args()
    found = Golden(SOLVER_VERSION, sources_digest(), {processor(): digests()})
    try:
        golden = renewed(read_record(), found)
    except RefusedError as refused:
        print(refused)
        return 1
    if options.check:
        print("The bytes are those of this version.")
        return 0
    write_record(golden)
    print(f"Recorded version {SOLVER_VERSION}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
