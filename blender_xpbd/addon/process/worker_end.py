# SPDX-License-Identifier: GPL-3.0-or-later
"""What the end of a worker process means, where its status does not say: the disk was full, or somebody killed it."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from pathlib import Path

from ...jobs.free_memory import tells_of_memory
from ...scene.errors import ERROR_EXIT_CODES, ExitCode, XpbdError

_SAID = re.compile(r"(E_[A-Z_]+): (.*\.)")
# A counter of Linux: how many processes the system has ended so far because memory ran out
_COUNTERS = Path("/proc/vmstat")
_OOM_COUNTER = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)


def fault_told_by(code: int, job: Path, log: str) -> XpbdError | None:
    """What made a worker end, by its exit status and the end of its log; None where that reads like a crash.

    Args:
        code: exit status, an ``ExitCode`` or another.
        job: the job folder.
        log: the last lines that the worker has printed, "" where they are lost.
    """
    if code == ExitCode.COMPLETE:
        return None
    if not job.is_dir():
        return unusable(job)
    return _own_words(code, log) or _usual_fault(code, job)


def unusable(job: Path) -> XpbdError:
    """The fault of a worker that could not read or write its job folder."""
    if not job.is_dir():
        return XpbdError(
            "E_IO", f"The folder {job} was deleted or moved while it was being computed: bake again, and leave it."
        )
    return XpbdError(
        "E_IO",
        f"The worker could not use {job}{_free_space(job)}: free space on the disk, or choose another cache "
        "folder, one that you may write to. Finished frames are kept.",
    )


def crash(code: int, log_file: Path, log: str, *, memory_ran_out: bool, is_played: bool = False) -> XpbdError:
    """A worker that did not end by itself.

    Args:
        code: exit status; negative for the signal that ended it.
        log_file: where its log is.
        log: the last lines of it.
        memory_ran_out: the system has ended a process for that while the worker ran.
        is_played: it was a run that is played, with which nobody can go on.
    """
    words = f" Its last words: {log}" if log else ""
    kept = "what was played can be kept" if is_played else "finished frames are kept, bake again to go on"
    killed = was_killed(code)
    if (killed and memory_ran_out) or tells_of_memory(log):
        return XpbdError(
            "E_MEMORY",
            "Memory ran out, and the worker was ended: close other programs, or lower the cage resolution or the "
            f"mesh's vertices. Finished frames are kept.{words}",
        )
    if killed:
        return XpbdError(
            "E_WORKER",
            f"The worker was killed (by signal 9): by the system, where memory is short, or by somebody; {kept}. Where "
            f"it happens again, close other programs.{words}",
        )
    return XpbdError(
        "E_WORKER",
        f"The worker crashed ({_how(code)}); {kept}. The whole log is {log_file}.{words}",
    )


def was_killed(code: int) -> bool:
    """Whether an exit status tells of a process that was ended from outside, without a word."""
    return sys.platform != "win32" and code == -signal.SIGKILL


def oom_kills() -> int | None:
    """How many processes the system has ended so far because memory ran out; None where it does not count them."""
    try:
        counted = _OOM_COUNTER.search(_COUNTERS.read_text())
    except OSError:
        return None
    return int(counted[1]) if counted else None


def _own_words(code: int, log: str) -> XpbdError | None:
    """The last error in the log that fits the exit status."""
    for line in reversed(log.splitlines()):
        said = _SAID.fullmatch(line)
        if said and ERROR_EXIT_CODES.get(said[1]) == code and code != ExitCode.CRASHED:
            return XpbdError(said[1], said[2])
    return None


def _usual_fault(code: int, job: Path) -> XpbdError | None:
    if code == ExitCode.LOCKED:
        return XpbdError("E_LOCKED", f"Another bake is computing {job}; wait for it, or stop it.")
    if code == ExitCode.INTERRUPTED:
        return XpbdError("E_INTERRUPTED", "The worker was stopped; bake again to go on from there.")
    if code == ExitCode.DIVERGED:
        return XpbdError("E_DIVERGED", "The simulation blew up; try more substeps.")
    return unusable(job) if code == ExitCode.IO else None


def _free_space(job: Path) -> str:
    try:
        return f" ({shutil.disk_usage(job).free} bytes are free there)"
    except OSError:
        return ""


def _how(code: int) -> str:
    if code < 0 and sys.platform != "win32" and -code in set(signal.Signals):
        return f"by signal {-code}, {signal.Signals(-code).name}"
    return f"exit status {code}"
