# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders whose vertices move."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import validate
from tests.scene.test_scene import BODY, POINTS, scene_of

MESH = Collider("c", "Rock", "MESH", np.eye(4)[None], np.stack([POINTS] * 3), np.array([[0, 1, 3]], np.int32))


def test_vertices_may_be_given_for_every_frame() -> None:
    validate(scene_of(BODY, MESH))
    validate(scene_of(BODY, dataclasses.replace(MESH, positions=POINTS[None])))


@pytest.mark.parametrize(
    ("positions", "code"),
    [
        (POINTS, "E_PARAM"),
        (np.stack([POINTS] * 2), "E_PARAM"),
        (np.zeros((0, 4, 3)), "E_PARAM"),
        (np.zeros((3, 4, 2)), "E_PARAM"),
        (np.zeros((3, 3, 3)), "E_PARAM"),
    ],
)
def test_other_vertices_are_refused(positions: Any, code: str) -> None:
    with pytest.raises(XpbdError) as caught:
        validate(scene_of(BODY, dataclasses.replace(MESH, positions=positions)))
    assert (caught.value.code, caught.value.object_name) == (code, "Rock")


def test_the_vertex_that_is_not_finite_at_some_frame_is_told() -> None:
    positions = MESH.positions.copy()
    positions[2, 3, 1] = np.inf
    with pytest.raises(XpbdError, match=r"E_GEOM_NONFINITE.*Vertex 3 "):
        validate(scene_of(BODY, dataclasses.replace(MESH, positions=positions)))
