# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker of low priority that compiles what the next bake needs, while the artist goes on working.

It runs the beginning of the scene as a bake would, in a private folder, and nothing of that is kept but the kernels.
Then the worker that waits for the next job loads them. There is one at most; it ends with this process, and when
another kind of scene is wanted. Never without a window.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...jobs.job import write_job
from ...scene.errors import ExitCode, XpbdError
from ...scene.scene import Scene
from . import waiting_worker
from .private_folder import private_folder
from .speeds import read_speeds
from .worker_command import compile_command
from .worker_python import NO_WINDOW, WorkerPython, kernel_folder, search_python

# [s]; a button is often followed by another one, and by Bake
_DELAY = 0.5
_TICK = 0.1
# [s]; far more than anything takes to compile, so what takes longer hangs
_MOST_SECONDS = 300.0
# [s] that a bake waits for what compiles its kernels at a low priority, before it does so itself
_MOST_WAITING = 30.0
# [s] for what was ended to keep its kernels, which takes a fraction of that
_END_SECONDS = 2.0
# files of compiled kernels
_KERNELS = "*.tic"
_IDLE_PRIORITY = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)


@dataclass
class _Wish:
    scene: Scene
    kernels: str
    preference: str
    on_done: Callable[[], None]
    due: float


@dataclass
class _Compilation:
    python: WorkerPython
    kernels: str
    on_done: Callable[[], None]
    job: Path
    process: subprocess.Popen[bytes]
    started: float

    def is_over(self) -> bool:
        if self.process.poll() is None and time.monotonic() - self.started > _MOST_SECONDS:
            self.process.kill()
            self.process.wait()
        return self.process.poll() is not None


_wish: _Wish | None = None
_search: Generator[None, None, WorkerPython] | None = None
_compilation: _Compilation | None = None
# kinds of scenes that were compiled since Blender was started
_compiled: set[str] = set()


def known_kernels() -> frozenset[str]:
    """Kinds of scenes whose kernels have been compiled, by a bake or ahead of one; none once no kernel is kept."""
    are_kept = next(kernel_folder().glob(_KERNELS), None) is not None
    return frozenset(read_speeds().times) | _compiled if are_kept else frozenset()


def compile_ahead(scene: Scene, kernels: str, preference: str, on_done: Callable[[], None]) -> None:
    """Compile what a scene needs, soon, unless that is being done; only where there is a window.

    What is compiled already is loaded by the worker that waits, unless that has it.

    Args:
        scene: as a bake would read it at its first frame, with its range of frames.
        kernels: the kind of scene, by which scenes that need the same kernels are known.
        preference: path of the Python from the add-on's preferences.
        on_done: called once they are compiled.
    """
    global _wish, _search  # noqa: PLW0603 - one compiles for the whole session
    if not _has_window():
        return
    _wish = _search = None
    if _compilation is not None and _compilation.kernels == kernels:
        return
    _wish = _Wish(scene, kernels, preference, on_done, time.monotonic() + _DELAY)
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=_DELAY)


def settle(kernels: str) -> Generator[None, None, None]:
    """Before a bake: wait for what compiles its kernels, which would take it longer by itself; end any other.

    Args:
        kernels: the kind of scene that is baked.
    """
    global _wish  # noqa: PLW0603
    _wish = None
    if _compilation is not None and _compilation.kernels != kernels:
        stop()
    until = time.monotonic() + _MOST_WAITING
    while _compilation is not None and not _clear_up(loads=False):
        if time.monotonic() > until:
            stop()
            return
        yield


def stop() -> None:
    """End what compiles, and forget what was to be compiled."""
    global _wish  # noqa: PLW0603
    _wish = None
    if _compilation is None:
        return
    # what keeps its kernels at this moment ends by itself, see worker/sudden_end.py
    _compilation.process.terminate()
    with suppress(subprocess.TimeoutExpired):
        _compilation.process.wait(_END_SECONDS)
    _clear_up(loads=False)


def _has_window() -> bool:
    return not bpy.app.background


def _tick() -> float | None:
    """Look at what compiles; begin what is wished, once its Python is found."""
    if _compilation is not None:
        _clear_up()
    if _wish is not None and time.monotonic() >= _wish.due:
        _begin(_wish)
    return None if _wish is None and _compilation is None else _TICK


def _begin(wish: _Wish) -> None:
    global _wish, _search  # noqa: PLW0603
    try:
        if _search is None:
            _search = search_python(wish.preference)
        next(_search)
    except StopIteration as end:
        if wish.kernels in known_kernels():
            _search = None
            if not waiting_worker.is_loading():
                _wish = None
                _load(wish, end.value)
            return
        stop()
        if _clear_up():
            _start(wish, end.value)
    except XpbdError:
        # the bake says it, with what to do
        _wish = None


def _job_of(wish: _Wish) -> Path:
    """Write a job in a folder of its own. Raises OSError or XpbdError, and leaves nothing then."""
    folder = Path(tempfile.mkdtemp(prefix="compile-", dir=private_folder()))
    try:
        return write_job(folder, wish.scene)
    except (OSError, XpbdError):
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _load(wish: _Wish, python: WorkerPython) -> None:
    """Have the worker that waits load what is compiled."""
    if not waiting_worker.wants(python, wish.kernels):
        return
    try:
        job = _job_of(wish)
    except (OSError, XpbdError):
        # whatever is wrong, the bake says it
        return
    if not waiting_worker.prepare(python, wish.kernels, job):
        shutil.rmtree(job.parent, ignore_errors=True)


def _start(wish: _Wish, python: WorkerPython) -> None:
    global _compilation, _search  # noqa: PLW0603
    _search = None
    job = None
    try:
        job = _job_of(wish)
        process = subprocess.Popen(
            compile_command(python, job),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(python.environment),
            cwd=private_folder(),
            creationflags=NO_WINDOW | _IDLE_PRIORITY,
            start_new_session=sys.platform != "win32",
        )
    except (OSError, XpbdError):
        # whatever is wrong, the bake says it
        if job is not None:
            shutil.rmtree(job.parent, ignore_errors=True)
        return
    _compilation = _Compilation(python, wish.kernels, wish.on_done, job, process, time.monotonic())


def _clear_up(*, loads: bool = True) -> bool:
    """Remove what a worker that is over has left.

    Args:
        loads: the worker that waits for a job shall load what was compiled.

    Returns:
        Whether there is none any more.
    """
    global _compilation
    if _compilation is None:
        return True
    if not _compilation.is_over():
        return False
    over, _compilation = _compilation, None
    over.process.communicate()
    is_compiled = over.process.returncode == ExitCode.COMPLETE
    is_wanted = loads and is_compiled and waiting_worker.wants(over.python, over.kernels)
    if not (is_wanted and waiting_worker.prepare(over.python, over.kernels, over.job)):
        shutil.rmtree(over.job.parent, ignore_errors=True)
    if is_compiled:
        _compiled.add(over.kernels)
        over.on_done()
    return True


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _stop_before_load(*_arguments: Any) -> None:
    _end()


def register() -> None:
    """Watch for another file being opened; nothing is started before it is asked for."""
    bpy.app.handlers.load_pre.append(_stop_before_load)


def unregister() -> None:
    """End what compiles."""
    bpy.app.handlers.load_pre.remove(_stop_before_load)
    _end()


def _end() -> None:
    """End what compiles, and tick no more."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    stop()
