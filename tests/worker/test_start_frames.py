# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames before the first one: simulated, not kept, and gone on from like others."""

import numpy as np
import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, plane, scene
from tests.worker.test_job_runner import after_frame, frames_of, run  # noqa: F401 - a fixture

LEAD = 6


def settling_cloth(**settings):
    return scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, 4), substeps=4, **settings)


def places(folder):
    return np.stack([frames_of(folder).read(frame).positions for frame in frames_of(folder).available()])


@pytest.fixture
def whole(tmp_path):
    folder = write_job(tmp_path / "whole", settling_cloth(preroll=LEAD))
    assert run(folder) == ExitCode.COMPLETE
    return folder


def test_the_first_frame_is_after_the_start_frames(whole, tmp_path):
    longer = write_job(tmp_path, scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, 4 + LEAD), substeps=4))
    run(longer)
    assert frames_of(whole).available() == [1, 2, 3, 4]
    np.testing.assert_array_equal(places(whole), places(longer)[LEAD:])
    status = read_status(whole)
    assert (status.frame, status.frames_done, status.frames_total) == (4, 4, 4)


@pytest.mark.parametrize("stopped", [2, LEAD, LEAD + 2])
def test_a_bake_that_was_stopped_goes_on_with_the_same_bytes(whole, tmp_path, after_frame, stopped):  # noqa: F811
    folder = write_job(tmp_path / "halves", settling_cloth(preroll=LEAD))
    stop = StopSignal()
    after_frame(lambda solver: stop.request() if solver.frame_index == stopped else None)
    assert run(folder, stop) == ExitCode.INTERRUPTED
    assert len(frames_of(folder).available()) == max(stopped - LEAD + 1, 0)
    assert run(folder) == ExitCode.COMPLETE
    np.testing.assert_array_equal(places(folder), places(whole))
    assert read_status(folder).frames_done == 4


def test_nothing_falls_while_seams_close(tmp_path):
    folder = write_job(tmp_path, settling_cloth(sewing_frames=2))
    run(folder)
    heights = places(folder)[:, :, 2].mean(axis=1)
    np.testing.assert_allclose(heights[:3] - heights[0], 0.0, atol=1e-7)
    assert heights[3] < heights[0] - 1e-3
