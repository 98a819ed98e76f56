# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses in a job folder: they come back as they were, and a job without any knows nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blender_xpbd.jobs.body_record import BODY_ARRAYS, BODY_KEYS, body_arrays, describe_body, read_body
from blender_xpbd.jobs.changes import changes, kept_until
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.pose import Pose
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange
from blender_xpbd.scene.track import SCENE_TARGET, Track
from tests.jobs.recorded import assert_same, edited, names, recorded
from tests.jobs.test_body_record import FRAMES, random_body

FIRST, SECOND = Pose(3, 2, np.full((6, 3), 0.5), 0.002), Pose(4, 1, np.full((6, 3), 0.7))


def test_poses_come_back_as_they_were(tmp_path: Path) -> None:
    body = replace(random_body(3, {"targets"}), poses=(FIRST, SECOND))
    record = recorded(tmp_path, "b3", describe_body(body), body_arrays(body))
    assert_same(read_body(tmp_path, record, names(b3=body.name), FRAMES), body)


def test_a_body_without_poses_is_what_it_was_before_there_were_any() -> None:
    body = random_body(3, set())
    assert set(describe_body(body)) == set(BODY_KEYS)
    assert set(body_arrays(body)) == set(BODY_ARRAYS)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.pop("poses"),
        lambda value: value.update(poses=[]),
        lambda value: value.update(poses=value["poses"][:1]),
        lambda value: value["poses"][0].update(frame="3"),
        lambda value: value["poses"][0].update(further=1),
        lambda value: value["arrays"].pop("pose_positions"),
        lambda value: value["arrays"]["pose_positions"].update(shape=[2, 5, 3]),
    ],
)
def test_forged_poses_are_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    body = replace(random_body(3, set()), poses=(FIRST, SECOND))
    described = describe_body(body)
    recorded(tmp_path, "b3", described, body_arrays(body))
    with pytest.raises(XpbdError, match="E_JOB"):
        read_body(tmp_path, edited(described, change), names(), FRAMES)


@pytest.fixture
def posed(scene: Scene) -> Callable[..., Scene]:
    """A function that gives the first body of a scene poses at frames 20 and 30."""

    def make(height: float = 0.0, lead: int = 5) -> Scene:
        body = scene.bodies[0]
        poses = Pose(20, 8, body.positions + 0.1), Pose(30, lead, np.add(body.positions, [0.0, 0.0, height]))
        bodies = (replace(body, poses=poses), *(replace(other, goal=type(other.goal)()) for other in scene.bodies[1:]))
        still = [type(body.pins)(), type(body.goal)()]
        bodies = tuple(replace(one, pins=still[0], goal=still[1]) for one in bodies)
        bodies = tuple(replace(one, contact=replace(one.contact, sees=None), fields=None) for one in bodies)
        frames = FrameRange(1, 40, 1, scene.frames.frame_duration)
        return replace(scene, bodies=bodies, colliders=(), frames=frames, tracks=(), forces=())

    return make


def test_a_changed_pose_is_named_with_the_frame_from_which_it_counts(tmp_path: Path, posed: Any) -> None:
    before = write_job(tmp_path, posed())
    assert_same(read_job(before).bodies[0].poses, posed().bodies[0].poses)
    name = posed().bodies[0].name
    for made, frame in ((posed(height=0.2), 26), (posed(lead=7), 24)):
        found = changes(before, write_job(tmp_path, made))
        assert [str(change) for change in found] == [f"{name}: pose target from frame {frame}"]
        assert kept_until(found) == frame - 1
    without = posed()
    without = replace(without, bodies=(replace(without.bodies[0], poses=()), *without.bodies[1:]))
    for pair in ((without, posed()), (posed(), without)):
        found = changes(*(write_job(tmp_path, one) for one in pair))
        assert [str(change) for change in found] == [f"{name}: pose target"]
        assert kept_until(found) is None


@pytest.mark.parametrize(
    ("changed", "first"),
    # the ways are 12 to 20 and 25 to 30
    [(5, 5), (12, 12), (13, 13), (15, 13), (20, 13), (21, 21), (25, 25), (28, 26), (30, 26), (31, 31)],
)
def test_what_changes_on_the_way_into_a_pose_counts_from_the_beginning_of_its_lead(
    tmp_path: Path, posed: Any, changed: int, first: int
) -> None:
    gravity = np.full(40, -9.0)
    gravity[changed - 1] = -9.5
    gravity[1] = -10.0
    made = [replace(posed(), tracks=(Track(SCENE_TARGET, "gravity_z", gravity + row),)) for row in (0.0, 0.0)]
    made[1].tracks[0].values[changed - 1] = -9.25
    found = changes(*(write_job(tmp_path, one) for one in made))
    assert [str(change) for change in found] == [f"Gravity Z from frame {changed}"]
    assert kept_until(found) == first - 1


def test_a_lead_that_begins_within_another_one_is_followed_to_its_beginning(tmp_path: Path, posed: Any) -> None:
    gravity = np.linspace(-9.0, -10.0, 40)
    made = [replace(posed(lead=14), tracks=(Track(SCENE_TARGET, "gravity_z", gravity + row),)) for row in (0.0, 0.0)]
    made[1].tracks[0].values[27] += 1e-3
    found = changes(*(write_job(tmp_path, one) for one in made))
    assert [str(change) for change in found] == ["Gravity Z from frame 28"]
    # the second lead begins at 16, the first at 12
    assert kept_until(found) == 12
