# SPDX-License-Identifier: GPL-3.0-or-later
"""One thread against several, on a machine that is free and on one that is not."""

from __future__ import annotations

import statistics
import subprocess
import sys

from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import SERIAL, THREADS

from .rows import Row
from .scenes import cloth_scene, jelly_scene
from .solver_cases import frame_times, started

ROUNDS = 8
BUSY = "while True: pass"


def threads_case(kind: str, device: str, is_busy: bool) -> Row:
    """Frames on one thread, on all, and as the solver chooses, by turns; beside another busy program or not."""
    scene = cloth_scene("DISTANCE", 10, device, 200) if kind == "CLOTH" else jelly_scene(20, 1e5, device, substeps=10)
    system, _, row = started(scene)
    solvers = {
        "one thread": Solver(system, (SERIAL,)),
        "all threads": Solver(system, (THREADS,)),
        "chosen": Solver(system, (THREADS, SERIAL)),
    }
    for solver in solvers.values():
        frame_times(solver, 4)
    other = subprocess.Popen([sys.executable, "-c", BUSY]) if is_busy else None
    times: dict[str, list[float]] = {name: [] for name in solvers}
    try:
        for _ in range(ROUNDS):
            for name, solver in solvers.items():
                times[name] += frame_times(solver, 5)
    finally:
        if other is not None:
            other.kill()
            other.wait()
    medians = {name: 1e3 * statistics.median(mine) for name, mine in times.items()}
    return {
        "kind": kind,
        "constraints": row["constraints"],
        "another program": "busy" if is_busy else "none",
        **{f"{name} ms/frame": value for name, value in medians.items()},
        "one thread / chosen": medians["one thread"] / medians["chosen"],
    }
