# SPDX-License-Identifier: GPL-3.0-or-later
"""What is thinner than two cells is named, with the resolution that it takes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from blender_xpbd.geometry.cage.cage import build_cage
from blender_xpbd.geometry.rotations import rotation_and_stretch
from tests.geometry.surfaces import cone, cube, sphere, torus


def thin(surface, resolution):
    """The text of the warning, or ""."""
    positions, triangles = surface
    notices = build_cage(positions, triangles, resolution, "Strip").notices
    found = [notice for notice in notices if notice.code == "W_THIN"]
    assert all(notice.object_name == "Strip" for notice in found)
    return "".join(notice.message for notice in found)


def strip(thickness, turn=0.0):
    """A plate of 8 × 4 × ``thickness``, turned about an axis across its lattice."""
    corners, triangles = cube()
    axis = np.array([[0.0, -0.3, 0.2], [0.3, 0.0, -0.5], [-0.2, 0.5, 0.0]])
    rotation = rotation_and_stretch(np.eye(3) + turn * axis)[0]
    return corners * [4.0, 2.0, 0.5 * thickness] @ rotation.T, triangles


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("thickness", [0.2, 0.4, 0.8, 1.2])
def test_a_strip_thinner_than_its_cells_is_named_until_the_resolution_is_taken(thickness, turn):
    surface = strip(thickness, turn)
    text = thin(surface, 8)
    assert "100%" in text
    needed = int(re.findall(r"about (\d+)", text)[0])
    size = np.ptp(surface[0], axis=0).max()
    assert needed == pytest.approx(2.0 * size / thickness, rel=0.6)
    if needed <= 60:
        assert not thin(surface, needed)


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.0])
def test_a_strip_of_three_cells_is_not(turn):
    surface = strip(3.0, turn)
    assert not thin(surface, round(np.ptp(surface[0], axis=0).max()))


@pytest.mark.parametrize("resolution", [8, 16])
@pytest.mark.parametrize(
    "surface", [cube(), sphere(), cone(), torus(thickness=0.5)], ids=["cube", "ball", "cone", "ring"]
)
def test_what_is_compact_is_not(surface, resolution):
    assert not thin(surface, resolution)


def test_only_what_is_thin_counts():
    """A ball on a sheet."""
    ball, ball_faces = sphere()
    sheet, sheet_faces = strip(0.3)
    surface = (
        np.concatenate([ball + np.array([0.0, 0.0, 1.5]), sheet]),
        np.concatenate([ball_faces, sheet_faces + len(ball)]),
    )
    share = int(re.findall(r"(\d+)%", thin(surface, 16))[0])
    assert share == pytest.approx(100.0 * 9.6 / (9.6 + 4.19), abs=8)


def test_no_resolution_that_cannot_be_set_is_advised():
    assert "cloth" in thin(strip(0.01), 16)
    assert "about" not in thin(strip(0.01), 16)
