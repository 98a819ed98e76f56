# SPDX-License-Identifier: GPL-3.0-or-later
"""Job folders of bakes: workers for them, and what tells two of them apart."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.result import read_result

ROOT = Path(__file__).resolve().parent.parent.parent


def start_worker(job: Path, *before: str) -> subprocess.Popen[bytes]:
    """A worker alone.

    Args:
        job: folder.
        before: of the command, as what limits it.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*before, sys.executable, "-P", "-m", "blender_xpbd.worker", str(job)]
    none = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=job, env=environment, stdin=none, stdout=none, stderr=none)


def jobs_of(cache: Path) -> list[Path]:
    """The job folders of a cache."""
    return sorted(path for path in cache.iterdir() if path.is_dir()) if cache.is_dir() else []


def job_of(cache: Path) -> Path | None:
    """The only job folder of a cache, None before there is one."""
    return next(iter(jobs_of(cache)), None)


def digests(job: Path) -> dict[int, str]:
    """Digests of the frames that are there, by their numbers."""
    frames = frames_of(job)
    if frames is None:
        return {}
    return {frame: hashlib.sha256(frames.path(frame).read_bytes()).hexdigest() for frame in frames.available()}


def torn_frames(job: Path) -> list[int]:
    """The frames that have their name but are damaged."""
    frames = frames_of(job)
    return [] if frames is None else [frame for frame in frames.available() if not frames.verify(frame)]


def frames_of(job: Path) -> FrameCache | None:
    """The frames of a job folder, None where the worker has not got so far."""
    if not (job / "result.json").exists():
        return None
    result = read_result(job)
    return FrameCache(job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)
