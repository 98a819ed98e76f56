# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd meshes as jelly and as cloth: baked, or refused with a code."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from blender_xpbd.device.runtime import start_taichi, stop_taichi
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import Scene, validate
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

from .odd_meshes import OddMesh, odd_mesh
from .part import Outcome

FRAMES = 3
SUBSTEPS = 5
RESOLUTION = 5
MOST_SECONDS = 30.0
# so many trials of one role follow each other, for the processor's precision is that of the role
_BLOCK = 250
_PRESETS = {"JELLY": "JELLY_MEDIUM", "CLOTH": "COTTON"}
_CACHE = Path(__file__).resolve().parent.parent.parent / ".cache" / "taichi"

_started: tuple[bool, bool, bool] | None = None


def bake_odd_mesh(number: int, _folder: Path) -> Outcome:
    """Build and simulate an odd mesh over a few frames."""
    mesh = odd_mesh(number)
    role = ("JELLY", "CLOTH")[number // _BLOCK % 2]
    began = time.process_time()
    code = ""
    faults: list[str] = []
    try:
        positions = _simulated(_scene(mesh, role))
        if not np.isfinite(positions).all():
            faults.append(f"{role} {mesh.oddities}: positions that are no finite numbers")
    except XpbdError as error:
        code = error.code
    seconds = time.process_time() - began
    if seconds > MOST_SECONDS:
        faults.append(f"{role} {mesh.oddities}: {seconds:.0f} s of CPU time")
    is_valid = mesh.is_valid and (role == "CLOTH" or mesh.has_volume)
    kind = f"{'valid' if is_valid else 'invalid'}, {f'refused ({code})' if code else 'baked'}"
    return Outcome(kind, tuple(faults))


def _scene(mesh: OddMesh, role: str) -> Scene:
    sizes = np.array([len(polygon) for polygon in mesh.polygons], np.int32)
    corners = np.array([vertex for polygon in mesh.polygons for vertex in polygon], np.int32)
    material = Material.from_values(preset_values(_PRESETS[role], role))
    inside = Tetrahedralization("CAGE", RESOLUTION)
    body = Body("b0", "Odd", role, mesh.positions, sizes, corners, material, tetrahedralization=inside)
    scene = Scene((body,), (), FrameRange(1, 1 + FRAMES), SolverSettings(substeps=SUBSTEPS, device="CPU"))
    validate(scene)
    return scene


def _simulated(scene: Scene) -> np.ndarray:
    global _started  # noqa: PLW0603 - Taichi is one for the process
    system = build_system(scene)
    wanted = system.compiling
    if _started != wanted:
        if _started is not None:
            stop_taichi()
        start_taichi("CPU", 1, _CACHE, *wanted)
        _started = wanted
    solver = Solver(system)
    solver.compile()
    for _ in range(FRAMES):
        solver.advance()
    return solver.surface(solver.positions())
