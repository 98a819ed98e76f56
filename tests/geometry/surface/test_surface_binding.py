# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest point of a surface."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.surface import surface_binding
from blender_xpbd.geometry.surface.nearest_triangles import closest_points
from blender_xpbd.geometry.surface.surface_binding import bind_to_triangles


@pytest.mark.parametrize("pairs_at_once", [1, 100, 1_000_000])
def test_points_are_bound_to_the_nearest_of_all_triangles(monkeypatch: pytest.MonkeyPatch, pairs_at_once: int) -> None:
    monkeypatch.setattr(surface_binding, "PAIRS_AT_ONCE", pairs_at_once)
    random = np.random.default_rng(0)
    positions = random.uniform(-1.0, 1.0, (60, 3))
    triangles = np.arange(60, dtype=np.int32).reshape(20, 3)
    points = random.uniform(-1.5, 1.5, (50, 3))
    found, weights = bind_to_triangles(points, positions, triangles)
    bound = np.einsum("pj,pji->pi", weights, positions[triangles[found]])
    closest = np.stack([closest_points(points, np.tile(corners, (50, 1, 1))) for corners in positions[triangles]])
    nearest = np.linalg.norm(closest - points, axis=2).min(axis=0)
    np.testing.assert_allclose(np.linalg.norm(bound - points, axis=1), nearest, rtol=1e-9)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert (weights >= 0.0).all()


def test_a_vertex_is_bound_to_itself() -> None:
    positions = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    found, weights = bind_to_triangles(positions, positions, np.array([[0, 1, 2]], np.int32))
    np.testing.assert_array_equal(found, 0)
    np.testing.assert_allclose(weights, np.eye(3), atol=1e-12)
    assert len(bind_to_triangles(positions[:0], positions, np.array([[0, 1, 2]], np.int32))[0]) == 0
