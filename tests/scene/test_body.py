# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: by the motion of an object, or by places of their own."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import validate
from tests.scene.test_scene import BODY, POINTS, ints, scene_of

ONE = np.ones(1, np.float32)


def motion(frames: int) -> np.ndarray:
    matrices = np.tile(np.eye(4), (frames, 1, 1))
    matrices[:, :3, :3] = [[0.0, -2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    matrices[:, 2, 3] = np.arange(frames)
    return matrices


def test_pins_may_follow_one_matrix_or_one_per_frame() -> None:
    for frames in (1, 3):
        validate(scene_of(dataclasses.replace(BODY, pins=Pins.following(ints(2), ONE, motion(frames)))))


def test_places_of_both_kinds_of_pins() -> None:
    followed = Pins.following(ints(2, 1), np.ones(2, np.float32), motion(3))
    np.testing.assert_allclose(followed.places(POINTS, 2), [[-0.2, 0.0, 3.0], [0.0, 0.1, 3.0]])
    targets = np.arange(18.0).reshape(3, 2, 3)
    np.testing.assert_array_equal(Pins(ints(2, 1), np.ones(2, np.float32), targets).places(POINTS, 1), targets[1])
    still = Pins(ints(2, 1), np.ones(2, np.float32), targets[:1])
    np.testing.assert_array_equal(still.places(POINTS, 2), targets[0])


@pytest.mark.parametrize(
    ("pins", "code"),
    [
        (Pins.following(ints(2), ONE, motion(2)), "E_PARAM"),
        (Pins.following(ints(2), ONE, motion(3)[:, :3]), "E_PARAM"),
        (Pins.following(ints(2), ONE, motion(3) * [[1.0], [1.0], [1.0], [2.0]]), "E_PARAM"),
        (Pins.following(ints(2), ONE, motion(3) * 0.0), "E_TRANSFORM_SINGULAR"),
        (Pins.following(ints(2), ONE, motion(3) * np.nan), "E_TRANSFORM_SINGULAR"),
        (Pins(ints(2), ONE, np.zeros((1, 1, 3)), motion(1)), "E_PARAM"),
        (Pins(ints(2), ONE, np.zeros((0, 0, 3))), "E_PARAM"),
    ],
)
def test_pins_that_make_no_sense_are_refused(pins: Pins, code: str) -> None:
    with pytest.raises(XpbdError) as caught:
        validate(scene_of(dataclasses.replace(BODY, pins=pins)))
    assert (caught.value.code, caught.value.object_name) == (code, "Cube")
