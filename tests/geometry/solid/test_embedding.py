# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.solid.embedding import bind
from blender_xpbd.geometry.solid.tetrahedra import orient_positive
from tests.geometry.surfaces import interpolate, rotation_of_seed


def box(cells: int) -> tuple[np.ndarray, np.ndarray]:
    """The unit cube in six tetrahedra per cell (Kuhn)."""
    numbers = np.arange((cells + 1) ** 3).reshape((cells + 1,) * 3)
    tetrahedra = []
    for order in permutations(range(3)):
        corner, path = np.zeros(3, dtype=int), []
        for axis in (None, *order):
            if axis is not None:
                corner[axis] += 1
            x, y, z = corner
            path.append(numbers[x : x + cells, y : y + cells, z : z + cells].reshape(-1))
        tetrahedra.append(np.stack(path, axis=1))
    side = np.linspace(0, 1, cells + 1)
    vertices = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    return vertices, orient_positive(vertices, np.concatenate(tetrahedra))


@given(st.integers(0, 10_000), st.sampled_from([1e-6, 1.0, 1e6]), st.booleans())
def test_bound_points_are_reproduced_and_follow_an_affine_map(seed: int, scale: float, far: bool) -> None:
    rng = np.random.default_rng(seed)
    vertices, tetrahedra = box(3)
    vertices = vertices * scale + (100 * scale if far else 0.0)
    points = (rng.uniform(-0.3, 1.3, (40, 3)) * scale) + (100 * scale if far else 0.0)
    elements, weights = bind(points, vertices, tetrahedra)
    assert np.allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    assert np.abs(interpolate(weights, elements, tetrahedra, vertices) - points).max() < 1e-11 * scale * 100
    matrix, shift = rng.normal(size=(3, 3)), rng.normal(size=3) * scale
    moved = interpolate(weights, elements, tetrahedra, vertices @ matrix.T + shift)
    assert np.allclose(moved, points @ matrix.T + shift, atol=1e-9 * scale * 100)


def test_points_inside_get_the_tetrahedron_around_them() -> None:
    vertices, tetrahedra = box(4)
    points = np.concatenate([np.random.default_rng(0).uniform(0, 1, (500, 3)), vertices])
    _, weights = bind(points, vertices, tetrahedra)
    assert weights.min() > -1e-9


def test_a_turn_changes_nothing_of_what_points_on_borders_get() -> None:
    """Corners, and middles of edges, of faces and of cells: the first of the tetrahedra that share them."""
    vertices, tetrahedra = box(4)
    side = np.linspace(0, 1, 9)
    points = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    numbers = np.arange(len(tetrahedra))
    inside = [bind(points, vertices, tetrahedra[number : number + 1])[1].min(axis=1) > -1e-9 for number in numbers]
    first = np.argmax(inside, axis=0)
    for seed in range(5):
        turn, shift = rotation_of_seed(seed), np.random.default_rng(seed).uniform(-9.0, 9.0, 3)
        elements, _ = bind(points @ turn.T + shift, vertices @ turn.T + shift, tetrahedra)
        np.testing.assert_array_equal(elements, first)


def test_points_may_be_outside_by_a_tolerance() -> None:
    vertices, tetrahedra = box(4)
    side = np.linspace(0, 1, 9)
    points = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    expected, _ = bind(points, vertices, tetrahedra)
    for shift in (-1e-5, 1e-5):
        assert (bind(points + shift, vertices, tetrahedra)[0] != expected).any()
        np.testing.assert_array_equal(bind(points + shift, vertices, tetrahedra, 1e-3)[0], expected)


def test_points_outside_get_a_tetrahedron_nearby() -> None:
    vertices, tetrahedra = box(4)
    points = np.array([[1.1, 0.5, 0.5], [0.5, 0.5, -0.2], [2.0, 2.0, 2.0]])
    elements, weights = bind(points, vertices, tetrahedra)
    nearby = vertices[tetrahedra[elements]].mean(axis=1)
    assert (np.abs(nearby - np.clip(points, 0, 1)).max(axis=1) < 0.45).all()
    assert np.abs(weights).max() < 10


def test_ten_thousand_points_in_ten_thousand_tetrahedra() -> None:
    vertices, tetrahedra = box(12)
    points = np.random.default_rng(0).uniform(0.0, 1.0, (10_000, 3))
    elements, weights = bind(points, vertices, tetrahedra)
    np.testing.assert_allclose((vertices[tetrahedra[elements]] * weights[..., None]).sum(axis=1), points, atol=1e-9)


def test_there_must_be_a_tetrahedron() -> None:
    with pytest.raises(ValueError, match="positive volume"):
        bind(np.zeros((1, 3)), np.zeros((4, 3)), np.array([[0, 1, 2, 3]]))
