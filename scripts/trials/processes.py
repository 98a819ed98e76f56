# SPDX-License-Identifier: GPL-3.0-or-later
"""Which processes run, by what Linux tells of them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

_STOP_SECONDS = 20.0


def children(pid: int | None = None) -> set[int]:
    """Processes that one has started and that run.

    Args:
        pid: of their parent, None for this process.
    """
    found: set[int] = set()
    for path in Path(f"/proc/{os.getpid() if pid is None else pid}/task").glob("*/children"):
        try:
            listed = path.read_text(encoding="utf-8").split()
        except OSError:
            continue
        found.update(int(child) for child in listed if state_of(int(child)) not in {"", "Z"})
    return found


def state_of(pid: int) -> str:
    """One letter, as ``ps`` has it; "" where there is no such process."""
    return _stat(pid)[0]


def ends_within(pid: int, seconds: float) -> bool:
    """Whether a process that is not ours to wait for has ended before a time."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if state_of(pid) in {"", "Z"}:
            return True
        time.sleep(0.02)
    return False


def freeze(pid: int) -> bool:
    """Stop a process where it is; whether it was still running."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    limit = time.monotonic() + _STOP_SECONDS
    while (state := state_of(pid)) not in {"T", "Z", ""}:
        if time.monotonic() > limit:
            raise TimeoutError(f"process {pid} does not stop")
        time.sleep(0.0005)
    return state == "T"


def thaw(pid: int) -> None:
    """Let a stopped process go on."""
    os.kill(pid, signal.SIGCONT)


def _stat(pid: int) -> tuple[str, ...]:
    try:
        return tuple(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split())
    except OSError:
        return ("",)
