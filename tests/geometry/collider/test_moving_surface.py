# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that stay together over the frames are one; those that part are not."""

import numpy as np
import pytest

from blender_xpbd.geometry.collider.moving_surface import build_moving_surface
from blender_xpbd.scene.errors import XpbdError
from tests.geometry.triangle_shapes import CLOSED, SHAPES, cube


def built(frames, triangles):
    return build_moving_surface(lambda frame: frames[frame], len(frames), triangles, "Rock")


def soup(positions, triangles):
    """Every triangle with corners of its own."""
    return positions[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)


@pytest.mark.parametrize("name", SHAPES)
def test_a_soup_is_welded_where_it_stays_together(name):
    positions, triangles = SHAPES[name]()
    points, single = soup(np.asarray(positions), np.asarray(triangles))
    frames = np.stack([points, points * [1.0, 2.0, 0.5], points + 1e-9])
    surface = built(frames, single)
    assert surface.closed == (name in CLOSED)
    np.testing.assert_array_equal(np.unique(surface.triangles), np.arange(len(surface.sources)))
    assert len(surface.sources) <= len(positions)


def test_what_parts_in_any_frame_is_not_welded():
    """Two halves of a cube that touch at first, each of two doubled pieces that stay together."""
    points, single = soup(*cube())
    upper = points[single].mean(axis=1)[:, 2] > 0.5
    moved = points.copy()
    moved[single[upper].ravel()] += [0.0, 0.0, 1.0]
    assert built(np.stack([points, points]), single).closed
    surface = built(np.stack([points, moved, points]), single)
    assert not surface.closed
    # eight corners, and the four of the top a second time: those of the top stay together
    assert len(surface.sources) == 12


def test_triangles_of_a_closed_mesh_wind_outward():
    positions, triangles = cube()
    surface = built(positions[None], triangles[:, ::-1])
    corners = positions[surface.sources][surface.triangles]
    assert np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) > 0.0


def test_a_triangle_without_an_area_for_a_while_counts():
    flat = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], float)
    surface = built(
        np.stack([flat, flat + np.eye(3)[[1, 1, 1]] * np.array([[0.0], [1.0], [0.0]])]), np.array([[0, 1, 2]])
    )
    assert len(surface.triangles) == 1


def test_nothing_left_is_refused():
    with pytest.raises(XpbdError, match=r"E_GEOM_EMPTY.*Rock"):
        built(np.zeros((2, 3, 3)), np.array([[0, 1, 2]]))
