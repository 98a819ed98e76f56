# SPDX-License-Identifier: GPL-3.0-or-later
"""States on the way, and what a job takes over from another one."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.jobs.checkpoint import checkpoint_frame, write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.milestones import MOST_MILESTONES, continue_job, milestone_frames, write_milestone
from blender_xpbd.jobs.result import BodyResult, Result, read_result, write_result
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import FrameRange

FRAMES = FrameRange(-5, 14)


@pytest.fixture
def source(tmp_path):
    """A job of twenty frames with states after -1 and 5, and the last one."""
    folder = tmp_path / "source"
    folder.mkdir()
    cache = FrameCache(folder, 4, 1, 2)
    for frame in FRAMES.kept():
        cache.publish(frame, np.full((4, 3), frame, np.float32), np.zeros((1, 2)))
    write_result(folder, Result((0, 0, 0), 4, (BodyResult("b0", "A", 0, 4, 4, 0, {}, ""),), "CPU", ("x", "y")))
    for frame in (-1, 5):
        write_milestone(folder, frame, {"x": np.arange(3.0) + frame})
    write_checkpoint(folder, 14, {"x": np.arange(3.0) + 14})
    return folder


@pytest.fixture
def target(tmp_path):
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("count", [1, 2, 3, 9, 10, 11, 18, 250, 5000])
def test_milestones_are_few_even_and_before_the_last_frame(count):
    frames = FrameRange(3, 2 + count)
    found = sorted(milestone_frames(frames))
    assert len(found) <= MOST_MILESTONES
    assert all(frames.start < frame < frames.end for frame in found)
    assert len({b - a for a, b in zip([frames.start, *found], found, strict=False)}) <= 1
    assert len(found) == MOST_MILESTONES or count <= 250


@pytest.mark.parametrize(("last", "newest"), [(14, 14), (13, 5), (5, 5), (4, -1), (-1, -1)])
def test_a_job_goes_on_from_the_last_state_before_the_change(source, target, last, newest):
    assert continue_job(source, target, FRAMES, last) == newest
    assert checkpoint_frame(target) == newest
    cache = FrameCache(target, 4, 1, 2)
    assert cache.available() == list(range(-5, newest + 1))
    assert all(cache.read(frame).positions[0, 0] == frame for frame in cache.available())
    assert read_result(target) == read_result(source)


def test_nothing_is_taken_over_where_no_state_is_early_enough(source, target):
    assert continue_job(source, target, FRAMES, -2) is None
    assert list(target.iterdir()) == []


def test_nothing_is_taken_over_where_a_frame_is_missing(source, target):
    (source / "frames" / "frame_00000002.bin").unlink()
    assert continue_job(source, target, FRAMES, 14) is None
    assert list(target.iterdir()) == []


def test_what_a_job_has_itself_stays(source, target):
    write_checkpoint(target, 3, {"x": np.arange(3.0)})
    assert continue_job(source, target, FRAMES, 14) is None
    assert checkpoint_frame(target) == 3


def test_a_damaged_state_is_passed_over(source, target):
    (source / "checkpoint.bin").write_bytes(b"nothing of ours")
    assert continue_job(source, target, FRAMES, 14) == 5


def test_a_link_in_place_of_a_frame_is_refused(source, target, tmp_path):
    path = source / "frames" / "frame_00000002.bin"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(XpbdError) as caught:
        continue_job(source, target, FRAMES, 14)
    assert caught.value.code == "E_CACHE"


def test_frames_of_the_other_job_outlive_a_new_run(source, target):
    continue_job(source, target, FRAMES, 14)
    FrameCache(target, 4, 1, 2).publish(3, np.zeros((4, 3), np.float32), np.zeros((1, 2)))
    assert FrameCache(source, 4, 1, 2).read(3).positions[0, 0] == 3
