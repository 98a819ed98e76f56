# SPDX-License-Identifier: GPL-3.0-or-later
"""Install Taichi for the worker: pip of a Python that there is, into the add-on's own folder, whole or not at all.

What is installed is decided here alone: the versions and hashes of ``taichi_requirements.txt``, as wheels, which
execute nothing when they are installed. No configuration of pip is read, no variable for it, and no module but the
Python's own. A proxy's variables count.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...jobs.log import open_log, read_log
from ...scene.errors import XpbdError
from .private_folder import private_folder
from .taichi_folder import REQUIREMENTS, requirement_count, taichi_folder
from .worker_python import NO_WINDOW, SAFE_PATH, candidates, named_executable, output_of, worker_environment

# Taichi has wheels for these
VERSIONS = ((3, 11), (3, 12), (3, 13))
_UNFINISHED = ".new-"
# [s]; older folders are of an installation that was killed
_FORGOTTEN = 3600.0
_LOG_BYTES = 1 << 20
_LOG_LINES = 6
# Shares of the progress bar: until all is downloaded, and until all is unpacked
_DOWNLOADED, _UNPACKED = 0.75, 0.95

_ADVICE = (
    "Where this computer is not online, let another one fetch the files: pip download --no-deps --require-hashes "
    f"-r {REQUIREMENTS}, and name their folder under Folder of Wheels."
)

# A Python without pip may have ensurepip's, which runs as it lies there
_FIND_PIP = """
import glob, importlib.util, os, sys
def bundled_pip():
    spec = importlib.util.find_spec("ensurepip")
    folder = os.path.dirname(spec.origin) if spec and spec.origin else os.devnull
    return glob.glob(os.path.join(folder, "_bundled", "pip-*.whl"))
"""
_PROBE = _FIND_PIP + (
    "import json; has_pip = importlib.util.find_spec('pip') is not None or bool(bundled_pip()); "
    "print(json.dumps([list(sys.version_info[:2]), has_pip]))"
)
# Progress in plain lines came with pip 24.1
_PIP = (
    _FIND_PIP
    + """
import runpy
if importlib.util.find_spec("pip") is None:
    sys.path[:0] = bundled_pip()
import pip
can_tell = tuple(int(part) for part in pip.__version__.split(".")[:2]) >= (24, 1)
sys.argv.append("--progress-bar=" + ("raw" if can_tell else "off"))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
)


@dataclass(frozen=True)
class InstallProgress:
    """How far it is.

    Attributes:
        fraction: from 0 to 1.
        text: what is being done.
    """

    fraction: float
    text: str


Installation = Generator[InstallProgress, None, Path]


def install_taichi(preference: str = "", wheels: str = "", requirements: Path = REQUIREMENTS) -> Installation:
    """Install the libraries of the worker; pauses (yields) while processes run. Closed before the end, it cancels.

    Args:
        preference: path of the Python from the add-on's preferences; where given, no other is tried.
        wheels: a folder that has the wheels, so that nothing is downloaded; "" for the Python Package Index.
        requirements: what to install, with hashes.

    Returns:
        The folder, whole.

    Raises:
        XpbdError: E_DEP, with what to do; nothing is left of it then.
    """
    if wheels and not Path(wheels).is_dir():
        raise XpbdError("E_DEP", f"There is no folder {wheels} to install Taichi from.")
    yield InstallProgress(0.0, "Looking for a Python with pip")
    python, version = yield from _installer(preference)
    target = taichi_folder(version, requirements)
    try:
        unfinished = _begin(target.parent)
    except OSError as fault:
        raise XpbdError("E_IO", f"Cannot make a folder in {target.parent}: {fault.strerror or fault}.") from fault
    try:
        libraries = unfinished / "libraries"
        yield from _run_pip(python, unfinished, libraries, wheels, requirements)
        yield InstallProgress(_UNPACKED, "Trying Taichi")
        yield from _try(python, unfinished, libraries)
        _replace(libraries, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return target


def _installer(preference: str) -> Generator[InstallProgress, None, tuple[str, str]]:
    """A Python that Taichi has wheels for and that has pip, and its version."""
    tried = []
    for executable in [named_executable(preference)] if preference else candidates():
        found = None
        with contextlib.suppress(OSError, ValueError):
            asked = output_of([executable, "-I", "-c", _PROBE], worker_environment([]))
            found = json.loads((yield from _during(asked, InstallProgress(0.0, f"Trying {executable}"))))
        if found is None:
            tried.append(f"{executable} does not run")
        elif tuple(found[0]) not in VERSIONS:
            tried.append(f"{executable} is Python {found[0][0]}.{found[0][1]}")
        elif not found[1]:
            tried.append(f"{executable} has no pip")
        else:
            return executable, f"{found[0][0]}.{found[0][1]}"
    wanted = f"Python {VERSIONS[0][0]}.{VERSIONS[0][1]} to {VERSIONS[-1][0]}.{VERSIONS[-1][1]}"
    raise XpbdError(
        "E_DEP",
        f"Taichi needs a {wanted} with pip, and there is none here. Install one (python.org has them), name it under "
        f"Solver's Python, and press Install Taichi again. Tried: {'; '.join(tried) or 'nothing'}.",
    )


def _during(asked: Generator[None, None, bytes], step: InstallProgress) -> Generator[InstallProgress, None, bytes]:
    while True:
        try:
            next(asked)
        except StopIteration as end:
            answer: bytes = end.value
            return answer
        yield step


def _begin(parent: Path) -> Path:
    """A new folder for what is not finished; those of killed installations go."""
    parent.mkdir(parents=True, exist_ok=True)
    for old in parent.glob(f"{_UNFINISHED}*"):
        if time.time() - old.lstat().st_mtime > _FORGOTTEN:
            shutil.rmtree(old, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=parent))


