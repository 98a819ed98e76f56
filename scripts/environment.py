# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's virtual environment, one per Blender version, made once and shared by every script.

What is installed stands in ``pyproject.toml``; this file adds the ``bpy`` of the Blender that is asked for. A script
starts under whatever Python runs it and calls `prepare`, which answers the environment's own interpreter. Nothing
here needs more than the standard library. Linux and macOS.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

DEFAULT_BLENDER = "4.5.15"

# what each bpy wheel is known to work with; 4.2's own requirement forgets that it was built against NumPy 1
BLENDERS: dict[str, tuple[str, ...]] = {
    "4.2.23": ("bpy==4.2.23", "numpy==1.26.4"),
    "4.5.15": ("bpy==4.5.15", "numpy==1.26.4"),
    "5.0.1": ("bpy==5.0.1", "numpy==1.26.4"),
}

# the shared libraries that pip's bpy links to and does not bring, and Debian's packages that have them
DEBIAN_PACKAGES: dict[str, str] = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libICE.so.6": "libice6",
    "libSM.so.6": "libsm6",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libgomp.so.1": "libgomp1",
    "libxkbcommon.so.0": "libxkbcommon0",
}


class SetupError(Exception):
    """The environment cannot be made; the message says what to do."""


def add_blender_argument(parser: argparse.ArgumentParser) -> None:
    """Give a script the option ``--blender VERSION``."""
    parser.add_argument(
        "--blender",
        choices=sorted(BLENDERS),
        default=DEFAULT_BLENDER,
        help=f"the version of pip's bpy (default: {DEFAULT_BLENDER})",
    )


def prepare(blender: str = DEFAULT_BLENDER, *, tests: bool = False, validation: bool = False) -> Path:
    """Make the environment if it is not there, and answer its interpreter.

    Args:
        blender: the version of bpy, a key of `BLENDERS`.
        tests: also install what the tests and checks need.
        validation: also install what draws the plots of ``scripts/validate``.

    Returns:
        The path of the environment's Python.

    Raises:
        SetupError: no Python 3.11, or the installation fails, or a system library is missing.
    """
    folder = ROOT / (".venv" if blender == DEFAULT_BLENDER else f".venv-{blender}")
    python = folder / "bin" / "python"
    base = find_python()
    groups = {"run": run_requirements(blender)}
    if tests:
        groups["test"] = test_requirements()
    if validation:
        groups["validate"] = validation_requirements()
    with _locked(folder.with_name(f"{folder.name}.lock")):
        _install(folder, base, groups)
        missing = missing_libraries(folder)
    if missing:
        packages = " ".join(sorted(DEBIAN_PACKAGES.get(name, f"(the package of {name})") for name in missing))
        raise SetupError(
            f"bpy {blender} needs system libraries that are not here: {', '.join(missing)}.\n"
            f"On Debian or Ubuntu: sudo apt-get install {packages}"
        )
    return python


def run_in(script: str, arguments: Sequence[str]) -> int:
    """Run a file of scripts/ under the environment's Python, which has bpy, and answer its exit status.

    Raises:
        SetupError: as ``prepare``.
    """
    command = [str(prepare()), str(ROOT / "scripts" / script), *arguments]
    return subprocess.run(command, check=False).returncode


def find_python() -> Path:
    """Find a Python 3.11: ``XPBD_PYTHON``, the one that runs this, or ``python3.11`` or ``python3`` on the path.

    Raises:
        SetupError: none of them is Python 3.11.
    """
    named = os.environ.get("XPBD_PYTHON")
    candidates = [named] if named else [getattr(sys, "_base_executable", sys.executable), "python3.11", "python3"]
    for candidate in candidates:
        executable = shutil.which(candidate) if candidate else None
        if executable and _version_of(executable) == "3.11":
            return Path(executable)
    raise SetupError(
        f"Python 3.11 is needed (pip's bpy has wheels for no other) and {named or 'python3.11'} is not one. "
        "Install it (Debian 12: sudo apt-get install python3 python3-venv) or name one: XPBD_PYTHON=/path/to/python3.11"
    )


