# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Python runs the worker: one that has Taichi, which Blender's own may not."""

from __future__ import annotations

import importlib.machinery
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...scene.errors import XpbdError
from ..data.named_path import absolute_path
from .private_folder import private_folder
from .taichi_folder import installed_folder

OLDEST_VERSION = (3, 11)
MODULES = ("numpy", "taichi")
# What Taichi imports, looked for beside it
_HELPERS = ("colorama", "dill", "rich", "markdown_it", "mdurl", "pygments")
_PROBE_SECONDS = 20.0
_PAUSE_SECONDS = 0.005
# Before anything is imported from a file (os is there since the start): the current folder is no place for modules.
# Python 3.10 and older, which the probe may meet, know neither -P nor PYTHONSAFEPATH.
SAFE_PATH = "import os, sys; sys.path[:] = [p for p in sys.path if p and os.path.abspath(p) != os.getcwd()]\n"
_PROBE = SAFE_PATH + (
    "import importlib.util, json; "
    "print(json.dumps([list(sys.version_info[:2]), [importlib.util.find_spec(n) is not None for n in sys.argv[1:]]]))"
)

# For processes that this one starts: on Windows they would open a console
NO_WINDOW = subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0

CHECKOUT = Path(__file__).resolve().parents[3]

ADVICE = (
    "No Python with Taichi was found. Press Install Taichi in the add-on's preferences (Edit > Preferences > Add-ons > "
    "XPBD Physics), or name a Python there under Solver's Python: for example make one by `python3.11 -m venv xpbd` "
    "and `xpbd/bin/pip install taichi==1.7.4`, and choose xpbd/bin/python."
)


@dataclass(frozen=True)
class WorkerPython:
    """An interpreter that can run the worker.

    Attributes:
        executable: its path.
        version: such as "3.11".
        environment: variables of its process, all of them.
    """

    executable: str
    version: str
    environment: Mapping[str, str] = field(repr=False)

    @property
    def owns_kernel_cache(self) -> bool:
        """Whether the cache of compiled kernels is the add-on's own folder, not one that the user names."""
        return "XPBD_TAICHI_CACHE" not in os.environ


_found: dict[str, WorkerPython] = {}


def find_python(preference: str = "") -> WorkerPython:
    """The interpreter for the worker; see ``search_python``, of which this waits for the end."""
    return _result(search_python(preference))


def search_python(preference: str = "") -> Generator[None, None, WorkerPython]:
    """Search the interpreter for the worker, with a pause (yield) while one is tried; once for each preference.

    Args:
        preference: path from the add-on's preferences, or a name to be found on PATH; where given, no other is tried.

    Returns:
        What was found, at once if it was found before in this session.

    Raises:
        XpbdError: E_DEP, with what to do.
    """
    if preference not in _found:
        _found[preference] = yield from _search(preference)
    return _found[preference]


def known_python(preference: str = "") -> WorkerPython | None:
    """What ``find_python`` has found already, without a search: cheap enough to be drawn."""
    return _found.get(preference)


def forget_python() -> None:
    """Search again the next time."""
    _found.clear()


def _search(preference: str) -> Generator[None, None, WorkerPython]:
    if preference:
        found, reason = yield from probe(named_executable(preference))
        if found is None:
            raise XpbdError("E_DEP", f"The solver's Python that you named, {preference}, {reason}. {ADVICE}")
        return found
    tried = []
    for executable in candidates():
        found, reason = yield from probe(executable)
        if found is not None:
            return found
        tried.append(f"{executable} {reason}")
    raise XpbdError("E_DEP", f"{ADVICE} Tried: {'; '.join(tried) or 'nothing, there is no Python at all'}.")


def candidates() -> Iterator[str]:
    """Interpreters that may do, the likeliest first, each once."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    prefix = Path(sys.prefix)
    own = [
        Path(sys.executable) if sys.executable else None,
        prefix / "bin" / f"python{version}",
        prefix / "bin" / "python.exe",
        prefix / "python.exe",
        # Of a checkout, made by its scripts
        CHECKOUT / ".venv" / "bin" / "python",
        CHECKOUT / ".venv" / "Scripts" / "python.exe",
    ]
    names = ["python3", *(f"python3.{minor}" for minor in range(13, OLDEST_VERSION[1] - 1, -1)), "python"]
    found = [_on_path(name) for name in names]
    seen: set[Path] = set()
    for path in [*own, *(Path(name) for name in found if name)]:
        # Blender itself may call itself the executable
        if path is None or not path.stem.lower().startswith("python") or path in seen or not path.is_file():
            continue
        seen.add(path)
        yield str(path)


def named_executable(preference: str) -> str:
    """The path of a Python that the user has named; it is not started from the folder that the name may count from."""
    is_bare = Path(preference).name == preference
    return (_on_path(preference) if is_bare else None) or str(absolute_path(Path(preference)))


def _on_path(name: str) -> str | None:
    """As ``shutil.which``, but never in the current folder, where a stranger's file may lie: Windows looks there."""
    for folder in os.get_exec_path():
        path = Path(folder, name if sys.platform != "win32" or name.endswith(".exe") else f"{name}.exe")
        if path.is_absolute() and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return None