def _replace(libraries: Path, target: Path) -> None:
    """Put what is whole into its place, and take away what was installed there before.

    What was there is moved beside the new one, into the folder that is removed at the end. On Windows that is refused
    where a worker of another Blender has loaded it: it stays as it is, whole.
    """
    version = target.name.partition("-")[0]
    aside = libraries.with_name("before")
    try:
        libraries.chmod(0o700)
        if target.exists():
            target.replace(aside)
        try:
            libraries.replace(target)
        except OSError:
            if aside.exists():
                aside.replace(target)
            raise
    except OSError as fault:
        raise XpbdError("E_IO", f"Cannot put Taichi into {target}: {fault.strerror or fault}.") from fault
    for old in target.parent.glob(f"{version}-*"):
        if old != target:
            with contextlib.suppress(OSError):
                old.replace(libraries.with_name(old.name))


def _run_pip(python: str, folder: Path, target: Path, wheels: str, requirements: Path) -> Iterator[InstallProgress]:
    command = [python, "-I", "-c", _PIP, "install", "--isolated", "--no-input", "--disable-pip-version-check"]
    command += ["--no-cache-dir", "--no-deps", "--only-binary=:all:", "--require-hashes", "--retries=2", "--timeout=20"]
    command += [f"--target={target}", f"--requirement={requirements}"]
    if wheels:
        command += ["--no-index", f"--find-links={Path(wheels).absolute()}"]
    count = requirement_count(requirements)
    for log in _watched(command, folder):
        yield progress_of(log, count)


def _try(python: str, folder: Path, libraries: Path) -> Iterator[InstallProgress]:
    command = [python, "-P", "-c", f"{SAFE_PATH}\nimport numpy, taichi"]
    for _ in _watched(command, folder, [str(libraries)]):
        yield InstallProgress(_UNPACKED, "Trying Taichi")


def progress_of(log: str, count: int) -> InstallProgress:
    """How far pip is, by what it has written.

    Args:
        log: all of it.
        count: packages that are to be installed.
    """
    if "Installing collected packages" in log:
        return InstallProgress(_DOWNLOADED, "Unpacking")
    begun = re.findall(r"^Collecting ([\w.-]+)", log, re.MULTILINE)
    if not begun:
        return InstallProgress(0.0, "Starting pip")
    part = 0.0
    counted = re.findall(r"^Progress (\d+) of (\d+)", log[log.rindex("Collecting ") :], re.MULTILINE)
    if counted:
        done, total = map(int, counted[-1])
        part = min(1.0, done / max(1, total))
    return InstallProgress(_DOWNLOADED * min(1.0, (len(begun) - 1 + part) / count), f"Getting {begun[-1]}")


def _watched(command: list[str], folder: Path, libraries: Iterable[str] = ()) -> Iterator[str]:
    """Run a process and answer its log so far, again and again; kill it where nobody wants more.

    Raises:
        XpbdError: E_DEP with what it said, when it fails.
    """
    environment = {name: value for name, value in worker_environment([*libraries]).items() if name[:4] != "PIP_"}
    environment |= {"PIP_CONFIG_FILE": os.devnull, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}
    with open_log(folder) as log:
        begin = os.fstat(log).st_size
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=private_folder(),
                creationflags=NO_WINDOW,
            )
        except OSError as fault:
            raise XpbdError("E_DEP", f"Cannot start {command[0]}: {fault.strerror or fault}.") from fault
    try:
        while process.poll() is None:
            yield read_log(folder, begin, _LOG_BYTES)
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise XpbdError(
            "E_DEP", f"Taichi could not be installed. {_said(read_log(folder, begin, _LOG_BYTES))} {_ADVICE}"
        )


def _said(log: str) -> str:
    """What matters of a failed process's words."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    faults = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return " ".join(faults or lines[-_LOG_LINES:])
