# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker's Python is looked for, or Taichi installed, while the window stays alive: for the preferences."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import bpy

from ...scene.errors import XpbdError
from ..data.bake_status import STATUS
from ..data.extension import worker_python_path
from .taichi_install import Installation, InstallProgress
from .worker_python import forget_python, search_python

_TICK = 0.1
_NOTHING = InstallProgress(0.0, "")


@dataclass
class SolverSetup:
    """What the preferences show of it.

    Attributes:
        is_searching: a Python is being looked for.
        is_installing: Taichi is being installed.
        progress: how far that is.
        fault: why the last one failed, with what to do; "" where it did not.
    """

    is_searching: bool = False
    is_installing: bool = False
    progress: InstallProgress = _NOTHING
    fault: str = ""


SETUP = SolverSetup()
_steps: Generator[InstallProgress | None, None, None] | None = None
_show: Callable[[], None] = lambda: None  # noqa: E731


def begin_search(show: Callable[[], None], seconds: float = 0.0) -> None:
    """Look for the worker's Python; only where there is a window, and nothing while Taichi is installed.

    Args:
        show: called when there is something new to be shown.
        seconds: after which it begins.
    """
    if not bpy.app.background and not SETUP.is_installing:
        SETUP.is_searching = True
        _begin(_search(), show, seconds)


def begin_installation(installation: Installation, show: Callable[[], None]) -> None:
    """Install Taichi, then look for the worker's Python; ``cancel`` ends it."""
    SETUP.is_installing, SETUP.is_searching = True, False
    SETUP.progress = InstallProgress(0.0, "Starting")
    _begin(run_installation(installation), show, 0.0)


def run_installation(installation: Installation) -> Generator[InstallProgress | None, None, None]:
    """Install, then search: the faults and the Python from before say nothing any more."""
    yield from installation
    forget_python()
    if STATUS.message.startswith("E_DEP"):
        STATUS.message = ""
    yield from _search()


def cancel() -> None:
    """End what goes on; nothing is left of an installation."""
    global _steps
    steps, _steps = _steps, None
    if steps is not None:
        steps.close()
    SETUP.is_searching = SETUP.is_installing = False
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)


def _search() -> Generator[InstallProgress | None, None, None]:
    search = search_python(worker_python_path(bpy.context))
    while True:
        try:
            next(search)
        except StopIteration:
            return
        yield None


def _begin(steps: Generator[InstallProgress | None, None, None], show: Callable[[], None], seconds: float) -> None:
    global _steps, _show
    if _steps is not None:
        _steps.close()
    _steps, _show = steps, show
    SETUP.fault = ""
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=seconds, persistent=True)


def _tick() -> float | None:
    if _steps is None:
        return None
    goes_on = False
    try:
        step = next(_steps)
        goes_on = True
    except StopIteration:
        return None
    except XpbdError as fault:
        SETUP.fault = str(fault)
        return None
    finally:
        # a fault that nobody thought of is no reason to go on showing what no longer happens
        if not goes_on:
            cancel()
            _show()
    if step is not None and step != SETUP.progress:
        SETUP.progress = step
        _show()
    return _TICK


def register() -> None:
    """Nothing is done before it is asked for."""


def unregister() -> None:
    """End what goes on."""
    cancel()
    SETUP.fault = ""
