# SPDX-License-Identifier: GPL-3.0-or-later
"""A job that takes over the frames before a change gives the bytes of one that was computed from the start."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.changes import changes, kept_until
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.milestones import continue_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.scene.settings import FrameRange
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, scene

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".cache" / "taichi"
LAST = 20


def run(folder):
    """Each in a process of its own, as a bake does it."""
    environment = os.environ | {"XPBD_TAICHI_CACHE": str(KERNELS)}
    command = [sys.executable, "-m", "blender_xpbd.worker", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == ExitCode.COMPLETE
    return folder


def frames_of(folder):
    result = read_result(folder)
    cache = FrameCache(folder, result.vertex_count, len(result.bodies), len(result.statistics))
    return [cache.read(frame).positions.tobytes() for frame in cache.available()]


def lifted(count, since):
    """A motion that rises, and faster from a row on."""
    motion = np.tile(np.eye(4), (count, 1, 1))
    motion[:, 2, 3] = 0.002 * np.arange(count)
    motion[since:, 2, 3] += 0.004 * np.arange(1, count - since + 1)
    return motion


def over_a_box(since):
    box = mesh_box((0.2, 0.2, 0.2), lifted(LAST, since))
    return scene(cloth(8, height=0.25), colliders=[box], frames=(1, LAST), substeps=6)


def jelly_on_cloth(since):
    sheet = cloth(8, height=0.3, pinned=[0, 7, 56, 63], identifier="b1")
    targets = np.tile(sheet.pins.targets, (LAST, 1, 1))
    targets[since:, :, 0] += 0.05
    moved = replace(sheet, pins=replace(sheet.pins, targets=targets))
    block = jelly_cube(0.3, height=1.05)
    return scene(moved, block, frames=(1, LAST), substeps=6, meet=True)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "since"), [(over_a_box, 8), (jelly_on_cloth, 16)])
def test_frames_before_a_changed_motion_are_kept(tmp_path, make, since):
    former = run(write_job(tmp_path, make(LAST)))
    job = write_job(tmp_path, make(since))
    last = kept_until(changes(former, job))
    assert last == since
    kept = continue_job(former, job, FrameRange(1, LAST), last)
    assert kept is not None
    assert 1 < kept <= last
    run(job)
    assert read_status(job).resumed_after == kept
    assert read_status(job).notices == read_status(run(write_job(tmp_path / "anew", make(since)))).notices
    assert frames_of(job) == frames_of(tmp_path / "anew" / job.name)
    assert frames_of(job) != frames_of(former)


def test_a_longer_range_goes_on_after_the_last_frame(tmp_path):
    short, long = (scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, n), substeps=4) for n in (10, 15))
    former = run(write_job(tmp_path, short))
    job = write_job(tmp_path, long)
    assert continue_job(former, job, long.frames, kept_until(changes(former, job))) == 10
    run(job)
    assert read_status(job).resumed_after == 10
    assert frames_of(job) == frames_of(run(write_job(tmp_path / "anew", long)))


def test_a_shorter_range_goes_on_from_a_state_on_the_way(tmp_path):
    long, short = (scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, n), substeps=4) for n in (20, 14))
    former = run(write_job(tmp_path, long))
    job = write_job(tmp_path, short)
    assert continue_job(former, job, short.frames, kept_until(changes(former, job))) == 13
    run(job)
    assert frames_of(job) == frames_of(former)[:14]


@pytest.mark.slow
def test_other_substeps_by_material_begin_anew(tmp_path):
    """A longer fall asks for more: what was simulated with fewer is not gone on from."""
    made = [
        replace(item, settings=replace(item.settings, quality="MATERIAL"))
        for item in (scene(jelly_cube(0.5, height=12.0), colliders=[plane()], frames=(1, n)) for n in (6, 40))
    ]
    former = run(write_job(tmp_path, made[0]))
    job = write_job(tmp_path, made[1])
    assert continue_job(former, job, made[1].frames, kept_until(changes(former, job))) == 6
    substeps = read_result(former).substeps
    run(job)
    assert read_result(job).substeps != substeps
    assert read_status(job).resumed_after is None
    assert frames_of(job) == frames_of(run(write_job(tmp_path / "anew", made[1])))
