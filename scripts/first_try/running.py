# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs first tries, each in a process of its own, so that a crash is a result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .tries import Try

SCRIPTS = Path(__file__).resolve().parent.parent
_SECONDS = 1200.0


@dataclass(frozen=True)
class Tried:
    """What came of a first try.

    Attributes:
        findings: what Check told when the role was given, each with its code.
        fault: the error of Blender's operator, "" for none.
        report: of ``Scene.xpbd.report``.
        motion: where the vertices are at each frame [m], shape (frames, vertices, 3).
        edges: of the mesh, shape (edges, 2).
    """

    findings: tuple[str, ...] = ()
    fault: str = ""
    report: dict[str, Any] = field(default_factory=dict)
    motion: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0, 3), np.float32))
    edges: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))


def run_try(what: Try) -> Tried:
    """Bake it through the add-on.

    Raises:
        subprocess.CalledProcessError: the process ended otherwise than by its end.
    """
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "told.json"
        # kernels are kept between runs, and nothing goes to the user's own cache
        environment = {"XPBD_TAICHI_CACHE": str(SCRIPTS.parent / ".cache" / "taichi"), **os.environ}
        values = (what.primitive, what.role, str(what.has_floor), str(what.size), str(path))
        command = [sys.executable, "-m", "first_try.baking", *values]
        subprocess.run(command, cwd=SCRIPTS, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=_SECONDS)
        told = json.loads(path.read_text(encoding="utf-8"))
        with np.load(path.with_suffix(".npz")) as arrays:
            return Tried(tuple(told["findings"]), told["fault"], told["report"], arrays["motion"], arrays["edges"])
