# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender of its own process that bakes, seen from outside: what it does, its worker, and their ends."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import XpbdError

from .bakes import jobs_of
from .processes import children, freeze, state_of, thaw

_SCRIPTS = Path(__file__).resolve().parent.parent
# generous: the machine may have much else to do
GRACE = 120.0
_OVER = {"COMPLETE", "INTERRUPTED", "FAILED"}


class BakingBlender:
    """A process with Blender that is told to bake, again and again."""

    def __init__(self) -> None:
        """Start it, and wait until it listens."""
        reading, writing = os.pipe()
        self._pipe = reading
        self._text = b""
        # what it is in the midst of, as it has told so far
        self._doing: str | None = None
        self._answer: dict[str, Any] | None = None
        listening, speaking = os.pipe()
        self._orders = os.fdopen(speaking, "wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "trials.baking_blender", str(writing)],
            cwd=_SCRIPTS,
            pass_fds=(writing,),
            stdin=listening,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        os.close(listening)
        self._wait("ready")

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def make(self, scene: str) -> None:
        """Make a scene in place of what is there."""
        self._order({"make": scene})
        self._wait("made")

    def save(self, path: Path) -> None:
        """Save the file as a copy."""
        self._order({"save": str(path)})
        self._wait("saved")

    def open(self, path: Path) -> None:
        """Open a file in place of what is there."""
        self._order({"open": str(path)})
        self._wait("opened")

    def spoil_record(self, values: dict[str, Any] | str) -> None:
        """Change values of the record of the bake, or all of its text."""
        self._order({"record": values})
        self._wait("spoilt")

    def begin(self, cache: Path, tolerance: float, **wishes: Any) -> None:
        """Begin to bake; ``wishes`` are of ``baking_blender``."""
        self._answer = self._doing = None
        self._cache = cache
        self._order({"bake": str(cache), "tolerance": tolerance, **wishes})
        self._wait("begun")

    def export(self, path: Path, cache: Path) -> None:
        """Begin to write the motion that a cache has to a file."""
        self._answer = self._doing = None
        self._order({"export": str(path), "cache": str(cache)})
        self._wait("begun")

    def end(self) -> dict[str, Any] | None:
        """Wait until the bake has ended: {code, shown, resumed_after}; None where Blender has ended, or hangs."""
        with contextlib.suppress(EOFError, TimeoutError):
            while self._answer is None:
                self._listen(GRACE)
        return self._answer

    def has_ended(self) -> bool:
        """Whether the bake has, or Blender."""
        with contextlib.suppress(EOFError):
            while self._listen(0.0):
                pass
            return self._answer is not None
        return True

    def doing(self) -> str | None:
        """What of the bake it is in the midst of: "keys" or "last keys", or neither."""
        return None if self.has_ended() else self._doing

    def worker(self) -> int | None:
        """The process that computes the bake's frames, None where there is none that lives and has work left."""
        jobs = jobs_of(self._cache)
        for pid in children(self._process.pid):
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                if any(str(job).encode() in command and not self._is_over(job, pid) for job in jobs):
                    return pid
        return None

    @staticmethod
    def _is_over(job: Path, pid: int) -> bool:
        try:
            status = read_status(job)
        except XpbdError:
            return False
        return status is not None and status.pid == pid and status.state in _OVER

    def freeze(self, victim: str) -> list[int] | None:
        """Stop the worker, Blender or both where they are.

        Args:
            victim: "worker", "Blender" or "both".

        Returns:
            The processes; None where the bake does not live any more, which then goes on to its end.
        """
        frozen = []
        if victim != "worker":
            if freeze(self._process.pid):
                frozen.append(self._process.pid)
            if not frozen or self.has_ended():
                self.thaw(frozen)
                return None
        if victim != "Blender":
            worker = self.worker()
            if worker is None or not freeze(worker):
                self.thaw(frozen)
                return None
            frozen.append(worker)
            # it may have told its end in between
            if self.worker() != worker:
                self.thaw(frozen)
                return None
        return frozen

    @staticmethod
    def thaw(pids: list[int]) -> None:
        """Let processes go on."""
        for pid in pids:
            thaw(pid)

    def pause(self, seconds: float) -> None:
        """Let the worker stand still for a time, which counts as time of the bake."""
        worker = self.worker()
        if worker is not None and freeze(worker):
            time.sleep(seconds)
            thaw(worker)

    def kill(self) -> None:
        """End Blender at once."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError):
            self._orders.close()
        os.close(self._pipe)

    def _order(self, order: dict[str, Any]) -> None:
        self._orders.write(json.dumps(order).encode() + b"\n")
        self._orders.flush()

    def _wait(self, word: str) -> None:
        limit = time.monotonic() + GRACE
        while True:
            told = self._listen(max(limit - time.monotonic(), 0.0))
            if told is None:
                raise TimeoutError(f"Blender does not say {word}.")
            if word in told:
                return

    def _listen(self, seconds: float) -> dict[str, Any] | None:
        """The next that it tells, None where that takes longer."""
        while b"\n" not in self._text:
            if not select.select([self._pipe], [], [], seconds)[0]:
                return None
            chunk = os.read(self._pipe, 65536)
            if not chunk:
                raise EOFError("Blender has ended.")
            self._text += chunk
        line, _, self._text = self._text.partition(b"\n")
        told: dict[str, Any] = json.loads(line)
        if "begins" in told:
            self._doing = told["begins"]
        elif "ends" in told:
            self._doing = None
        elif "code" in told:
            self._answer = told
        return told


def end_by_signal(pids: list[int]) -> None:
    """Kill processes by SIGKILL."""
    for pid in pids:
        if state_of(pid):
            os.kill(pid, signal.SIGKILL)
