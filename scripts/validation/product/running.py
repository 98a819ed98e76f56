# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands shots to a process that has Blender's module, and reads what it baked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .shot import FRAMES_PER_SECOND, Baked, Shot

SCRIPTS = Path(__file__).resolve().parents[2]


def bake(shots: Sequence[Shot]) -> list[Baked]:
    """Bake shots through the add-on, one after the other in one process.

    Raises:
        subprocess.CalledProcessError: a bake failed; its message stands on standard error.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, shot in enumerate(shots):
            _write(shot, folder / f"shot{number:03d}.json")
        # kernels are kept between runs, and nothing goes to the user's own cache
        environment = {"XPBD_TAICHI_CACHE": str(SCRIPTS.parent / ".cache" / "taichi"), **os.environ}
        command = [sys.executable, "-m", "validation.product.baker", str(folder)]
        subprocess.run(command, cwd=SCRIPTS, env=environment, check=True, stdout=subprocess.DEVNULL)
        return [_read(shot, folder / f"shot{number:03d}.json") for number, shot in enumerate(shots)]


def with_substeps(shot: Shot, substeps: int) -> Shot:
    """The shot with many more substeps than the default, and bending solved in each.

    That is so where residuals are measured; else a frame has as few solves as by default, which would hide what more
    of them change.
    """
    return replace(shot, values={**shot.values, "substeps": substeps, "measure_residual": True})


def _write(shot: Shot, path: Path) -> None:
    record = {
        "fps": FRAMES_PER_SECOND,
        "frames": shot.frames,
        "gravity": shot.gravity,
        "values": dict(shot.values),
        "things": [{"name": thing.name, "values": dict(thing.values)} for thing in shot.things],
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    arrays: dict[str, npt.NDArray[Any]] = {}
    for number, thing in enumerate(shot.things):
        arrays[f"positions{number}"], arrays[f"faces{number}"] = thing.positions, thing.faces
        arrays[f"pinned{number}"], arrays[f"places{number}"] = thing.pinned, thing.places
    np.savez(path.with_suffix(".npz"), **arrays)


def _read(shot: Shot, path: Path) -> Baked:
    told = json.loads(path.with_suffix(".told").read_text(encoding="utf-8"))
    with np.load(path.with_suffix(".baked.npz")) as arrays:
        motions = {name: arrays[name].astype(np.float64) for name in arrays.files}
    return Baked(shot, motions, told["substeps"], told["iterations"])
