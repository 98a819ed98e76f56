# SPDX-License-Identifier: GPL-3.0-or-later
"""The command lines that start workers."""

from __future__ import annotations

from pathlib import Path

from .worker_python import SAFE_PATH, WorkerPython

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]

# The package loads under its own name whatever the folder is called: an extension is installed as
# bl_ext.….xpbd_physics, and the folder above it holds other people's extensions, which are no modules of ours.
_START = f"""{SAFE_PATH}
import importlib.util, runpy
folder = sys.argv.pop(1)
spec = importlib.util.spec_from_file_location(
    "blender_xpbd", folder + "/__init__.py", submodule_search_locations=[folder])
package = importlib.util.module_from_spec(spec)
sys.modules["blender_xpbd"] = package
spec.loader.exec_module(package)
runpy.run_module("blender_xpbd.worker", run_name="__main__", alter_sys=True)
"""


def worker_command(python: WorkerPython, job: Path) -> list[str]:
    """The arguments that run a job."""
    return [*_launch(python), str(job)]


def waiting_command(python: WorkerPython, seconds: float, ready: Path | None = None) -> list[str]:
    """The arguments that import everything and wait for jobs.

    Args:
        python: to run in.
        seconds: to wait for each job.
        ready: the file that tells of waiting again; None for one job alone.
    """
    return [*_launch(python), f"--wait={seconds}", *([] if ready is None else [f"--ready={ready}"])]


def compile_command(python: WorkerPython, job: Path) -> list[str]:
    """The arguments that compile the kernels of a job."""
    return [*_launch(python), "--compile", str(job)]


def _launch(python: WorkerPython) -> list[str]:
    return [python.executable, "-P", "-c", _START, str(PACKAGE_FOLDER), "--stop-at-end-of-input"]
