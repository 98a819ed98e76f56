# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs trials one after another; ``running`` starts it and watches it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from trials.part import Outcome, Part  # noqa: E402
from trials.parts import part_by_name  # noqa: E402
from trials.running import announce, append_row, read_rows  # noqa: E402
from trials.tree import tree  # noqa: E402


def main(name: str, first: int, end: int, path: Path) -> None:
    """Run those of a part's trials that have no row yet."""
    # the compiled kernels of the checkout; nothing of a trial goes to the user's cache
    os.environ.setdefault("XPBD_TAICHI_CACHE", str(ROOT / ".cache" / "taichi"))
    part = part_by_name(name)
    # of its own for all that is started, for what is killed leaves something there
    with tempfile.TemporaryDirectory(prefix="xpbd-trials-", ignore_cleanup_errors=True) as own:
        tempfile.tempdir = os.environ["TMPDIR"] = own
        # Blender looks for the user's presets and settings there
        os.environ["BLENDER_USER_RESOURCES"] = str(Path(own) / "resources")
        _run(part, range(first, end), path)
    announce("end")


def _run(part: Part, numbers: range, path: Path) -> None:
    done = {row["number"] for row in read_rows(path)}
    # what a process has imported stays what it was when it began
    state = tree()
    for number in numbers:
        if number in done:
            continue
        announce(str(number))
        began, began_cpu = time.perf_counter(), _cpu_seconds()
        outcome = _outcome(part, number)
        row = {
            "number": number,
            "kind": outcome.kind,
            "faults": list(outcome.faults),
            "figures": outcome.figures,
            "counts": outcome.counts,
            "seconds": round(time.perf_counter() - began, 3),
            "cpu": round(_cpu_seconds() - began_cpu, 3),
            "tree": state,
        }
        append_row(path, row)


def _cpu_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _outcome(part: Part, number: int) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="xpbd-trial-", ignore_cleanup_errors=True) as folder:
        try:
            return part.run(number, Path(folder))
        except Exception as fault:  # noqa: BLE001 - whatever is not caught is what is looked for
            traceback.print_exc()
            notes = "; ".join(getattr(fault, "__notes__", ()))
            return Outcome("raised", (f"{type(fault).__name__}: {fault}"[:500] + f" {notes}".rstrip(),))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    sys.stdout.flush()
    sys.stderr.flush()
    # pip's bpy now and then hangs where C++ is torn down
    os._exit(0)
