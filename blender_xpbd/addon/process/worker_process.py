# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker as a child process: started, watched, stopped."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from ...jobs.log import LOG_FILE, open_log, read_log
from ...jobs.status import Status, read_status
from ...scene.errors import ExitCode, XpbdError
from .private_folder import private_folder
from .waiting_process import WaitingProcess
from .worker_command import worker_command
from .worker_end import crash, fault_told_by, oom_kills, unusable, was_killed
from .worker_python import NO_WINDOW, WorkerPython

CANCEL_SECONDS = 1.0
_LOG_TAIL_BYTES = 4096
_LOG_TAIL_LINES = 6
# lines that every worker writes
_TELLS_NOTHING = ("[Taichi]", "By material:")


class WorkerProcess:
    """One worker for one job, started again once if it crashes before its first frame.

    The end of its input tells the worker to finish its frame and stop; it comes too when this process dies.
    """

    def __init__(
        self,
        python: WorkerPython,
        job: Path,
        waiting: WaitingProcess | None = None,
        *,
        is_played: bool = False,
    ) -> None:
        """Start the worker.

        Args:
            python: interpreter and environment.
            job: the job folder.
            waiting: a process that waits for a job, or None to start one.
            is_played: it waits for the input of each frame.

        Raises:
            XpbdError: E_IO or E_WORKER when it cannot be started, E_CACHE when its log is not what it should be.
        """
        self._python = python
        self._job = job.absolute()
        self._is_played = is_played
        self._retried = False
        self._log_start = 0
        self._oom_kills = oom_kills()
        self._stale: Status | None = None
        self._waiting = waiting if waiting is not None and self._give_job(waiting) else None
        self._process = self._waiting.process if self._waiting is not None else self._start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def status(self) -> Status | None:
        """What this worker says about this run; None where it has not yet, or where other words stand there.

        Those may be torn, as a power cut leaves them; this one's are whole (``jobs.files.publish``).
        """
        status = self._words()
        is_new = status is not None and status.pid == self._process.pid and status != self._stale
        return status if is_new else None

    def _words(self) -> Status | None:
        """What stands there, None for nothing and for what is torn."""
        try:
            return read_status(self._job)
        except XpbdError as fault:
            if fault.code != "E_CACHE":
                raise
            return None

    def poll(self) -> bool:
        """Whether it has ended well, or waits for another job.

        Returns:
            False while it runs.

        Raises:
            XpbdError: what made it fail: its own words, or E_WORKER, E_MEMORY and the end of its log.
        """
        code = self._process.poll()
        if code is None:
            return self._waits_again()
        status = self.status()
        if code == ExitCode.COMPLETE and status is None and self._waiting is not None:
            # it has ended by itself before it heard of the job
            self._start_anew()
            return False
        if code == ExitCode.COMPLETE and status is not None and status.state == "COMPLETE":
            return True
        if status is not None and status.error is not None:
            error = status.error.to_error()
        else:
            error = fault_told_by(code, self._job, self.log_tail()) or self._crash(code)
        crashed = error.code == "E_WORKER" and not was_killed(code)
        if crashed and not self._retried and (status is None or status.frames_done == 0):
            # A damaged cache of compiled kernels is the likeliest reason, and it costs little to do without
            self._retried = True
            self._empty_kernel_cache()
            self._start_anew()
            return False
        raise error

    def _start_anew(self) -> None:
        self.kill()
        self._waiting, self._process = None, self._start()

    def _waits_again(self) -> bool:
        if not self._is_ready():
            return False
        status = self.status()
        if status is None or status.state != "COMPLETE":
            # what it said last is gone: with the folder, or damaged
            raise unusable(self._job)
        return True

    def let_go(self) -> WaitingProcess | None:
        """Give it to others, if it waits for another job; else end it at once."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.process.poll() is None and waiting.is_ready():
            waiting.since = time.monotonic()
            waiting.clear_up()
            return waiting
        self.kill()
        return None

    def _crash(self, code: int) -> XpbdError:
        now = oom_kills()
        ran_out = now is not None and self._oom_kills is not None and now > self._oom_kills
        return crash(code, self._job / LOG_FILE, self.log_tail(), memory_ran_out=ran_out, is_played=self._is_played)

    def _empty_kernel_cache(self) -> None:
        """Empty the cache of compiled kernels where it is ours; one that the user names is theirs to empty."""
        if not self._python.owns_kernel_cache:
            return
        # where it cannot be emptied, the worker tells what keeps it from working
        shutil.rmtree(self._python.environment["XPBD_TAICHI_CACHE"], ignore_errors=True)

    def cancel(self, seconds: float = CANCEL_SECONDS) -> None:
        """Let it finish its frame and stop; after some seconds, end it. One that waits for jobs then waits again."""
        self._ask_to_stop()
        limit = time.monotonic() + seconds
        while self._process.poll() is None and not self._is_ready() and time.monotonic() < limit:
            time.sleep(0.01)
        if not self._is_ready():
            self.kill()

    def _ask_to_stop(self) -> None:
        if self._waiting is None:
            self._close_input()
            return
        with contextlib.suppress(OSError):
            self._waiting.stop_job()

    def _is_ready(self) -> bool:
        return self._waiting is not None and self._waiting.is_ready()

    def kill(self) -> None:
        """End it at once; frames that are published stay."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._close_input()
        if self._waiting is not None:
            self._waiting.clear_up()

    def _close_input(self) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def _give_job(self, waiting: WaitingProcess) -> bool:
        """Tell a waiting process what to compute; whether it has lived until then."""
        try:
            with open_log(self._job) as log:
                self._log_start = os.fstat(log).st_size
            # of a run before by the same process
            self._stale = self._words()
            waiting.give(self._job, is_played=self._is_played)
        except (OSError, XpbdError):
            # where it is the log that cannot be opened, the worker that is started instead says so
            waiting.kill()
            self._stale = None
            return False
        return True

    def _start(self) -> subprocess.Popen[bytes]:
        with open_log(self._job) as log:
            self._log_start = os.fstat(log).st_size
            try:
                return subprocess.Popen(
                    [*worker_command(self._python, self._job), *(["--play"] if self._is_played else [])],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=dict(self._python.environment),
                    cwd=private_folder(),
                    creationflags=NO_WINDOW,
                    # Ctrl+C in a terminal goes to Blender, which tells the worker in its own way
                    start_new_session=sys.platform != "win32",
                )
            except OSError as fault:
                raise XpbdError("E_WORKER", f"Cannot start the worker {self._python.executable}: {fault}.") from fault

    def log_tail(self) -> str:
        """The last lines that this run has written to the log."""
        try:
            text = read_log(self._job, self._log_start, _LOG_TAIL_BYTES)
        except XpbdError:
            # What it says goes into another fault, which counts
            return ""
        lines = [line for line in text.strip().splitlines() if not line.startswith(_TELLS_NOTHING)]
        return "\n".join(lines[-_LOG_TAIL_LINES:])
