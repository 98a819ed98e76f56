# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles made fit for distance queries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.surface.triangle_surface import build_triangle_surface, edge_keys
from blender_xpbd.scene.errors import XpbdError
from tests.geometry.triangle_shapes import CLOSED, SHAPES, cube, distances_to_triangles, icosphere, winding_numbers


@pytest.mark.parametrize("name", SHAPES)
def test_meshes_know_whether_they_are_closed(name: str) -> None:
    positions, triangles = SHAPES[name]()
    assert build_triangle_surface(positions, triangles).closed == (name in CLOSED)
    assert not build_triangle_surface(positions, triangles[1:]).closed


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("damage", ["mirrored", "inside out", "flipped at random", "split", "doubled", "degenerate"])
def test_normals_point_out_of_damaged_meshes(name: str, damage: str) -> None:
    positions, triangles = CLOSED[name]()
    whole = build_triangle_surface(positions, triangles)
    random = np.random.default_rng(4)
    expected = whole.corners
    if damage == "mirrored":
        positions, expected = positions * (-1, 1, 1), expected * (-1, 1, 1)
    elif damage == "inside out":
        triangles = triangles[:, ::-1]
    elif damage == "flipped at random":
        flipped = random.random(len(triangles)) < 0.3
        triangles = np.where(flipped[:, None], triangles[:, ::-1], triangles)
    elif damage == "split":
        positions, triangles = positions[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    elif damage == "doubled":
        triangles = np.concatenate([triangles, triangles[3:6, [1, 2, 0]], triangles[5:8, ::-1]])
    else:
        triangles = np.concatenate([triangles, triangles[:5, [0, 0, 1]], triangles[:5, [2, 2, 2]]])
    surface = build_triangle_surface(positions, triangles)
    assert surface.closed
    assert len(surface.corners) == len(expected)
    middles = surface.corners.mean(axis=1)
    step = 1e-4 * np.ptp(expected[:, :, 2]) * surface.normals
    # the winding number turns round with the triangles, so it is asked of the undamaged ones
    assert (np.abs(winding_numbers(middles + step, expected)) < 0.5).all()
    assert (np.abs(winding_numbers(middles - step, expected)) > 0.5).all()
    assert (np.einsum("tki,ti->tk", surface.pseudonormals, surface.normals) > 0.0).all()


def test_a_moebius_strip_without_a_border_is_no_solid() -> None:
    # the real projective plane of six vertices: every edge joins two triangles, no winding agrees
    triangles = [
        (0, 1, 4),
        (0, 2, 5),
        (0, 1, 2),
        (0, 3, 4),
        (0, 3, 5),
        (1, 2, 3),
        (1, 3, 5),
        (1, 4, 5),
        (2, 3, 4),
        (2, 4, 5),
    ]
    positions = np.random.default_rng(5).random((6, 3))
    assert not build_triangle_surface(positions, np.array(triangles)).closed


def test_nothing_left_is_an_error() -> None:
    positions, triangles = cube()
    flat = positions * (1.0, 0.0, 0.0)
    for empty in ((positions, triangles[:0]), (flat, triangles), (positions * 0.0, triangles)):
        with pytest.raises(XpbdError, match="E_GEOM_EMPTY"):
            build_triangle_surface(*empty)
    with pytest.raises(XpbdError, match="E_GEOM_EMPTY"):
        build_triangle_surface(positions, np.array([[0, 0, 1], [2, 2, 2]]))


def test_points_that_are_none_are_an_error_with_the_vertex() -> None:
    positions, triangles = cube()
    positions[5, 1] = np.nan
    with pytest.raises(XpbdError, match=r"E_GEOM_NONFINITE.*Rock.*vertex 5"):
        build_triangle_surface(positions, triangles, name="Rock")


def test_a_hollow_points_inward_even_when_mirrored() -> None:
    positions, triangles = icosphere(2)
    both = np.concatenate([positions, 0.5 * positions])
    hollow = np.concatenate([triangles, triangles[:, ::-1] + len(positions)])
    for sign in (1.0, -1.0):
        surface = build_triangle_surface(both * (1.0, 1.0, sign), hollow)
        middles = surface.corners.mean(axis=1)
        outward = np.where(np.linalg.norm(middles, axis=1) > 0.75, 1.0, -1.0)
        assert (np.einsum("ti,ti->t", surface.normals, middles) * outward > 0.0).all()


@pytest.mark.parametrize("name", CLOSED)
@given(seed=st.integers(0, 10_000))
def test_pseudonormals_tell_the_side_of_any_point(name: str, seed: int) -> None:
    """Bærentzen & Aanæs: the way from the closest point has the sign of the normal of its face, edge or vertex."""
    surface = build_triangle_surface(*CLOSED[name]())
    random = np.random.default_rng(seed)
    reach = np.ptp(surface.corners.reshape(-1, 3), axis=0)
    # features of all kinds: corners, middles of edges, inner points; moved by a little, for there they are nearest
    weights = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    feature = np.array([4, 1, 2, 0])
    triangle, kind = random.integers(len(surface.corners), size=40), random.integers(4, size=40)
    places = np.einsum("nk,nki->ni", weights[kind], surface.corners[triangle])
    points = places + 1e-4 * reach.min() * random.uniform(-1.0, 1.0, (40, 3))
    distances = distances_to_triangles(points, surface.corners)
    own = np.linalg.norm(points - places, axis=1)
    is_nearest = own <= distances.min(axis=1) * (1.0 + 1e-9)
    ways = np.einsum("ni,ni->n", points - places, surface.pseudonormals[triangle, feature[kind]])
    inside = winding_numbers(points, surface.corners) > 0.5
    assert ((ways < 0.0) == inside)[is_nearest & (np.abs(ways) > 1e-9)].all()
    middles = surface.corners.mean(axis=1)
    step = 1e-5 * reach.min() * surface.normals
    assert (winding_numbers(middles - step, surface.corners) > 0.5).all()


def test_doubled_vertices_are_welded_and_apart_ones_are_not() -> None:
    positions, triangles = cube()
    soup, single = positions[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    jitter = np.random.default_rng(0).uniform(-1e-8, 1e-8, soup.shape)
    assert build_triangle_surface(soup + jitter, single).closed
    gap = np.zeros_like(soup)
    gap[:3] = 1e-4
    assert not build_triangle_surface(soup + gap, single).closed


def test_triangles_without_a_height_have_no_normal_and_go() -> None:
    positions, triangles = cube()
    needle = np.concatenate([positions, [[-1.0, -1.0, 0.0]]])
    found = build_triangle_surface(needle, np.concatenate([triangles, [[0, 4, 8]]]))
    assert len(found.corners) == len(triangles)
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(found.pseudonormals, axis=2), 1.0)


@given(st.integers(0, 10_000), st.integers(1, 20))
def test_edges_have_one_key_whichever_way_they_are_passed(seed: int, count: int) -> None:
    triangles = np.random.default_rng(seed).integers(0, 6, (count, 3))
    keys, directions = edge_keys(triangles)
    edges = [(t[i], t[(i + 1) % 3]) for t in triangles.tolist() for i in range(3)]
    for one, (key, direction) in zip(edges, zip(keys, directions, strict=True), strict=True):
        same = [other for other, other_key in zip(edges, keys, strict=True) if other_key == key]
        assert {frozenset(other) for other in same} == {frozenset(one)}
        assert (direction == 1) == (one[0] < one[1])
