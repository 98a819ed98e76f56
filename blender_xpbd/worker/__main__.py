# SPDX-License-Identifier: GPL-3.0-or-later
"""Entry of the worker process."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from pathlib import Path
from typing import NoReturn

from ..device.quick_import import finish_import, prepare_import
from ..jobs.log import bear_a_full_disk
from ..scene.errors import ExitCode
from .early_end import EarlyEnd
from .stop_signal import StopSignal
from .sudden_end import SuddenEnd

# of what compiles while an artist works: where there is other work, it gets about a tenth of a core
NICENESS = 10


def main(arguments: list[str] | None = None) -> int:
    """Run a job; the exit status is an ``ExitCode``."""
    parser = argparse.ArgumentParser(prog="blender_xpbd.worker", description="Simulate a job folder.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("job", type=Path, nargs="?", help="the folder that holds job.json")
    what.add_argument(
        "--wait",
        type=float,
        metavar="SECONDS",
        help="import everything, then take jobs from standard input, each a line of JSON, {job: folder}; end where it "
        "ends, when there is none for that long, or when a job leaves nothing that would serve the next one",
    )
    parser.add_argument(
        "--ready",
        type=Path,
        metavar="FILE",
        help="gets the number of jobs done, each time that the worker waits for another one",
    )
    parser.add_argument(
        "--stop-at-end-of-input",
        action="store_true",
        help="stop, resumable, when standard input ends: that is, when the process that asked for the bake is gone",
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="compile the kernels that the job needs, at a low priority, and keep them alone; SIGTERM ends it at once",
    )
    parser.add_argument("--play", action="store_true", help="wait before each frame for its input, until stopped")
    options = parser.parse_args(arguments)
    early = EarlyEnd(sys.stdin.fileno()) if options.stop_at_end_of_input else None
    bear_a_full_disk()
    if options.compile and hasattr(os, "nice"):
        os.nice(NICENESS)
    # what is loaded and compiled stays to the end, so that there is nothing to collect before the first frame
    gc.disable()
    # NumPy's matrices are small here: threads for them cost ten times the work, and take cores from the solver
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare_import()
    try:
        # taichi greets on standard output; imported here so that a wrong call needs no second
        from .compile_runner import compile_job
        from .job_queue import take_jobs
        from .play_runner import run_any_job

        finish_import()
        if early is not None:
            early.leave_off()
    except OSError as fault:
        if fault.errno is None:
            raise
        # on a full disk there is no temporary folder either, which Taichi asks for
        print(f"E_IO: The worker cannot start: {fault.strerror}; free space on the disk.", flush=True)
        return int(ExitCode.IO)

    if options.compile:
        end = SuddenEnd()
        if options.stop_at_end_of_input:
            end.watch(sys.stdin.fileno())
        return int(compile_job(options.job, taichi_cache_folder(), end))
    if options.wait is not None:
        return int(take_jobs(sys.stdin.fileno(), options.wait, options.ready, taichi_cache_folder()))
    stop = StopSignal()
    stop.obey_signals()
    if options.stop_at_end_of_input:
        stop.watch(sys.stdin.fileno())
    return int(run_any_job(options.job, stop, taichi_cache_folder(), is_played=options.play))


def taichi_cache_folder() -> Path:
    """Where compiled kernels are kept: ``XPBD_TAICHI_CACHE``, or a folder of the user's own."""
    given = os.environ.get("XPBD_TAICHI_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "xpbd_physics" / "taichi"


def leave(status: int) -> NoReturn:
    """End the process at once: to take Taichi and its compiler apart would cost as much as 30 frames of cloth."""
    for stream in (sys.stdout, sys.stderr):
        # whoever read them may be gone, they may be closed, and a Python without a console has none
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(status)


if __name__ == "__main__":
    leave(main())
