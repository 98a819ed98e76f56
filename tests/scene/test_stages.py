# SPDX-License-Identifier: GPL-3.0-or-later
"""Start frames, and frames without gravity."""

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.stages import staged
from blender_xpbd.scene.track import Track
from tests.solver.scenes import cloth, plane, scene


def gravity_of(one, axis="z"):
    return next(track.values for track in one.tracks if track.parameter == f"gravity_{axis}")


def test_without_stages_a_scene_stays_as_it_is():
    one = scene(cloth(3), frames=(1, 5))
    assert staged(one) is one


def test_start_frames_come_before_and_are_not_kept():
    one = staged(scene(cloth(3), frames=(1, 5), preroll=3))
    assert (one.frames.start, one.frames.end, one.frames.hidden, one.frames.count) == (-2, 5, 3, 8)
    assert one.frames.kept() == [1, 2, 3, 4, 5]


def test_what_is_animated_stands_at_its_first_frame_meanwhile():
    matrices = np.tile(np.eye(4), (5, 1, 1))
    matrices[:, 2, 3] = np.arange(5.0)
    pins = Pins.following(np.array([0], np.int32), np.ones(1, np.float32), matrices)
    body = replace(cloth(3), pins=pins, goal=Pins(pins.vertices, pins.weights, matrices[:, None, :3, 3]))
    one = scene(body, colliders=[plane(transforms=matrices)], frames=(1, 5), preroll=2)
    one = staged(replace(one, tracks=(Track("b0", "pin_frequency", np.arange(1.0, 6.0)),)))
    heights = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    np.testing.assert_array_equal(one.bodies[0].pins.matrices[:, 2, 3], heights)
    np.testing.assert_array_equal(one.bodies[0].goal.targets[:, 0, 2], heights)
    np.testing.assert_array_equal(one.colliders[0].transforms[:, 2, 3], heights)
    np.testing.assert_array_equal(one.tracks[0].values, [1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0])


def test_seams_close_without_gravity_in_the_first_frames_that_are_simulated():
    one = staged(scene(cloth(3), frames=(1, 5), sewing_frames=2))
    np.testing.assert_array_equal(gravity_of(one), [0.0, 0.0, -9.81, -9.81, -9.81])
    np.testing.assert_array_equal(gravity_of(one, "x"), 0.0)
    both = staged(scene(cloth(3), frames=(1, 5), preroll=3, sewing_frames=2))
    np.testing.assert_array_equal(gravity_of(both), [0.0, 0.0, *[-9.81] * 6])
    longer = staged(scene(cloth(3), frames=(1, 5), sewing_frames=99))
    np.testing.assert_array_equal(gravity_of(longer), 0.0)


def test_gravity_that_is_animated_goes_on_after_the_seams():
    one = replace(
        scene(cloth(3), frames=(1, 4), sewing_frames=1), tracks=(Track("scene", "gravity_z", np.arange(4.0)),)
    )
    np.testing.assert_array_equal(gravity_of(staged(one)), [0.0, 1.0, 2.0, 3.0])
