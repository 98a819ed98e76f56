# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples lie on their triangles, are dense enough, and hang together as the surface does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.sampling import sample_surface
from blender_xpbd.geometry.components import connected_components
from tests.geometry.surfaces import cone, cube, join, sphere, two_fingers
from tests.geometry.triangle_shapes import distances_to_triangles

SHAPES = {"cube": cube(), "sphere": sphere(8, 5), "cone": cone(6), "fingers": two_fingers(0.1)}

shapes = pytest.mark.parametrize("name", SHAPES)


def own_distances(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Of each point to the triangle of the same row."""
    return np.array([distances_to_triangles(p[None], c[None])[0, 0] for p, c in zip(points, corners, strict=True)])


def rises(ends: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How much higher above the longest side one end of each link is, ends (n, 2, 3) and corners (n, 3, 3).

    Of several longest sides, that with the least rise.
    """
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(sides, axis=2)
    offsets = ends[:, None] - corners[:, :, None]
    heights = np.linalg.norm(np.cross(offsets, sides[:, :, None]), axis=3) / lengths[:, :, None]
    is_longest = lengths >= lengths.max(axis=1, keepdims=True) * (1.0 - 1e-9)
    return np.where(is_longest, np.ptp(heights, axis=2), np.inf).min(axis=1)


@shapes
@given(spacing=st.floats(0.2, 5.0))
def test_links_lead_to_the_next_row_at_most(name: str, spacing: float) -> None:
    vertices, triangles = SHAPES[name]
    samples = sample_surface(vertices, triangles, spacing)
    ends, owners = samples.points[samples.links], samples.triangle[samples.links]
    apart = owners[:, 0] != owners[:, 1]
    np.testing.assert_allclose(ends[apart, 0], ends[apart, 1], atol=1e-12)
    rise = rises(ends[~apart], vertices[triangles][owners[~apart, 0]])
    assert rise.max() <= spacing + 1e-9


@shapes
def test_samples_lie_on_their_triangles_with_the_corners_among_them(name: str) -> None:
    vertices, triangles = SHAPES[name]
    samples = sample_surface(vertices, triangles, 0.4)
    assert own_distances(samples.points, vertices[triangles][samples.triangle]).max() < 1e-9
    np.testing.assert_array_equal(samples.points[samples.corner_samples], vertices[triangles])
    np.testing.assert_array_equal(samples.triangle[samples.corner_samples].T, [np.arange(len(triangles))] * 3)


@shapes
@pytest.mark.parametrize("spacing", [0.3, 1.0])
def test_no_place_of_a_triangle_is_far_from_its_samples(name: str, spacing: float) -> None:
    vertices, triangles = SHAPES[name]
    samples = sample_surface(vertices, triangles, spacing)
    weights = np.random.default_rng(0).dirichlet((1.0, 1.0, 1.0), 40)
    for triangle, corners in enumerate(vertices[triangles]):
        places, own = weights @ corners, samples.points[samples.triangle == triangle]
        assert np.linalg.norm(places[:, None] - own[None], axis=2).min(axis=1).max() < spacing


@shapes
def test_samples_hang_together_as_the_surface_does(name: str) -> None:
    vertices, triangles = SHAPES[name]
    both = join((vertices, triangles), (vertices + 10.0, triangles))
    samples = sample_surface(*both, 0.5)
    label = connected_components(len(samples.points), samples.links)
    assert len(np.unique(label[samples.triangle < len(triangles)])) == 1
    assert len(np.unique(label)) == 2


def test_long_thin_triangles_take_samples_by_their_length() -> None:
    sliver = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 0.0], [50.0, 1e-3, 0.0]])
    count = len(sample_surface(sliver, np.array([[0, 1, 2]]), 1.0).points)
    assert 200 <= count < 600