def probe(executable: str) -> Generator[None, None, tuple[WorkerPython | None, str]]:
    """Try an interpreter in a process of its own; pauses (yields) while that runs.

    Returns:
        What was found, or None and the reason.
    """
    last = "does not run"
    own = _library_folders()
    choices = [own, []] if own else [[]]
    # it grows where there is a folder for the version that has answered
    for folders in choices:
        environment = worker_environment(folders)
        try:
            output = yield from output_of([executable, "-c", _PROBE, *MODULES], environment)
            version, present = json.loads(output)
        except (OSError, ValueError):
            return None, last
        # Libraries of this Blender fit the other Python only if both are of the same version
        if folders is own and folders and tuple(version) != sys.version_info[:2]:
            continue
        if tuple(version) < OLDEST_VERSION:
            return None, f"is Python {version[0]}.{version[1]}, too old"
        if all(present):
            return WorkerPython(executable, f"{version[0]}.{version[1]}", environment), ""
        if not folders and (installed := installed_folder(f"{version[0]}.{version[1]}")) is not None:
            choices.append([str(installed)])
        absent = [name for name, there in zip(MODULES, present, strict=True) if not there]
        last = f"(Python {version[0]}.{version[1]}) has no {' and no '.join(absent)}"
    return None, last


def output_of(command: list[str], environment: Mapping[str, str]) -> Generator[None, None, bytes]:
    """What a short command writes; nothing, if it takes too long. It must be less than a pipe holds."""
    limit = time.monotonic() + _PROBE_SECONDS
    with subprocess.Popen(
        command,
        env=environment,
        cwd=private_folder(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=NO_WINDOW,
    ) as process:
        try:
            while process.poll() is None and time.monotonic() < limit:
                yield
        finally:
            process.kill()
        return process.stdout.read() if process.stdout else b""


def _result(search: Generator[None, None, WorkerPython]) -> WorkerPython:
    while True:
        try:
            next(search)
        except StopIteration as end:
            found: WorkerPython = end.value
            return found
        time.sleep(_PAUSE_SECONDS)


def worker_environment(folders: list[str]) -> dict[str, str]:
    """Variables for the worker: this process's, without those that steer Python, with a safe path and with our caches.

    Args:
        folders: searched for libraries first.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONNOUSERSITE"] = "1"
    # For what the worker starts itself, too
    environment["PYTHONSAFEPATH"] = "1"
    environment["PYTHONUTF8"] = "1"
    if folders:
        environment["PYTHONPATH"] = os.pathsep.join(folders)
    # Kernels are code: a path must mean the same wherever the worker runs
    environment["XPBD_TAICHI_CACHE"] = str(kernel_folder())
    return environment


def kernel_folder() -> Path:
    """Where compiled kernels are kept."""
    return Path(os.environ.get("XPBD_TAICHI_CACHE") or user_cache() / "taichi").absolute()


def user_cache() -> Path:
    """The folder of this user for what can be computed again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "xpbd_physics"


def _library_folders() -> list[str]:
    """The folders from which this Blender would import Taichi and what it needs, taichi's first; none without it."""
    folders: list[str] = []
    searched = trusted_folders()
    for name in ("taichi", *_HELPERS, "numpy"):
        spec = importlib.machinery.PathFinder.find_spec(name, searched)
        if spec is None or not spec.origin:
            if name == "taichi":
                return folders
            continue
        origin = Path(spec.origin)
        folder = str(origin.parent.parent if spec.submodule_search_locations else origin.parent)
        if folder not in folders:
            folders.append(folder)
    return folders


def trusted_folders() -> list[str]:
    """Where this Python looks for modules, without the current folder.

    Python may look there, but a Blender that was started in a stranger's folder shall import nothing of it, nor hand it
    to the worker.
    """
    try:
        current = Path.cwd()
    except FileNotFoundError:
        current = None
    return [path for path in sys.path if Path(path).is_absolute() and Path(path) != current]
