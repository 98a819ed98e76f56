# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles that are the wrong way round are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.surface.orientation import disagreeing_triangles
from blender_xpbd.geometry.surface.surface_volume import examine_surface
from tests.geometry.surfaces import cone, cube, enclosed_volume, join, sphere, torus, two_fingers

SHAPES = {"cube": cube(), "sphere": sphere(8, 6), "torus": torus(8, 6), "cone": cone(8), "fingers": two_fingers(0.5)}


def turned_over(triangles: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return np.where(chosen[:, None], triangles[:, ::-1], triangles)


def areas(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1)


@pytest.mark.parametrize("name", SHAPES)
@given(seed=st.integers(0, 10_000), share=st.floats(0.0, 1.0))
def test_the_lesser_area_is_turned_over(name: str, seed: int, share: float) -> None:
    vertices, triangles = SHAPES[name]
    chosen = np.random.default_rng(seed).random(len(triangles)) < share
    found = disagreeing_triangles(vertices, turned_over(triangles, chosen))
    assert (found == chosen).all() or (found == ~chosen).all()
    sizes = areas(vertices, triangles)
    assert sizes[found].sum() <= 0.5 * sizes.sum() * (1.0 + 1e-9)


def test_patches_decide_by_themselves() -> None:
    ball = sphere(8, 6)
    vertices, triangles = join(ball, (ball[0] + 5.0, ball[1][:, ::-1]))
    assert not disagreeing_triangles(vertices, triangles).any()
    chosen = np.zeros(len(triangles), bool)
    chosen[[3, len(ball[1]) + 7]] = True
    np.testing.assert_array_equal(disagreeing_triangles(vertices, turned_over(triangles, chosen)), chosen)


def test_an_edge_of_three_triangles_tells_nothing() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1.0]])
    fan = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    assert not disagreeing_triangles(points, fan).any()
    assert disagreeing_triangles(points, fan[:2]).sum() == 1


def test_a_strip_with_one_side_stays_as_it_is() -> None:
    count = 9
    around = np.arange(count) * 2.0 * np.pi / count
    rim = np.stack([np.cos(around), np.sin(around)], axis=1)
    twist = 0.3 * np.stack([np.cos(0.5 * around), np.sin(0.5 * around)], axis=1)
    inner = np.column_stack([rim * (1.0 - twist[:, :1]), -twist[:, 1]])
    outer = np.column_stack([rim * (1.0 + twist[:, :1]), twist[:, 1]])
    strip = []
    for i in range(count):
        j = (i + 1) % count
        low, high = (j, j + count) if i + 1 < count else (j + count, j)
        strip += [(i, low, i + count), (low, high, i + count)]
    vertices, triangles = np.concatenate([inner, outer]), np.array(strip)
    assert examine_surface(vertices, triangles).crowded_edges == 0
    assert not disagreeing_triangles(vertices, triangles).any()


def test_what_is_turned_over_encloses_its_volume_again() -> None:
    vertices, triangles = torus()
    chosen = np.random.default_rng(1).random(len(triangles)) < 0.2
    broken = turned_over(triangles, chosen)
    mended = turned_over(broken, disagreeing_triangles(vertices, broken))
    assert enclosed_volume(vertices, mended) == pytest.approx(enclosed_volume(vertices, triangles))
