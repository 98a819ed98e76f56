# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs whose bodies go into poses: stopped at any frame, they go on with the same bytes."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.checkpoint import read_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.scene.pose import Pose
from blender_xpbd.scene.region import Region
from blender_xpbd.solver.regional import RegionalSolver
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker import job_runner
from blender_xpbd.worker.played_system import with_pull
from blender_xpbd.worker.region_runner import RegionRunner
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, plane, scene

KERNELS = Path(__file__).resolve().parents[2] / ".cache" / "taichi"
FRAMES, POSE, LEAD = 16, 14, 10


def posed_cloth():
    body = cloth(6, height=0.3)
    pose = Pose(POSE, LEAD, body.positions * [1.0, 1.0, 0.5] + [0.1, 0.0, 0.1])
    return scene(replace(body, poses=(pose,)), colliders=[plane()], frames=(1, FRAMES), substeps=4)


def run(folder, stop=None):
    return job_runner.run_job(folder, StopSignal() if stop is None else stop, KERNELS)


def bytes_of(folder):
    result = read_result(folder)
    cache = FrameCache(folder, result.vertex_count, len(result.bodies), len(result.statistics))
    return {frame: cache.path(frame).read_bytes() for frame in cache.available()}


@pytest.mark.slow
@pytest.mark.parametrize("last", [3, POSE - LEAD, POSE - LEAD + 1, POSE - LEAD + 2, POSE - 1, POSE])
def test_a_stopped_job_goes_on_with_the_same_bytes(tmp_path, monkeypatch, last):
    whole = write_job(tmp_path / "whole", posed_cloth())
    assert run(whole) == ExitCode.COMPLETE
    folder, stop, advance = write_job(tmp_path, posed_cloth()), StopSignal(), Solver.advance

    def advance_and_stop(solver):
        advance(solver)
        if solver.frame_index == last - 1:
            stop.request()

    with monkeypatch.context() as patch:
        patch.setattr(Solver, "advance", advance_and_stop)
        assert run(folder, stop) == ExitCode.INTERRUPTED
    saved = read_checkpoint(folder)
    # what was foreseen at the first frame of the lead counts for the second too
    is_kept = saved is not None and saved[0] == last
    assert is_kept == (last != POSE - LEAD + 1)
    assert run(folder) == ExitCode.COMPLETE
    assert bytes_of(folder) == bytes_of(whole)


def test_a_run_that_is_played_goes_into_no_pose():
    assert with_pull(posed_cloth()).bodies[0].poses == ()


@pytest.mark.parametrize("last", [POSE - LEAD + 1, 9, POSE - 1])
def test_a_region_is_drawn_to_its_pose_and_goes_on_with_the_same_bytes(tmp_path, monkeypatch, last):
    made = posed_cloth()
    former = write_job(tmp_path, made)
    assert run(former) == ExitCode.COMPLETE
    region = Region("b0", np.arange(20, dtype=np.int32), np.ones(20, np.float32), POSE - LEAD + 1, POSE, 3)
    made = replace(made, beginning=Beginning(former.name, POSE - LEAD), region=region)
    again, stop, advance = write_job(tmp_path, made), StopSignal(), RegionalSolver.advance
    assert job_runner.run_job(again, StopSignal(), KERNELS, RegionRunner) == ExitCode.COMPLETE
    before, whole = bytes_of(former), bytes_of(again)
    changed = {frame for frame in before if before[frame] != whole[frame]}
    assert changed <= set(range(POSE - LEAD + 1, POSE + 1))
    # the pose's pulls act in the region as they do in the bake
    assert len(build_system(read_job(again)).posed) == 1

    def advance_and_stop(solver):
        advance(solver)
        if solver.frame_index == last - 1:
            stop.request()

    shutil.rmtree(again)
    assert write_job(tmp_path, made) == again
    with monkeypatch.context() as patch:
        patch.setattr(RegionalSolver, "advance", advance_and_stop)
        assert job_runner.run_job(again, stop, KERNELS, RegionRunner) == ExitCode.INTERRUPTED
    assert job_runner.run_job(again, StopSignal(), KERNELS, RegionRunner) == ExitCode.COMPLETE
    assert bytes_of(again) == whole


@pytest.mark.parametrize("first", [POSE - LEAD + 2, POSE - LEAD + 3])
def test_a_region_that_begins_within_a_lead_is_held_to_its_bake_to_the_byte(tmp_path, monkeypatch, first):
    made = posed_cloth()
    former = write_job(tmp_path, made)
    assert run(former) == ExitCode.COMPLETE
    region = Region("b0", np.arange(20, dtype=np.int32), np.ones(20, np.float32), first, POSE, 3)
    again = write_job(tmp_path, replace(made, beginning=Beginning(former.name, first - 1), region=region))
    advance, beside = RegionalSolver.advance, {}

    def advance_and_note(solver):
        advance(solver)
        other = solver._other
        beside[1 + solver.frame_index] = other.surface(other.positions()).tobytes()

    monkeypatch.setattr(RegionalSolver, "advance", advance_and_note)
    assert job_runner.run_job(again, StopSignal(), KERNELS, RegionRunner) == ExitCode.COMPLETE
    result = read_result(former)
    cache = FrameCache(former, result.vertex_count, len(result.bodies), len(result.statistics))
    assert set(beside) >= set(range(first, POSE + 1))
    assert beside == {frame: cache.read(frame).positions.tobytes() for frame in beside}
    before, after = bytes_of(former), bytes_of(again)
    assert {frame for frame in before if before[frame] != after[frame]} <= set(range(first, POSE + 1))
