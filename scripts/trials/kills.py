# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes whose worker, Blender or both are killed by SIGKILL, and that are baked again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from blender_xpbd.jobs.status import Status

from .bakes import FRAMES, digests, ends_within, job_of, parent_of, start_bake, status_of, torn_frames, undisturbed
from .part import Outcome

VICTIMS = ("worker", "Blender", "both")
_LATEST_START = 3.0
_LATEST_FRAME = 0.9
# generous: the machine may have much else to do
_GRACE = 120.0


def kill_a_bake(number: int, folder: Path) -> Outcome:
    """Kill a bake once or twice at random moments, then let it end."""
    random = np.random.default_rng(number)
    expected = undisturbed()
    cache = folder / "cache"
    victim = VICTIMS[number % 3]
    faults: list[str] = []
    for _ in range(int(random.integers(1, 3))):
        faults += _kill(cache, victim, random)
    status = start_bake(cache).wait()
    job = job_of(cache)
    if status != 0 or job is None:
        return Outcome(victim, (*faults, f"baked again, it ended with status {status}"))
    found = digests(job)
    if found != expected:
        wrong = [frame for frame in expected if found.get(frame) != expected[frame]]
        faults.append(f"frames {wrong[:5]} differ from those of an undisturbed bake")
    return Outcome(victim, tuple(faults))


def _kill(cache: Path, victim: str, random: np.random.Generator) -> list[str]:
    """Bake until a random moment; what did not hold after the kill."""
    blender = start_bake(cache)
    if random.random() < 0.2:
        time.sleep(random.uniform(0.0, _LATEST_START))
    else:
        _wait_for_frame(blender, cache, int(random.integers(1, int(_LATEST_FRAME * FRAMES))))
        time.sleep(random.uniform(0.0, 0.03))
    status = _status_of(blender, cache)
    worker = status.pid if status is not None and status.state not in {"COMPLETE", "INTERRUPTED"} else None
    if victim != "worker" or worker is None:
        blender.kill()
    if victim != "Blender" and worker is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    faults = []
    try:
        blender.wait(_GRACE)
    except subprocess.TimeoutExpired:
        blender.kill()
        blender.wait()
        faults.append("Blender did not notice that its worker was killed")
    if worker is not None and not ends_within(worker, _GRACE):
        faults.append("the worker outlived Blender")
    job = job_of(cache)
    torn = torn_frames(job) if job is not None else []
    return [*faults, *([f"frames {torn} are torn"] if torn else [])]


def _wait_for_frame(blender: subprocess.Popen[bytes], cache: Path, frame: int) -> None:
    while blender.poll() is None:
        status = _status_of(blender, cache)
        if status is not None and status.frame is not None and status.frame >= frame:
            return
        time.sleep(0.005)


def _status_of(blender: subprocess.Popen[bytes], cache: Path) -> Status | None:
    """The status by this Blender's own worker, which runs; not the one that a bake before has left."""
    status = status_of(cache)
    return status if status is not None and parent_of(status.pid) == blender.pid else None
