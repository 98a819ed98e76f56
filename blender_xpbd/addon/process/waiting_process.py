# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker process that waits for jobs, as whoever has started it holds it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from ...jobs.files import read_bytes
from ...scene.errors import XpbdError
from .private_folder import private_folder
from .worker_command import waiting_command
from .worker_python import NO_WINDOW, WorkerPython

WAIT_SECONDS = 600.0
# Before it ends by itself it is no longer given a job, which it might not hear
_MARGIN_SECONDS = 30.0
# of the number of jobs that it has done [bytes]
_LONGEST_NUMBER = 20


@dataclass
class WaitingProcess:
    """One process.

    Attributes:
        python: it runs in.
        process: of the system.
        ready: a file that gets the number of jobs that it has done, each time that it waits again.
        given: how many jobs it was given.
        since: when it began to wait, by ``time.monotonic``.
        loaded: kind of scene whose kernels it has loaded, or loads, "" for none.
        preparation: folder of the job that it loads kernels for, until that is cleared away.
    """

    python: WorkerPython
    process: subprocess.Popen[bytes]
    ready: Path
    given: int = 0
    since: float = field(default_factory=time.monotonic)
    loaded: str = ""
    preparation: Path | None = None

    @classmethod
    def start(cls, python: WorkerPython) -> WaitingProcess:
        """Start one.

        Raises:
            XpbdError: E_IO, where there is no folder to start it in.
            OSError: it cannot be started.
        """
        folder = private_folder()
        ready = folder / f"ready-{secrets.token_hex(6)}"
        process = subprocess.Popen(
            waiting_command(python, WAIT_SECONDS, ready),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(python.environment),
            cwd=folder,
            creationflags=NO_WINDOW,
            start_new_session=sys.platform != "win32",
        )
        return cls(python, process, ready)

    def is_fit(self, python: WorkerPython) -> bool:
        """Whether a job may be given to it that is to run in a Python."""
        is_young = time.monotonic() - self.since < WAIT_SECONDS - _MARGIN_SECONDS
        return is_young and self.python == python and self.process.poll() is None

    def give(self, job: Path, *, is_played: bool = False, is_preparation: bool = False) -> None:
        """Tell it what to compute.

        Raises:
            OSError: it does not listen.
        """
        self.given += 1
        self._tell({"job": str(job), "play": is_played, "prepare": is_preparation})

    def stop_job(self) -> None:
        """Tell it to stop what it was given, and to wait for another job. Raises OSError: it does not listen."""
        self._tell({"stop": True})

    def _tell(self, words: dict[str, object]) -> None:
        stdin = self.process.stdin
        os.write(stdin.fileno() if stdin and not stdin.closed else -1, json.dumps(words).encode() + b"\n")

    def prepare(self, kernels: str, job: Path) -> None:
        """Have it load the kernels of a job, whose folder goes when that is done.

        Raises:
            OSError: it does not listen.
        """
        self.loaded, self.preparation = kernels, job
        self.give(job, is_preparation=True)

    def is_loading(self) -> bool:
        """Whether it loads kernels now."""
        self.clear_up()
        return self.preparation is not None

    def is_ready(self) -> bool:
        """Whether it has done what it was given, and waits for another job."""
        try:
            return self.given > 0 and read_bytes(self.ready, _LONGEST_NUMBER, "E_IO") == str(self.given).encode()
        except XpbdError:
            # not yet
            return False

    def clear_up(self) -> None:
        """Remove what it has loaded kernels for, once that is done, and what an ended process has left."""
        if self.process.poll() is not None:
            with contextlib.suppress(OSError):
                self.ready.unlink(missing_ok=True)
        if self.preparation is not None and (self.is_ready() or self.process.poll() is not None):
            shutil.rmtree(self.preparation.parent, ignore_errors=True)
            self.preparation = None

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.communicate()
        self.clear_up()
