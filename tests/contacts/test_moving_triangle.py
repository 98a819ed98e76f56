# SPDX-License-Identifier: GPL-3.0-or-later
"""Passages of points through moving triangles against fine steps in double precision."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.moving_triangle import NO_PASSAGE, passage
from blender_xpbd.device.runtime import start_taichi

ROWS: Any = ti.types.ndarray(dtype=ti.f32, ndim=2)
STEPS = 4000


@pytest.fixture(autouse=True, scope="module")
def _taichi():
    start_taichi("CPU", 0, Path(__file__).parents[2] / ".cache" / "taichi")


@ti.func
def vector(rows: ti.template(), k, at):
    return ti.math.vec3(rows[k, at], rows[k, at + 1], rows[k, at + 2])


@ti.kernel
def find(rows: ROWS, found: ROWS, closed: ti.i32):
    """Rows are a, b, c and the point at the start, then at the end."""
    for k in range(rows.shape[0]):
        a, b, c, p = vector(rows, k, 0), vector(rows, k, 3), vector(rows, k, 6), vector(rows, k, 9)
        a1, b1, c1, p1 = vector(rows, k, 12), vector(rows, k, 15), vector(rows, k, 18), vector(rows, k, 21)
        result = passage(a, b - a, c - a, a1, b1 - a1, c1 - a1, p, p1, closed, 1e-6)
        for n in ti.static(range(4)):
            found[k, n] = result[n]


def passages(rows, closed):
    found = np.zeros((len(rows), 4), np.float32)
    find(np.ascontiguousarray(rows, np.float32), found, int(closed))
    return found


def steps_of(row):
    """Times, heights and weights of b and c, in fine steps."""
    row = row.astype(np.float32).astype(float)
    times = np.linspace(0.0, 1.0, STEPS)
    a, b, c, p = np.moveaxis((1 - times[:, None]) * row[:12] + times[:, None] * row[12:], 1, 0).reshape(4, 3, -1)
    a, ab, ac, offset = a.T, (b - a).T, (c - a).T, (p - a).T
    normals = np.cross(ab, ac)
    squares = (normals**2).sum(axis=1)
    v = (normals * np.cross(offset, ac)).sum(axis=1) / squares
    w = (normals * np.cross(ab, offset)).sum(axis=1) / squares
    return times, (normals * offset).sum(axis=1), v, w


def expected(row, closed):
    """The first passage by fine steps: part of the way and side, and whether a finer look could say otherwise."""
    times, heights, v, w = steps_of(row)
    margin = np.minimum(np.minimum(v, w), 1.0 - v - w)
    changes = np.flatnonzero(np.sign(heights[1:]) != np.sign(heights[:-1]))
    # grazing passages and those through the edge are nobody's
    unsure = (np.abs(margin[changes]) < 0.02).any() or (np.abs(heights[[0, -1]]) < 1e-4).any()
    low = np.flatnonzero((np.abs(heights[1:-1]) < np.abs(heights[:-2])) & (np.abs(heights[1:-1]) < np.abs(heights[2:])))
    unsure |= any(abs(heights[n + 1]) < 1e-4 and not (np.abs(changes - n) <= 2).any() for n in low)
    for n in changes:
        falls = heights[n] > 0.0
        if margin[n] > 0.0 and (falls or not closed):
            return times[n], 1.0 if falls else -1.0, unsure
    return NO_PASSAGE, 0.0, unsure


@pytest.mark.parametrize("closed", [False, True])
@given(seed=st.integers(0, 2**32 - 1))
def test_the_first_passage_is_found(closed, seed):
    random = np.random.default_rng(seed)
    # points about the middle of a triangle that turns, grows and moves
    start = random.normal(size=(20, 3, 3))
    triangles = np.concatenate([start, start + random.normal(size=(20, 3, 3))], axis=1).reshape(20, 2, 9)
    middles = triangles.reshape(20, 2, 3, 3).mean(axis=2)
    points = middles + 0.7 * random.normal(size=(20, 2, 3))
    rows = np.concatenate([triangles, points], axis=2).reshape(20, 24)
    for row, found in zip(rows, passages(rows, closed), strict=True):
        part, side, unsure = expected(row, closed)
        if unsure:
            continue
        assert (found[0] > 1.0) == (part > 1.0)
        if part <= 1.0:
            assert found[0] == pytest.approx(part, abs=2.0 / STEPS)
            assert found[3] == side


def test_a_triangle_that_sweeps_over_a_resting_point():
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    point = [0.2, 0.3, 0.25]
    row = np.concatenate([triangle.ravel(), point, (triangle + np.array([0, 0, 1])).ravel(), point])[None]
    found = passages(row, True)[0]
    np.testing.assert_allclose(found, [0.25, 0.2, 0.3, 1.0], atol=1e-6)
    beside = row.copy()
    beside[0, [9, 21]] += 0.9
    assert passages(beside, False)[0, 0] == NO_PASSAGE


def test_a_point_on_a_closed_surface_is_before_it():
    """Rounding may have it a little below; from deeper it comes from inside."""
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float).ravel()
    for depth, passes in ((-5e-7, True), (-1e-3, False)):
        row = np.concatenate([triangle, [0.2, 0.3, depth], triangle, [0.2, 0.3, -0.1]])[None]
        assert (passages(row, True)[0, 0] <= 1.0) == passes
