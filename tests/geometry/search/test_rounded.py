# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices hold flat pieces off a rounded surface."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.collider.geodesic import geodesic_sphere
from blender_xpbd.geometry.search.rounded import holding_vertices
from tests.geometry.surfaces import cube

DIP = 0.0025
BALL, FACES = geodesic_sphere(24)


def spacing(points: np.ndarray, chosen: np.ndarray) -> float:
    """How far a vertex is from the nearest chosen one at most."""
    apart = np.linalg.norm(points[:, None] - points[chosen][None], axis=2)
    return float(apart.min(axis=1).max())


def fine_cube(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A cube of side 2 whose faces have count² quads."""
    line = np.linspace(-1.0, 1.0, count + 1)
    u, v = (side.ravel() for side in np.meshgrid(line, line, indexing="ij"))
    first = np.arange(count + 1)[:-1, None] * (count + 1) + np.arange(count)
    quads = np.stack([first, first + count + 1, first + count + 2, first + 1], axis=-1).reshape(-1, 4)
    points, triangles = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            face = np.empty((len(u), 3))
            face[:, axis], face[:, (axis + 1) % 3], face[:, (axis + 2) % 3] = side, u, v
            mine = quads if side > 0.0 else quads[:, ::-1]
            triangles.append(np.concatenate([mine[:, :3], mine[:, [0, 2, 3]]]) + sum(map(len, points)))
            points.append(face)
    _, firsts, places = np.unique(np.concatenate(points).round(9), axis=0, return_index=True, return_inverse=True)
    return np.concatenate(points)[firsts], places.reshape(-1)[np.concatenate(triangles)].astype(np.int32)


@pytest.mark.slow
@given(radius=st.floats(0.1, 0.6), length=st.floats(0.12, 3.0), turn=st.floats(0.0, 3.0))
def test_the_chosen_ones_of_a_ball_leave_no_room_to_dip(radius: float, length: float, turn: float) -> None:
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    points = radius * BALL @ rotation.T
    chosen = holding_vertices(points, FACES, length=length, least_dip=DIP)
    if length**2 / (8.0 * radius) > 1.3 * DIP:
        # a piece that rests on two of them dips by s²/(8 r)
        assert (spacing(points, chosen) ** 2) / (8.0 * radius) < 1.3 * DIP
    if length**2 / (8.0 * radius) < 0.7 * DIP:
        assert not chosen.any()


def test_of_a_fine_ball_few_are_chosen() -> None:
    chosen = holding_vertices(0.5 * BALL, FACES, length=0.5, least_dip=0.02)
    assert 0 < chosen.sum() < len(BALL) / 8


def test_what_is_hollow_needs_none() -> None:
    assert not holding_vertices(BALL, FACES[:, ::-1], length=1.0, least_dip=DIP).any()


def test_flat_faces_are_left_to_the_points_of_bodies() -> None:
    points, triangles = fine_cube(16)
    inner = (np.abs(points) < 0.6).sum(axis=1) == 2
    chosen = holding_vertices(points, triangles, length=0.5, least_dip=0.01)
    assert inner.any()
    assert not chosen[inner].any()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_stretched_ball_is_held_where_it_is_round(axis: int) -> None:
    stretch = np.ones(3)
    stretch[axis] = 8.0
    points = 0.2 * BALL * stretch
    chosen = holding_vertices(points, FACES, length=0.15, least_dip=DIP)
    waist = np.abs(BALL[:, axis]) < 0.5
    assert chosen[waist].any()
    # across the waist it is as round as the ball
    nearest = np.linalg.norm(points[waist][:, None] - points[chosen][None], axis=2).min(axis=1)
    assert nearest.max() ** 2 / (8.0 * 0.2) < 2.0 * DIP


def test_an_empty_dip_or_a_tiny_surface_ends() -> None:
    points, triangles = cube()
    assert holding_vertices(points, triangles, length=1e9, least_dip=1e-9).all()
    assert not holding_vertices(1e-6 * points, triangles, length=1.0, least_dip=DIP).any()
