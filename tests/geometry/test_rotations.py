# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations between two of any kind, among them those that cancel out: equal, nearly equal, half a turn apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.rotations import (
    interpolated_rotations,
    plane_frames,
    quaternions,
    rotation_and_stretch,
)

TIMES = np.linspace(0.0, 1.0, 9)


def about(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


@st.composite
def axes(draw):
    parts = [draw(st.floats(-1.0, 1.0)) for _ in range(3)]
    return parts if np.linalg.norm(parts) > 1e-3 else [0.0, 0.0, 1.0]


angles = st.floats(0.0, np.pi) | st.sampled_from([0.0, *np.radians([21, 26]), np.pi, np.pi - 1e-9, np.pi - 1e-5])
turns = angles | st.sampled_from([1e-16, 1e-12, 1e-9, 1e-8, 1e-6, 1e-4])


def assert_proper(rotations):
    assert np.isfinite(rotations).all()
    products = rotations @ np.swapaxes(rotations, -1, -2)
    np.testing.assert_allclose(products, np.broadcast_to(np.eye(3), products.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(rotations), 1.0, atol=1e-14)


@given(axes(), angles)
def test_a_rotation_at_rest_stays_bit_for_bit(axis, angle):
    rotation = about(axis, angle)
    np.testing.assert_array_equal(interpolated_rotations(rotation, rotation, TIMES), np.tile(rotation, (9, 1, 1)))


@given(axes(), angles, axes(), turns)
def test_the_way_is_the_turn_in_equal_steps(axis, angle, turn_axis, turn):
    first = about(axis, angle)
    second = about(turn_axis, turn) @ first
    way = interpolated_rotations(first, second, TIMES)
    assert_proper(way)
    np.testing.assert_allclose(way[0], first, atol=1e-14)
    np.testing.assert_allclose(way[-1], second, atol=1e-14)
    steps = way[1:] @ np.swapaxes(way[:-1], 1, 2)
    np.testing.assert_allclose(steps, np.tile(steps[0], (8, 1, 1)), atol=1e-14)
    # half a turn may go either way round
    if turn < np.pi - 1e-8:
        np.testing.assert_allclose(way, [about(turn_axis, turn * time) @ first for time in TIMES], atol=1e-14)
    else:
        np.testing.assert_allclose(np.trace(steps[0]), 1.0 + 2.0 * np.cos(turn / 8), atol=1e-8)


def test_many_at_once_are_as_each_alone():
    random = np.random.default_rng(0)
    first, second = (np.stack([about(random.normal(size=3), random.uniform(0, np.pi)) for _ in range(5)]) for _ in "ab")
    together = interpolated_rotations(first, second, TIMES)
    assert together.shape == (9, 5, 3, 3)
    for k in range(5):
        np.testing.assert_array_equal(together[:, k], interpolated_rotations(first[k], second[k], TIMES))


@given(axes(), angles)
def test_quaternions_turn_as_their_matrix(axis, angle):
    w, *vector = quaternions(about(axis, angle))
    assert w**2 + np.dot(vector, vector) == pytest.approx(1.0, abs=1e-15)
    expected = np.asarray(axis) / np.linalg.norm(axis) * np.sin(angle / 2)
    np.testing.assert_allclose(np.outer(vector, vector), np.outer(expected, expected), atol=1e-14)
    np.testing.assert_allclose(w * np.array(vector), np.cos(angle / 2) * expected, atol=1e-14)


@given(axes(), angles, st.tuples(*[st.floats(0.1, 10.0)] * 3), st.tuples(*[st.sampled_from([-1.0, 1.0])] * 3))
def test_polar_decomposition(axis, angle, scale, signs):
    matrix = about(axis, angle) @ np.diag(np.multiply(scale, signs))
    rotation, stretch = rotation_and_stretch(matrix)
    assert_proper(rotation)
    np.testing.assert_allclose(rotation @ stretch, matrix, atol=1e-13)
    np.testing.assert_allclose(stretch, stretch.T, atol=1e-13)
    assert (np.linalg.eigvalsh(stretch * np.prod(signs)) > 0.0).all()


def test_an_animated_mirror_does_not_jump():
    """A mirror in no axis of its own: with equal scales every axis is singular, and any may be chosen."""
    way = np.stack([about([1, 2, 3], angle) @ np.diag([-1.0, 1.0, 1.0]) for angle in np.linspace(0, 3, 100)])
    rotation, stretch = rotation_and_stretch(way * (1.0 + 1e-15 * np.random.default_rng(0).normal(size=(100, 3, 3))))
    assert np.abs(np.diff(rotation, axis=0)).max() < 0.05
    np.testing.assert_allclose(stretch, np.tile(stretch[0], (100, 1, 1)), atol=1e-12)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (5, -5, 5), (1, 1, -1), (-2, -2, -2), (1e-6, -1e6, 1), (1e99, 1, 1e99)])
def test_the_normal_of_a_plane_goes_by_the_inverse_transpose(scale):
    matrix = about([1, 2, 3], 1.0) @ np.diag(np.array(scale, float))
    normal = about([1, 2, 3], 1.0) @ [0, 0, np.sign(scale[2])]
    frame = plane_frames(matrix)
    assert_proper(frame)
    np.testing.assert_allclose(frame[:, 2], normal, atol=1e-12)


def test_the_normal_of_a_sheared_plane():
    matrix = np.random.default_rng(3).normal(size=(20, 3, 3))
    frames = plane_frames(matrix)
    assert_proper(frames)
    normals = np.linalg.inv(matrix)[:, 2]
    np.testing.assert_allclose(frames[:, :, 2], normals / np.linalg.norm(normals, axis=1, keepdims=True), atol=1e-12)
