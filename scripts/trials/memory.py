# SPDX-License-Identifier: GPL-3.0-or-later
"""A long bake in one worker, whose memory must not grow."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from contact_cases import shapes
from contact_cases.objects import floor

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

from .bakes import start_worker
from .part import Outcome

FRAMES = 5000
_SETTLED = FRAMES // 10
_MOST_GROWTH = 0.05


def run_long(_number: int, folder: Path) -> Outcome:
    """Simulate 5,000 frames and compare the memory after a tenth of them with that before the last one.

    What comes after the last is done once: the worker writes its compiled kernels, with up to 6 MB.
    """
    positions, quads = shapes.sheet(10, 10)
    body = Body("sheet", "sheet", "CLOTH", positions, np.full(len(quads), 4, np.int32), quads.astype(np.int32).ravel())
    frames = FrameRange(1, FRAMES)
    job = write_job(folder, Scene((body,), (floor(-0.3),), frames, SolverSettings(substeps=10, device="CPU")))
    worker = start_worker(job)
    settled = last = 0
    while worker.poll() is None:
        status = read_status(job)
        resident = _resident(worker.pid)
        if status is not None and _SETTLED <= (status.frame or 0) < FRAMES and resident:
            settled = settled or resident
            last = resident
        time.sleep(0.02)
    growth = last / settled - 1.0 if settled else float("inf")
    faults = []
    if worker.returncode != 0:
        faults.append(f"the worker ended with status {worker.returncode}")
    if growth >= _MOST_GROWTH:
        faults.append(f"memory grew by {100.0 * growth:.1f} %")
    return Outcome("one worker", tuple(faults), {"growth in %": 100.0 * growth, "MB at the end": last / 1e3})


def _resident(pid: int) -> int:
    """Memory that a process holds [kB], 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
