# SPDX-License-Identifier: GPL-3.0-or-later
"""The same bytes in every run and with every number of threads."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from blender_xpbd.solver.order import tasks

from .case import Case, Curve, Plot, Result, absolute
from .meshes import cloth, grid, jelly, lattice_box
from .simulation import run, start

SCRIPTS = Path(__file__).resolve().parent.parent
REPEATS = 20
THREADS = (1, 2, 4)


def digest(path: str) -> str:
    """Of a hanging cloth and a falling jelly after some frames, cut into as many parts as great scenes are."""
    tasks.TASK_SECONDS = 1e-8
    sheet = cloth(grid(1.0, 1.0, 24, 24, "quads"), internal_damping=1.0, damping_time=1e-3)
    block = jelly(*lattice_box((0.3, 0.3, 0.3), (4, 4, 4)))
    sheet.masses[[0, 24]] = 0.0
    block.masses[0] = 0.0
    found = hashlib.blake2b(digest_size=16)
    for model in (sheet, block):
        solver = start(model, 10, 2, path=path)
        for _ in range(6):
            found.update(np.ascontiguousarray(run(solver, 1)).tobytes())
    return found.hexdigest()


def in_a_process(threads: int) -> str:
    """The digest of the path for threads in a new process with a number of threads."""
    program = (
        "import sys; sys.path.insert(0, '..')\n"
        "from validation.execution import prepare\nprepare()\n"
        "from validation.determinism import digest\nprint('digest', digest('THREADS'))"
    )
    environment = {**os.environ, "TI_CPU_MAX_NUM_THREADS": str(threads)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=SCRIPTS, env=environment, check=True, capture_output=True, text=True)
    return next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("digest"))


def repeated() -> Result:
    """Digests of repeated runs and of 1, 2 and 4 threads."""
    runs = [digest("SERIAL") for _ in range(REPEATS)]
    threads = [in_a_process(count) for count in THREADS]
    rows = (
        absolute(f"runs of {REPEATS} that differ from the first", 0, sum(value != runs[0] for value in runs), 0),
        absolute("runs with 1, 2 and 4 threads that differ from it", 0, sum(value != runs[0] for value in threads), 0),
    )
    plot = Plot(
        "run",
        "digest, first 16 bits",
        (
            Curve("serial", np.arange(REPEATS), [int(value[:4], 16) for value in runs], "o"),
            Curve("1, 2, 4 threads", np.arange(len(threads)), [int(value[:4], 16) for value in threads], "x"),
        ),
    )
    return Result(rows, plot)


CASES = (
    Case(
        "determinism",
        "Determinism",
        "Every byte of the positions of a hanging cloth and a jelly, frame by frame.",
        repeated,
    ),
)