def run_requirements(blender: str) -> list[str]:
    """What the product needs at run time, with the chosen bpy."""
    return [*_pyproject()["project"]["dependencies"], *BLENDERS[blender]]


def test_requirements() -> list[str]:
    """What ``scripts/test`` needs besides."""
    return list(_pyproject()["project"]["optional-dependencies"]["test"])


def validation_requirements() -> list[str]:
    """What ``scripts/validate`` needs besides."""
    return list(_pyproject()["project"]["optional-dependencies"]["validate"])


def extension_requirements() -> list[str]:
    """What the extension's zip brings: the project's dependencies but NumPy, and what those need."""
    pyproject = _pyproject()
    dependencies = [line for line in pyproject["project"]["dependencies"] if not line.startswith("numpy")]
    return [*dependencies, *pyproject["dependency-groups"]["wheels"]]


def missing_libraries(folder: Path) -> list[str]:
    """Names of the shared libraries that the environment's bpy links to and the system does not have."""
    module = next(folder.glob("lib/python3*/site-packages/bpy/__init__.so"), None)
    ldd = shutil.which("ldd")
    if module is None or ldd is None:
        return []
    listing = subprocess.run([ldd, str(module)], capture_output=True, text=True, check=False).stdout
    return sorted(set(re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE)))


def run_script(main: Callable[[], int]) -> None:
    """Run a script's ``main() -> int`` under Python 3.11; print a fault as a message, not as a traceback."""
    try:
        if sys.version_info[:2] != (3, 11):
            os.execv(find_python(), [str(find_python()), *sys.argv])  # noqa: S606
        sys.exit(main())
    except SetupError as fault:
        sys.exit(f"{Path(sys.argv[0]).name}: {fault}")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode if error.returncode > 0 else 1)
    except KeyboardInterrupt:
        sys.exit(130)


def announce(title: str) -> None:
    """Print a section's title with the time since the script started."""
    print(f"== {title} [{time.monotonic() - _START:.0f} s]", flush=True)


_START = time.monotonic()


def _pyproject() -> dict[str, Any]:
    import tomllib  # from Python 3.11 on: `run_script` has made sure of that

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _version_of(executable: str) -> str:
    command = [executable, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an operating system's lock, so that two scripts started at once install once."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"Waiting for another script that sets up {path.stem} …", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(folder: Path, base: Path, groups: dict[str, list[str]]) -> None:
    """Bring the environment to the wanted state.

    A stamp per group of requirements says that its installation was finished. A group that has none is added; an
    environment with a mark of an unfinished installation, or with other requirements than now, is made anew.
    """
    stamps = {name: folder / f".installed-{name}" for name in groups}
    wanted = {name: _fingerprint(base, lines) for name, lines in groups.items()}
    unfinished = folder / ".unfinished"
    found = {name: _read(stamp) for name, stamp in stamps.items()}
    if unfinished.exists() or not found["run"] or any(found[name] not in ("", wanted[name]) for name in groups):
        shutil.rmtree(folder, ignore_errors=True)
        found = dict.fromkeys(groups, "")
    lacking = [name for name in groups if not found[name]]
    if not lacking:
        return
    print(f"Setting up {folder.name} ({', '.join(lacking)}) …", flush=True)
    python = folder / "bin" / "python"
    if not python.exists():
        _create(folder, base)
    unfinished.touch()
    # every group at once, so that a later one cannot move what an earlier one pinned
    requirements = [line for lines in groups.values() for line in lines]
    pip = [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    status = subprocess.run(pip, check=False, env=_pip_environment()).returncode
    if status:
        raise SetupError(f"pip could not install {' '.join(requirements)}; its messages are above")
    for name in lacking:
        stamps[name].write_text(wanted[name], encoding="utf-8")
    unfinished.unlink()


def _create(folder: Path, base: Path) -> None:
    result = subprocess.run([str(base), "-I", "-m", "venv", str(folder)], check=False)
    if result.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        raise SetupError(f"{base} could not make a virtual environment (Debian: sudo apt-get install python3-venv)")


def _pip_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONNOUSERSITE": "1"}


def _fingerprint(base: Path, requirements: Sequence[str]) -> str:
    text = "\n".join([str(base.resolve()), *sorted(requirements)])
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
