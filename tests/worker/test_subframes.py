# SPDX-License-Identifier: GPL-3.0-or-later
"""States between frames in the folder of a job: each once, whole after a stop, and no part of jobs without them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.job import job_digest, read_job, write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.jobs.subframes import SUBFRAMES_FOLDER, SubframeCache
from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.errors import ExitCode, XpbdError
from blender_xpbd.scene.settings import FrameRange
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, plane, scene
from tests.worker.test_job_runner import FRAMES, after_frame, frames_of, run

__all__ = ("after_frame",)

COUNT = 3


def sampled(count=COUNT, step=1, **settings):
    made = scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, FRAMES), substeps=4, **settings)
    return replace(made, frames=replace(made.frames, subframes=count, step=step))


def states_of(folder):
    made = read_job(folder)
    return SubframeCache(folder, made.frames, made.bodies[0].vertex_count), made.frames


def test_states_between_frames_are_kept_and_frames_are_the_same(tmp_path):
    plain, folder = write_job(tmp_path, sampled(0)), write_job(tmp_path, sampled())
    assert plain != folder
    assert [run(each) for each in (plain, folder)] == [ExitCode.COMPLETE] * 2
    for frame in range(1, FRAMES + 1):
        expected = frames_of(plain).read(frame).positions
        np.testing.assert_array_equal(frames_of(folder).read(frame).positions, expected)
    assert not (plain / SUBFRAMES_FOLDER).exists()
    states, frames = states_of(folder)
    numbers = frames.between(FRAMES)
    assert numbers == [number for number in range((COUNT + 1) * (FRAMES - 1)) if number % (COUNT + 1)]
    assert len(list((folder / SUBFRAMES_FOLDER).iterdir())) == len(numbers)
    heights = [states.read(number)[:, 2].mean() for number in numbers[:12]]
    assert (np.diff(heights) < 0.0).all()


def test_frames_that_a_step_leaves_out_are_states_between(tmp_path):
    folder, whole = write_job(tmp_path, sampled(1, step=4)), write_job(tmp_path, sampled(0))
    assert [run(each) for each in (folder, whole)] == [ExitCode.COMPLETE] * 2
    states, frames = states_of(folder)
    assert frames.kept() == [1, 5, 9, 10]
    for frame in sorted(set(range(1, FRAMES + 1)) - set(frames.kept())):
        np.testing.assert_array_equal(states.read(2 * (frame - 1)), frames_of(whole).read(frame).positions)


def test_a_stopped_run_goes_on_with_the_same_states(tmp_path, after_frame):
    stop = StopSignal()
    after_frame(lambda solver: stop.request() if solver.frame_index == 3 else None)
    folder, whole = write_job(tmp_path, sampled()), write_job(tmp_path / "whole", sampled())
    assert run(folder, stop) == ExitCode.INTERRUPTED
    assert run(folder) == ExitCode.COMPLETE
    assert read_status(folder).resumed_after == 4
    assert run(whole) == ExitCode.COMPLETE
    for number in states_of(whole)[1].between(FRAMES):
        np.testing.assert_array_equal(states_of(folder)[0].read(number), states_of(whole)[0].read(number))


def test_a_damaged_state_is_computed_again(tmp_path):
    folder = write_job(tmp_path, sampled())
    assert run(folder) == ExitCode.COMPLETE
    states, frames = states_of(folder)
    before = states.read(6)
    path = sorted((folder / SUBFRAMES_FOLDER).iterdir())[3]
    path.write_bytes(b"torn")
    assert not states.are_whole(FRAMES)
    assert run(folder) == ExitCode.COMPLETE
    assert states.are_whole(FRAMES)
    np.testing.assert_array_equal(states.read(6), before)
    assert any(notice.code == "W_CACHE_DAMAGED" for notice in read_status(folder).notices)
    assert frames.subframes == COUNT


def test_substeps_are_raised_to_what_can_be_divided_and_it_is_told(tmp_path):
    folder = write_job(tmp_path, sampled(2))
    assert run(folder) == ExitCode.COMPLETE
    notices = [notice for notice in read_status(folder).notices if notice.code == "W_QUALITY"]
    assert len(notices) == 1
    assert "2 subframes do not fall on 4 substeps, so 6" in notices[0].message


def test_a_state_of_another_time_is_none(tmp_path):
    """As a bake from a frame on once took over those of other subframes."""
    folder = write_job(tmp_path, sampled())
    assert run(folder) == ExitCode.COMPLETE
    states, frames = states_of(folder)
    paths = sorted((folder / SUBFRAMES_FOLDER).iterdir())
    assert frames.between(FRAMES)[3] == 5
    paths[3].write_bytes(paths[2].read_bytes())
    assert not states.are_whole(FRAMES)
    with pytest.raises(XpbdError, match=r"E_CACHE.* is the state at frame 1.75, not 2.25"):
        states.read(5)


@pytest.mark.parametrize("values", [{"count": 3}, {"count": 0}, {"count": 1, "preroll": 2}])
def test_states_are_not_taken_over_where_their_numbers_mean_others(tmp_path, values):
    former = write_job(tmp_path, sampled(**values))
    made = sampled(1)
    if "preroll" in values:
        # the same simulated frames, of which the first ones were hidden
        made = replace(made, frames=replace(made.frames, start=-1))
    folder = write_job(tmp_path, replace(made, beginning=Beginning(former.name, 6)))
    assert [run(former), run(folder)] == [ExitCode.COMPLETE, ExitCode.REFUSED]
    error = read_status(folder).error
    assert error.code == "E_CACHE_STALE"
    assert "the subframes have changed" in error.message


def test_states_that_are_no_longer_wanted_do_not_stand_in_the_way(tmp_path):
    former = write_job(tmp_path, sampled(3))
    folder = write_job(tmp_path, replace(sampled(0), beginning=Beginning(former.name, 6)))
    assert [run(former), run(folder)] == [ExitCode.COMPLETE] * 2
    assert not (folder / SUBFRAMES_FOLDER).exists()


@pytest.mark.parametrize("last", [5, 6, 8, 9])
def test_a_bake_from_a_frame_that_the_step_leaves_out_has_all_states(tmp_path, last):
    former = write_job(tmp_path, sampled(1, step=4))
    folder = write_job(tmp_path, replace(sampled(1, step=4), beginning=Beginning(former.name, last)))
    assert [run(former), run(folder)] == [ExitCode.COMPLETE] * 2
    (states, frames), (expected, _) = states_of(folder), states_of(former)
    assert states.are_whole(FRAMES)
    for number in frames.between(FRAMES):
        np.testing.assert_array_equal(states.read(number), expected.read(number))


def test_start_frames_have_no_states(tmp_path):
    folder = write_job(tmp_path, sampled(1, preroll=3))
    assert run(folder) == ExitCode.COMPLETE
    states, frames = states_of(folder)
    assert states.are_whole(FRAMES)
    assert len(list((folder / SUBFRAMES_FOLDER).iterdir())) == len(frames.between(FRAMES)) == FRAMES - 1


def test_a_job_without_states_is_the_job_that_it_was(tmp_path):
    plain = sampled(0)
    assert job_digest(plain) == job_digest(replace(plain, frames=FrameRange(1, FRAMES, 1, plain.frames.frame_duration)))
    assert '"subframes"' not in (Path(write_job(tmp_path, plain)) / "job.json").read_text()
    assert read_job(write_job(tmp_path, sampled(2))).frames.subframes == 2
    with pytest.raises(XpbdError, match="E_PARAM"):
        FrameRange(1, 2, subframes=64)
