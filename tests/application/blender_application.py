# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a real Blender application, and judge what it printed."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = "bl_ext.user_default.xpbd_physics"
SCRIPTS = Path(__file__).resolve().parent / "inside"


@dataclass(frozen=True)
class Run:
    """How a run of the application ended."""

    status: int
    output: str


@dataclass(frozen=True)
class Application:
    """One installed Blender, with user files of its own.

    Attributes:
        command: runs it.
        root: which installation, for the command; "" where it knows but one.
        resources: folder of the user files.
        can_bake: whether a Python with Taichi was found for it.
    """

    command: str
    root: str
    resources: Path
    can_bake: bool = False

    def run(self, *arguments: str, window: str = "", timeout: float = 240.0, **variables: str) -> Run:
        """Run Blender and answer its exit status and all that it printed."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TI_"))}
        environment |= {"BLENDER_USER_RESOURCES": str(self.resources), **variables}
        if self.root:
            environment["BLENDER_APP_ROOT"] = self.root
        if window:
            environment["BLENDER_APP_WINDOW"] = window
        result = subprocess.run(
            [self.command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=timeout,
            check=False,
            env=environment,
            cwd=ROOT,
        )
        return Run(result.returncode, result.stdout)

    def script(self, name: str, *arguments: str) -> Run:
        """Run one of the scripts in ``inside/`` in the background; an exception in it is exit status 1."""
        return self.run("--background", "--python-exit-code", "1", "--python", str(SCRIPTS / name), "--", *arguments)


def assert_no_errors(output: str) -> None:
    """What Blender printed speaks of no exception and no error."""
    marks = ("Traceback", "Error:", "ERROR", "Exception", "not freed", "already registered")
    assert [line for line in output.splitlines() if any(mark in line for mark in marks)] == [], output
