# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest way out is found, whatever the meshes."""

import numpy as np
import pytest
from contact_cases.shapes import rotation
from contact_cases.tangles import sheet

from blender_xpbd.contacts.pairs.separation import CELLS, area_normal, shortest_way
from tests.geometry.triangle_shapes import icosphere


def both(*meshes):
    """Positions, triangles and shares of two patches."""
    (one, triangles), (other, others) = meshes
    shares = np.zeros((2, len(one) + len(other)))
    shares[0, : len(one)], shares[1, len(one) :] = 1.0, 1.0
    return np.concatenate([one, other]), np.concatenate([triangles, others + len(one)]), shares


@pytest.mark.parametrize("kinds", [("grid", "grid"), ("irregular", "grid"), ("coarse", "grid"), ("coarse", "coarse")])
def test_a_sheet_through_another_one_goes_along_the_normal(kinds):
    first, (vertices, triangles) = sheet(kinds[0]), sheet(kinds[1])
    way, length = shortest_way(*both(first, (vertices @ rotation(1, 0.6).T + np.array([0.1, 0.0, 0.0]), triangles)))
    deep = (0.5 - 0.1 * np.cos(0.6)) * np.sin(0.6)
    assert abs(way[2]) > 0.8
    assert length == pytest.approx(deep, abs=2.0 / CELLS)


def test_the_way_is_the_same_for_both():
    vertices, triangles = sheet("irregular")
    meshes = sheet(), (vertices @ rotation(1, 0.4).T + np.array([0.2, 0.03, 0.05]), triangles)
    way, length = shortest_way(*both(*meshes))
    back, other = shortest_way(*both(*meshes[::-1]))
    np.testing.assert_allclose(way, -back, atol=1e-12)
    assert other == pytest.approx(length, abs=1.0 / CELLS)


def test_a_ball_in_a_ball_goes_out_where_it_is_near():
    positions, triangles = icosphere(2)
    triangles = triangles.astype(np.int32)
    way, length = shortest_way(
        *both((0.1 * positions + np.array([0.2, 0.0, 0.0]), triangles), (0.5 * positions, triangles))
    )
    assert way[0] > 0.9
    assert length == pytest.approx(0.4, abs=0.05)


def test_what_lies_above_has_no_way_to_go():
    vertices, triangles = sheet()
    positions, triangles, shares = both((vertices + 0.1 * np.eye(3)[2], triangles), (vertices, triangles))
    assert shortest_way(positions, triangles, shares, np.array([0.0, 0.0, 1.0]))[1] == 0.0
    assert shortest_way(positions, triangles, shares, np.array([0.0, 0.0, -1.0]))[1] == pytest.approx(0.1)


def test_only_what_has_a_share_counts():
    vertices, triangles = sheet()
    positions, triangles, shares = both((vertices, triangles), (vertices @ rotation(1, 0.6).T, triangles))
    shares[1, positions[:, 2] > 0.1] = 0.0
    assert shortest_way(positions, triangles, shares, np.array([0.0, 0.0, 1.0]))[1] < 0.2


def test_mean_normals():
    vertices, triangles = sheet("irregular")
    np.testing.assert_allclose(area_normal(vertices, triangles, np.ones(len(vertices))), [0.0, 0.0, 1.0], atol=1e-12)
    ball, faces = icosphere(2)
    assert np.linalg.norm(area_normal(ball, faces, np.ones(len(ball)))) < 1e-9
