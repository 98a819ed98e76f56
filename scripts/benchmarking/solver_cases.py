# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver alone."""

from __future__ import annotations

import ctypes
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.scene.scene import Scene
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import choose_paths
from blender_xpbd.solver.system.system import System, build_system
from blender_xpbd.worker.__main__ import taichi_cache_folder

from .rows import Row
from .scenes import FRAMES, SECONDS_PER_FRAME, cloth_scene, many_cloths


def started(scene: Scene) -> tuple[System, Solver, Row]:
    """Build and compile; the row has what that took."""
    began = time.perf_counter()
    system = build_system(scene)
    built = time.perf_counter()
    device = scene.settings.device
    got = start_taichi(device, system.graphics_work, taichi_cache_folder(), *system.compiling)
    solver = Solver(system, choose_paths(system, got))
    solver.compile()
    row: Row = {
        "device": got,
        "constraints": constraint_count(system),
        "build s": built - began,
        "start s": time.perf_counter() - built,
    }
    return system, solver, row


def constraint_count(system: System) -> int:
    """Constraints of all types."""
    return sum(system.schedule.counts().values())


def frame_times(solver: Solver, frames: int) -> list[float]:
    """Seconds of each frame."""
    times = []
    for _ in range(frames):
        before = time.perf_counter()
        solver.advance()
        times.append(time.perf_counter() - before)
    # the state is read once at the end: a run that went wrong is no time, and a graphics card is waited for
    before = time.perf_counter()
    solver.positions()
    times[-1] += time.perf_counter() - before
    return times


def cloth_case(bending_model: str, device: str) -> Row:
    """Frames per second of plain XPBD, and of the C reference on the same schedule."""
    substeps = 10
    system, solver, row = started(cloth_scene(bending_model, substeps, device, acceleration="NONE"))
    times = frame_times(solver, FRAMES)
    milliseconds = 1e3 * statistics.median(times)
    row |= {"ms/frame": milliseconds, "frames/s": FRAMES / sum(times)}
    reference = c_reference(system, substeps) if bending_model == "DISTANCE" else None
    if reference is not None:
        row |= {"C ms/frame": reference, "C / ours": reference / milliseconds}
    return row


def objects_case(count: int, side: int, device: str) -> Row:
    """The same number of vertices in one object or in many."""
    _, solver, row = started(many_cloths(count, side, 10, device))
    times = frame_times(solver, 30)
    return {"objects": count, "vertices": count * side**2, **row, "ms/frame": 1e3 * statistics.median(times)}


def c_reference(system: Any, substeps: int) -> float | None:
    """Milliseconds per frame of ``benchmark_reference.c``; None where there is no gcc."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "reference.so"
        source = Path(__file__).with_name("reference.c")
        flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
        simulate = ctypes.CDLL(str(library)).simulate
    schedule = system.schedule
    positions = np.concatenate([system.positions, system.inverse_masses[:, None]], axis=1).astype(np.float32)
    previous, velocities = positions.copy(), np.zeros_like(positions)

    def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
        return array.ctypes.data_as(ctypes.c_void_p)

    times = []
    for _ in range(FRAMES):
        before = time.perf_counter()
        simulate(
            pointer(positions),
            pointer(previous),
            pointer(velocities),
            len(positions),
            pointer(schedule.indices),
            pointer(schedule.parameters),
            len(schedule.indices) // 2,
            substeps,
            ctypes.c_float(SECONDS_PER_FRAME / substeps),
            ctypes.c_float(-9.81),
        )
        times.append(time.perf_counter() - before)
    return 1e3 * statistics.median(times)
