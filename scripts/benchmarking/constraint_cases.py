# SPDX-License-Identifier: GPL-3.0-or-later
"""One projection of each kind, alone, against the same in C.

A sweep is every constraint of one kind once, in the order of the solver. The particles are put back before each run of
sweeps, the runs of ours and of C alternate, and the fastest of each count: neighbours only ever slow a run down.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.device.host_memory import numpy_type
from blender_xpbd.device.runtime import real_type, start_taichi
from blender_xpbd.solver.order.schedule import Schedule, build_schedule
from blender_xpbd.worker.__main__ import taichi_cache_folder

from .constraint_bodies import BODIES, INVERSE_H, Example
from .rows import Row
from .sweep_kernel import SweptConstraints, SweptOrder, SweptParticles, sweep

# what a run takes at least: long against what it takes to begin, and short against a neighbour's turn
RUN_SECONDS = 3e-3
ROUNDS = 80
# each sweep starts from what the one before left, so rounding grows: relative to how far the particles move
LARGEST_DIFFERENCE = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-6}
FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC")

Floats = npt.NDArray[np.floating[Any]]
Sweep = Callable[[int], None]


@dataclass(frozen=True)
class Runner:
    """A way to sweep.

    Attributes:
        reset: puts the particles where they begin.
        sweep: so many times.
        positions: where the particles are, shape (particles, 3).
    """

    reset: Callable[[], None]
    sweep: Sweep
    positions: Callable[[], Floats]

    def seconds(self, sweeps: int) -> float:
        """What so many sweeps take."""
        self.reset()
        before = time.perf_counter()
        self.sweep(sweeps)
        return time.perf_counter() - before

    def moved(self, sweeps: int) -> Floats:
        """Where that many sweeps lead."""
        self.reset()
        self.sweep(sweeps)
        return self.positions()


def projection_case(kind: str, is_double: bool) -> Row:
    """Nanoseconds of one projection, ours and of C, with and without fused multiply-add.

    Raises:
        ArithmeticError: C computes something else.
    """
    example = BODIES[kind]()
    start_taichi("CPU", len(example.block), taichi_cache_folder(), is_double, False)
    schedule = build_schedule([example.block], example.inverse_masses, example.positions, parts=1)
    runners = {"ns": _ours(example, schedule)}
    # what is solved as a whole has no counterpart in C
    if shutil.which("gcc") is not None and hasattr(_compiled(("-DREAL=float",)), f"sweep_{kind}"):
        runners["C ns"] = _in_c(example, schedule, kind, ())
        runners["C without FMA ns"] = _in_c(example, schedule, kind, ("-ffp-contract=off",))
    row: Row = {"constraint": kind, "precision": "double" if is_double else "single", "projections": len(example.block)}
    if example.block.pools is not None:
        row["members"] = float(example.block.indices[:, 1].mean())
    difference = _largest_difference(runners, example)
    times = _best_times(runners)
    row |= {name: 1e9 * seconds / len(example.block) for name, seconds in times.items()}
    if "C ns" in times:
        row |= {"C / ours": times["C ns"] / times["ns"], "difference": difference}
    return row


def _best_times(runners: dict[str, Runner]) -> dict[str, float]:
    """Seconds of a sweep, without what it takes to begin."""
    sweeps = 1 + int(RUN_SECONDS / min(runner.seconds(1) for runner in runners.values()))
    best = dict.fromkeys(runners, np.inf)
    empty = dict.fromkeys(runners, np.inf)
    for _ in range(ROUNDS):
        for name, runner in runners.items():
            empty[name] = min(empty[name], runner.seconds(0))
            best[name] = min(best[name], runner.seconds(sweeps))
    return {name: (best[name] - empty[name]) / sweeps for name in runners}


def _largest_difference(runners: dict[str, Runner], example: Example) -> float:
    """Between where ours and C lead, relative to the longest way of a particle."""
    ends = [runner.moved(1) for runner in runners.values()]
    way = float(np.abs(ends[0] - example.disturbed).max())
    difference = max(float(np.abs(end - ends[0]).max()) for end in ends) / way
    if not difference <= LARGEST_DIFFERENCE[ends[0].dtype]:
        raise ArithmeticError(f"C computes something else: {difference:g} of the way")
    return difference


def _ours(example: Example, schedule: Schedule) -> Runner:
    import taichi as ti

    vectors = ti.types.vector(4, real_type())

    def filled(values: npt.NDArray[Any], dtype: Any) -> Any:
        array = ti.ndarray(dtype, values.shape if dtype is ti.i32 else len(values))
        array.from_numpy(values)
        return array

    start = _packed(example.disturbed, example.inverse_masses, numpy_type(real_type()))
    positions = filled(start, vectors)
    previous = filled(_packed(example.positions, example.inverse_masses, start.dtype), vectors)
    indices, parameters = filled(schedule.indices, ti.i32), filled(schedule.parameters, ti.f32)
    multipliers = filled(np.zeros(1, start.dtype), real_type())
    used = 1 << CONSTRAINTS.index(example.block.type)

    particles = SweptParticles(positions=positions, previous_positions=previous)
    # where multipliers begin, which nothing reads here, comes after what the schedule tells
    table = filled(np.pad(schedule.table, ((0, 0), (0, 1))), ti.i32)
    constraints = SweptConstraints(
        indices=indices, parameters=parameters, lagrange_multipliers=multipliers, table=table
    )
    order = SweptOrder(
        segments=filled(schedule.segments, ti.i32), segment_starts=filled(schedule.segment_starts, ti.i32)
    )

    def run(sweeps: int) -> None:
        sweep(particles, constraints, order, sweeps, INVERSE_H, used)

    return Runner(lambda: positions.from_numpy(start), run, lambda: positions.to_numpy()[:, :3])


def _in_c(example: Example, schedule: Schedule, kind: str, flags: tuple[str, ...]) -> Runner:
    dtype = numpy_type(real_type())
    function = _compiled(("-DREAL=" + ("float" if dtype is np.float32 else "double"), *flags))[f"sweep_{kind}"]
    start = _packed(example.disturbed, example.inverse_masses, dtype)
    positions, previous = start.copy(), _packed(example.positions, example.inverse_masses, dtype)
    indices, parameters = schedule.indices.copy(), schedule.parameters.copy()

    def run(sweeps: int) -> None:
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (positions, previous, indices, parameters)]
        function(*pointers, len(example.block), sweeps, ctypes.c_double(INVERSE_H))

    return Runner(lambda: np.copyto(positions, start), run, positions[:, :3].copy)


def _compiled(flags: tuple[str, ...]) -> ctypes.CDLL:
    source = Path(__file__).with_name("projections.c")
    with tempfile.TemporaryDirectory() as folder:
        part, library = Path(folder) / "projections.o", Path(folder) / "projections.so"
        subprocess.run(["gcc", *FLAGS, *flags, "-c", str(source), "-o", str(part)], check=True)
        # linked without -ffast-math, which would switch denormal numbers off in the whole process
        subprocess.run(["gcc", "-shared", str(part), "-o", str(library), "-lm"], check=True)
        return ctypes.CDLL(str(library))


def _packed(
    positions: npt.NDArray[np.float64], inverse_masses: npt.NDArray[np.float64], dtype: Any
) -> npt.NDArray[Any]:
    return np.concatenate([positions, inverse_masses[:, None]], axis=1).astype(dtype)
