# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs trials in a process of their own, so that a crash is a result; goes on where an earlier run has stopped."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .part import Part
from .tree import tree

_PIPE = "TRIALS_PIPE"

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """What earlier runs have found, a row for each trial; a line that was cut off by a kill is left out."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def run_part(part: Part, count: int, path: Path) -> list[Row]:
    """Run what is missing of the first trials of a part.

    Args:
        part: its trials are run one after another.
        count: trials in all.
        path: of the file to which a row is added after each.

    Returns:
        The rows of all of them; fewer where a process has ended before its first trial, which is a fault of that one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {row["number"] for row in read_rows(path)}
    left = [number for number in range(count) if number not in done]
    begins = True
    while left and begins:
        begins = _run_child(part, left, path)
        finished = {row["number"] for row in read_rows(path)}
        left = [number for number in left if number not in finished]
    return [row for row in read_rows(path) if row["number"] < count]


def _run_child(part: Part, numbers: list[int], path: Path) -> bool:
    """Run trials until all are done or the process has ended; whether one of them began."""
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "trials.child", part.name, str(numbers[0]), str(numbers[-1] + 1), str(path)]
    environment = {**os.environ, _PIPE: str(writing)}
    folder = Path(__file__).resolve().parent.parent
    with path.with_suffix(".log").open("ab") as log:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            pass_fds=(writing,),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    os.close(writing)
    begun, ending = _watch(reading, part.limit)
    os.close(reading)
    if ending == "done":
        child.wait()
    else:
        hangs = ending == "hangs"
        if not hangs:
            # the pipe is closed a moment before there is a status
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(part.limit)
        # with what it has started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        status = child.wait()
        why = f"hangs after {part.limit:.0f} s" if hangs else f"crashed with status {status}"
        number = numbers[0] if begun is None else begun
        row = {
            "number": number,
            "kind": "crashed or hung",
            "faults": [why],
            "figures": {},
            "seconds": 0.0,
            "tree": tree(),
        }
        append_row(path, row)
    return begun is not None


def _watch(reading: int, limit: float) -> tuple[int | None, str]:
    """The trial that began last, None for none, and what then became of the process: "done", "ended" or "hangs"."""
    begun: int | None = None
    text = b""
    while True:
        # a process that starts, loads Blender too
        ready, _, _ = select.select([reading], [], [], limit if begun is not None else 120.0 + limit)
        if not ready:
            return begun, "hangs"
        chunk = os.read(reading, 4096)
        if not chunk:
            return begun, "ended"
        *lines, text = (text + chunk).split(b"\n")
        for line in lines:
            if line == b"end":
                return begun, "done"
            begun = int(line)


def announce(word: str) -> None:
    """Tell the parent which trial begins, or that all are done."""
    os.write(int(os.environ[_PIPE]), f"{word}\n".encode())


def append_row(path: Path, row: Row) -> None:
    """Add a row to the file of a part, in one write."""
    with path.open("ab", buffering=0) as file:
        file.write(json.dumps(row).encode() + b"\n")
