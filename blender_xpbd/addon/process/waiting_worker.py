# SPDX-License-Identifier: GPL-3.0-or-later
"""One worker that is started before there is a job: it has imported Taichi when Bake is pressed.

It holds no lock and no file. It ends with this process, however that ends, for its input does; and by itself after
some minutes without a job.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass

import bpy

from ...scene.errors import XpbdError
from .private_folder import private_folder
from .worker_process import waiting_command
from .worker_python import NO_WINDOW, WorkerPython, search_python

WAIT_SECONDS = 600.0
# Before it ends by itself it is no longer given a job, which it might not hear
_MARGIN_SECONDS = 30.0
_TICK = 0.05


@dataclass
class _Waiting:
    python: WorkerPython
    process: subprocess.Popen[bytes]
    started: float

    def is_fit(self, python: WorkerPython) -> bool:
        is_young = time.monotonic() - self.started < WAIT_SECONDS - _MARGIN_SECONDS
        return is_young and self.python == python and self.process.poll() is None


_waiting: _Waiting | None = None
_search: Generator[None, None, WorkerPython] | None = None


def start_ahead(preference: str) -> None:
    """Start a worker that waits, as soon as a Python for it is found; only where there is a window.

    Args:
        preference: path of the Python from the add-on's preferences.
    """
    global _search  # noqa: PLW0603 - one worker waits for the whole session
    if bpy.app.background:
        return
    _search = search_python(preference)
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick)


def _tick() -> float | None:
    """Go on searching; when that is over, start the worker."""
    if _search is None:
        return None
    try:
        next(_search)
    except StopIteration as end:
        start(end.value)
    except XpbdError:
        # The bake says it, with what to do
        return None
    else:
        return _TICK
    return None


def start(python: WorkerPython) -> None:
    """Start a worker that waits, unless one does."""
    global _waiting  # noqa: PLW0603
    if _waiting is not None and _waiting.is_fit(python):
        return
    stop()
    try:
        process = subprocess.Popen(
            waiting_command(python, WAIT_SECONDS),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(python.environment),
            cwd=private_folder(),
            creationflags=NO_WINDOW,
            start_new_session=sys.platform != "win32",
        )
    except (OSError, XpbdError):
        # The bake starts its own, and says why that fails
        return
    _waiting = _Waiting(python, process, time.monotonic())


def take(python: WorkerPython) -> subprocess.Popen[bytes] | None:
    """The worker that waits, if it runs in that Python: from now on the caller's."""
    global _waiting
    if _waiting is None or not _waiting.is_fit(python):
        return None
    process, _waiting = _waiting.process, None
    return process


def stop() -> None:
    """End the worker that waits."""
    global _waiting
    if _waiting is None:
        return
    process, _waiting = _waiting.process, None
    process.kill()
    process.communicate()


def register() -> None:
    """Nothing is started before it is asked for."""


def unregister() -> None:
    """End the worker that waits, and the search for its Python."""
    global _search  # noqa: PLW0603
    _search = None
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    stop()
