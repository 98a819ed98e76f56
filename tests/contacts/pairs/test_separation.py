# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest way out is found, whatever the meshes."""

import numpy as np
import pytest
from contact_cases.shapes import rotation
from contact_cases.tangles import sheet, tangled_sheets

from blender_xpbd.contacts.pairs.separation import CELLS, area_normal, lengths_of_ways, shortest_way
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


def plain_length(first, second, way, cell):
    """One way after the other, one sample after the other: the definition, written down once more."""
    along = np.eye(3)[np.abs(way).argmin()]
    along = along - along.dot(way) * way
    axes = np.stack([along / np.linalg.norm(along), np.cross(way, along / np.linalg.norm(along))])
    one, other = first @ axes.T, second @ axes.T
    low = np.maximum(one.min(axis=0), other.min(axis=0)) - cell / 2.0
    high = np.minimum(one.max(axis=0), other.max(axis=0)) + cell / 2.0
    if (high <= low).any():
        return 0.0
    heights = [{}, {}]
    for of_cells, points, flat in zip(heights, (first, second), (one, other), strict=True):
        for point, place in zip(points, flat, strict=True):
            if (place >= low).all() and (place <= high).all():
                of_cells.setdefault(tuple(((place - low) // cell).astype(int)), []).append(point @ way)
    common = heights[0].keys() & heights[1].keys()
    return max([0.0, *(max(heights[1][key]) - min(heights[0][key]) for key in common)])


def directions(count, random):
    ways = random.normal(size=(count, 3))
    return ways / np.linalg.norm(ways, axis=1)[:, None]


@pytest.mark.parametrize("case", ["corner", "waves", "ridge", "cloud", "apart"])
def test_all_ways_at_once_are_as_long_as_each_alone(case):
    """Of sheets and clouds that lie in each other, and of such as lie above each other along a few ways alone."""
    random = np.random.default_rng(3)
    if case in ("cloud", "apart"):
        first, second = random.normal(size=(300, 3)), random.normal(size=(200, 3)) * np.array([2.0, 1.0, 0.1])
        second += 8.0 * (case == "apart")
    else:
        # turned, so that no sample lies on the border of a cell
        turn = rotation(0, 0.3217) @ rotation(2, 0.7131)
        first, second = (mesh[0] @ turn.T for mesh in tangled_sheets(case, "irregular"))
    ways = directions(40, random)
    lengths = lengths_of_ways(first, second, ways, 0.11)
    expected = [plain_length(first, second, way, 0.11) for way in ways]
    np.testing.assert_allclose(lengths, expected, rtol=1e-12, atol=1e-12)
    assert len(np.unique(lengths)) > 1


def test_a_way_is_as_long_among_others_as_alone():
    random = np.random.default_rng(4)
    first, second, ways = random.normal(size=(500, 3)), random.normal(size=(400, 3)), directions(20, random)
    alone = [lengths_of_ways(first, second, way[None], 0.2)[0] for way in ways]
    assert lengths_of_ways(first, second, ways, 0.2).tolist() == alone


def test_points_in_one_place_have_no_way_to_go():
    assert lengths_of_ways(np.zeros((2, 3)), np.zeros((1, 3)), np.eye(3), 0.0).tolist() == [0.0, 0.0, 0.0]
