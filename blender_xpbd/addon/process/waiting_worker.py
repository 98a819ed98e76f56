# SPDX-License-Identifier: GPL-3.0-or-later
"""One worker that is started before there is a job: it has imported Taichi, and loaded kernels, when Bake is pressed.

After a bake it waits for the next one, with what it has loaded. It holds no lock and no file. It ends with this
process, however that ends, for its input does; and by itself after some minutes without a job.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import bpy

from ...scene.errors import XpbdError
from .waiting_process import WaitingProcess
from .worker_python import WorkerPython, search_python

_TICK = 0.05


_waiting: WaitingProcess | None = None
_search: Generator[None, None, WorkerPython] | None = None


def start_ahead(preference: str) -> None:
    """Start a worker that waits, as soon as a Python for it is found; only where there is a window.

    Args:
        preference: path of the Python from the add-on's preferences.
    """
    global _search  # noqa: PLW0603 - one worker waits for the whole session
    if not _has_window():
        return
    _search = search_python(preference)
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick)


def _has_window() -> bool:
    return not bpy.app.background


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
    global _waiting  # noqa: PLW0603 - one waits for the whole session
    if _waiting is not None and _waiting.is_fit(python):
        return
    stop()
    try:
        _waiting = WaitingProcess.start(python)
    except (OSError, XpbdError):
        # The bake starts its own, and says why that fails
        return


def take(python: WorkerPython, kernels: str = "") -> WaitingProcess | None:
    """A worker that waits and runs in that Python: from now on the caller's.

    Args:
        python: to run in.
        kernels: the kind of scene that is to be computed; a worker that loads those of another one is ended.

    Returns:
        Where there is a window one is started at need; else None without one.
    """
    global _waiting
    if _waiting is not None and _waiting.is_loading() and _waiting.loaded != kernels:
        stop()
    if _has_window():
        start(python)
    if _waiting is None or not _waiting.is_fit(python):
        return None
    taken, _waiting = _waiting, None
    return taken


def give_back(waiting: WaitingProcess | None, kernels: str) -> None:
    """Keep a worker that waits again, with the kernels of a kind of scene loaded, in place of any other."""
    global _waiting  # noqa: PLW0603
    if waiting is None:
        return
    stop()
    waiting.loaded = kernels
    _waiting = waiting


def wants(python: WorkerPython, kernels: str) -> bool:
    """Whether a worker in a Python is to load the kernels of a kind of scene: it does not have them, and has time."""
    if _waiting is None or not _waiting.is_fit(python):
        return True
    return _waiting.loaded != kernels and not _waiting.is_loading()


def is_loading() -> bool:
    """Whether the worker that waits loads kernels now."""
    return _waiting is not None and _waiting.process.poll() is None and _waiting.is_loading()


def prepare(python: WorkerPython, kernels: str, job: Path) -> bool:
    """Have a worker that waits load the kernels of a job, whose folder is removed once that is done.

    Returns:
        Whether there is one that can; else the folder is the caller's.
    """
    start(python)
    if _waiting is None:
        return False
    try:
        _waiting.prepare(kernels, job)
    except OSError:
        stop()
        return False
    return True


def stop() -> None:
    """End the worker that waits."""
    global _waiting
    if _waiting is None:
        return
    waiting, _waiting = _waiting, None
    waiting.kill()


def register() -> None:
    """Nothing is started before it is asked for."""


def unregister() -> None:
    """End the worker that waits, and the search for its Python."""
    global _search  # noqa: PLW0603
    _search = None
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    stop()
