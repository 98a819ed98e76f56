# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a body: what a stranger's job, or a script, may have got wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.pose import Pose, validate_poses
from blender_xpbd.scene.settings import FrameRange

FRAMES = FrameRange(1, 20)
GOOD = Pose(10, 5, np.zeros((4, 3)))


def test_the_force_acts_in_the_frames_of_the_lead_alone() -> None:
    assert [frame for frame in range(1, 20) if GOOD.acts(frame)] == [5, 6, 7, 8, 9]


def test_poses_in_their_order_are_taken() -> None:
    validate_poses((), 4, FRAMES, "Body")
    validate_poses((GOOD, replace(GOOD, frame=20, lead=99, tolerance=0.0)), 4, FRAMES, "Body")


@pytest.mark.parametrize(
    ("poses", "words"),
    [
        ([replace(GOOD, positions=np.zeros((3, 3)))], "E_PARAM.*a place for each vertex"),
        ([replace(GOOD, positions=np.full((4, 3), np.nan))], "E_GEOM_NONFINITE"),
        ([replace(GOOD, lead=0)], "E_PARAM.*at least 1 frame"),
        ([replace(GOOD, tolerance=-1.0)], "E_PARAM.*tolerance"),
        ([replace(GOOD, tolerance=np.inf)], "E_PARAM.*tolerance"),
        ([replace(GOOD, frame=1)], "E_FRAME_RANGE.*only frames 2 to 20"),
        ([replace(GOOD, frame=21)], "E_FRAME_RANGE.*only frames 2 to 20"),
        ([GOOD, GOOD], "E_PARAM.*frames of their own"),
        ([replace(GOOD, frame=12), GOOD], "E_PARAM.*in their order"),
    ],
)
def test_what_does_not_fit_is_refused(poses: list[Pose], words: str) -> None:
    with pytest.raises(XpbdError, match=words):
        validate_poses(poses, 4, FRAMES, "Body")


def test_a_frame_that_the_step_leaves_out_is_refused() -> None:
    with pytest.raises(XpbdError, match=r"E_FRAME_RANGE.*step of 3 leaves out"):
        validate_poses([GOOD, replace(GOOD, frame=12)], 4, replace(FRAMES, step=3), "Body")
