# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a bake by SIGKILL, and what must hold after it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .bakes import jobs_of, torn_frames
from .living_bake import GRACE, BakingBlender, end_by_signal
from .processes import ends_within


def kill_all(blender: BakingBlender, cache: Path, victims: list[int], victim: str, counts: Counter[str]) -> list[str]:
    """Kill what stands still.

    Args:
        blender: that bakes.
        cache: of its bake.
        victims: the processes.
        victim: which these are: "worker", "Blender" or "both".
        counts: gets whether half a file lay there.

    Returns:
        What does not hold after that.
    """
    faults = []
    worker = blender.worker()
    counts["kills in half a file"] += any(True for job in jobs_of(cache) for _ in job.rglob(".*.tmp"))
    end_by_signal(victims)
    if victim == "worker":
        ended = blender.end()
        if ended is None:
            faults.append("Blender did not notice that its worker was killed")
            blender.kill()
        elif ended["code"] != "E_WORKER":
            faults.append(f"of its killed worker Blender said: {ended['code'] or 'nothing'}")
    else:
        blender.kill()
    if worker is not None and not ends_within(worker, GRACE):
        faults.append("the worker outlived Blender")
    torn = [frame for job in jobs_of(cache) for frame in torn_frames(job)]
    return [*faults, *([f"frames {torn} are torn"] if torn else [])]
