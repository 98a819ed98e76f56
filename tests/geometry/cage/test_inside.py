# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays through a grid against slow sure answers: every triangle crossed, and winding numbers by solid angles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.inside import Grid, cross_rays, vote
from tests.geometry.surfaces import cone, cube, join, rotation_of_seed, sphere, torus, two_fingers
from tests.geometry.triangle_shapes import crossings as slow_crossings
from tests.geometry.triangle_shapes import winding_numbers

SHAPES = {"cube": cube(), "sphere": sphere(12, 6), "torus": torus(12, 6), "cone": cone(8), "fingers": two_fingers(0.5)}
GRID = Grid((12, 14, 16), 2, ((0.31, 0.37), (0.43, 0.29), (0.53, 0.41)))


def placed(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A turned shape in the middle of the grid, in lattice units."""
    vertices, triangles = SHAPES[name]
    turned = vertices @ rotation_of_seed(seed).T
    turned -= 0.5 * (turned.min(axis=0) + turned.max(axis=0))
    size = np.array(GRID.shape) / GRID.rate
    return turned * (0.8 * (size / np.ptp(turned, axis=0)).min()) + 0.5 * size, triangles


def sample_points() -> np.ndarray:
    """In lattice units, shape (x, y, z, 3)."""
    axes = [GRID.places(axis, np.arange(GRID.shape[axis])) / GRID.rate for axis in range(3)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def depths(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    return vote(GRID, [cross_rays(points, triangles, GRID, axis) for axis in range(3)]).depth


@pytest.mark.parametrize("axis", range(3))
@settings(max_examples=10)
@given(name=st.sampled_from(list(SHAPES)), seed=st.integers(0, 10_000))
def test_rays_cross_what_their_segments_cross(axis: int, name: str, seed: int) -> None:
    points, triangles = placed(name, seed)
    found = cross_rays(points, triangles, GRID, axis)
    starts = np.take(sample_points(), 0, axis=axis).reshape(-1, 3)
    flat = np.arange(np.prod(GRID.shape)).reshape(GRID.shape).take(0, axis=axis).reshape(-1)
    ends = starts.copy()
    starts[:, axis], ends[:, axis] = -100.0, 100.0
    part, crossed = slow_crossings(starts, ends, points[triangles])
    rays, hit = np.nonzero(crossed)
    assert sorted(zip(found.base, found.triangle, strict=True)) == sorted(zip(flat[rays], hit, strict=True))
    heights = dict(zip(zip(flat[rays], hit, strict=True), -100.0 + 200.0 * part[rays, hit], strict=True))
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for base, triangle, sign, point in zip(found.base, found.triangle, found.sign, found.points, strict=True):
        assert point[axis] == pytest.approx(heights[base, triangle], abs=1e-6)
        assert sign == np.sign(normals[triangle, axis])


@settings(max_examples=10)
@given(name=st.sampled_from(list(SHAPES)), seed=st.integers(0, 10_000))
def test_crossings_are_sorted_and_in_their_interval(name: str, seed: int) -> None:
    points, triangles = placed(name, seed)
    for axis in range(3):
        found = cross_rays(points, triangles, GRID, axis)
        keys = np.stack([found.base, found.points[:, axis] * 1e6]).astype(np.int64)
        assert (np.diff(keys[0]) >= 0).all()
        assert (np.diff(keys[1])[np.diff(keys[0]) == 0] >= 0).all()
        places = GRID.places(axis, np.arange(GRID.shape[axis])) / GRID.rate
        np.testing.assert_array_equal(found.interval, np.searchsorted(places, found.points[:, axis]))


@settings(max_examples=10)
@given(name=st.sampled_from(list(SHAPES)), seed=st.integers(0, 10_000))
def test_samples_are_inside_where_the_surface_winds_around_them(name: str, seed: int) -> None:
    points, triangles = placed(name, seed)
    winding = winding_numbers(sample_points().reshape(-1, 3), points[triangles]).reshape(GRID.shape)
    clear = np.abs(winding - np.rint(winding)) < 1e-3
    found = depths(points, triangles)
    np.testing.assert_array_equal(found[clear], np.rint(winding)[clear])
    np.testing.assert_array_equal(depths(points, triangles[:, ::-1]), -found)
    np.testing.assert_array_equal(depths(*join((points, triangles), (points, triangles))), 2 * found)


def test_a_missing_or_turned_face_is_outvoted_and_counted() -> None:
    points, triangles = placed("sphere", 5)
    whole = vote(GRID, [cross_rays(points, triangles, GRID, axis) for axis in range(3)])
    assert whole.disagreement == 0.0
    turned = triangles.copy()
    turned[3] = turned[3, ::-1]
    for damaged in (triangles[1:], turned):
        found = vote(GRID, [cross_rays(points, damaged, GRID, axis) for axis in range(3)])
        assert ((found.depth != 0) == (whole.depth != 0)).all()
        assert 0.0 < found.disagreement < 0.2 * (whole.depth != 0).sum()


@given(st.integers(0, 2), st.lists(st.floats(-3.0, 20.0), max_size=20))
def test_counts_along_an_axis_are_those_of_the_sample_places(axis: int, asked: list[float]) -> None:
    samples = GRID.places(axis, np.arange(GRID.shape[axis]))
    places = np.array([*asked, *samples])
    np.testing.assert_array_equal(GRID.count_up_to(axis, places), (samples[None] <= places[:, None]).sum(axis=1))
    np.testing.assert_array_equal(GRID.count_below(axis, places), (samples[None] < places[:, None]).sum(axis=1))
