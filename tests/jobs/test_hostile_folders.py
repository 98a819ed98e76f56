# SPDX-License-Identifier: GPL-3.0-or-later
"""Every attack of hostile_folders.py, against whatever reads a job folder."""

from __future__ import annotations

import os
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from blender_xpbd.jobs import array_shapes
from blender_xpbd.jobs.checkpoint import read_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.log import open_log, read_log
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import Status, read_status, write_status
from blender_xpbd.scene.errors import XpbdError
from tests.jobs.hostile_folders import ATTACKS, FRAMES, STATISTICS, baked_job, small_scene, within

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and sockets of POSIX")

SECONDS = 60
# A state or frame of this job has some hundred bytes; the rest is for text and for pieces of a megabyte
MOST_BYTES = 48 * 2**20


def whole_lock(folder: Path) -> None:
    with JobLock(folder):
        pass


def appended_log(folder: Path) -> None:
    with open_log(folder) as log:
        os.write(log, b"more\n")


def readers(job: Path) -> dict[str, Callable[[], object]]:
    """What Blender and the worker do with a job folder, the writing of the job last."""
    frames = FrameCache(job, 4, 1, len(STATISTICS))
    return {
        "job": lambda: read_job(job),
        "status": lambda: read_status(job),
        "result": lambda: read_result(job),
        "frames": frames.available,
        **{f"frame {frame}": partial(frames.read, frame) for frame in range(1, FRAMES + 1)},
        "checkpoint": lambda: read_checkpoint(job, 192),
        "lock": lambda: whole_lock(job),
        "log": lambda: read_log(job, 0, 4096),
        "writing the log": lambda: appended_log(job),
        "writing the status": lambda: write_status(job, Status("STARTING")),
        "writing the job": lambda: write_job(job.parent, small_scene()),
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "victim").write_bytes(b"precious\n")
    return folder


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_answered_by_a_code(
    name: str, tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = ATTACKS[name]
    job = baked_job(tmp_path / "cache")
    attack.plant(job, outside)
    monkeypatch.setattr(array_shapes, "free_memory", lambda: 2**30)
    before = contents(outside)
    faults: dict[str, XpbdError] = {}
    tracemalloc.start()
    with within(SECONDS):
        for reader, read in readers(job).items():
            try:
                read()
            except XpbdError as fault:
                faults[reader] = fault
        peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    codes = {fault.code for fault in faults.values()}
    assert not attack.code or attack.code in codes, faults
    assert codes <= {"E_JOB", "E_CACHE", "E_IO", "E_MEMORY"}
    assert all(str(tmp_path) in fault.message for fault in faults.values()), "a message names no path"
    assert contents(outside) == before
    assert peak < MOST_BYTES, f"{peak / 2**20:.0f} MiB"


def test_what_no_one_has_touched_is_read_by_all(tmp_path: Path) -> None:
    """Or the answers above would say nothing."""
    for read in readers(baked_job(tmp_path)).values():
        read()
