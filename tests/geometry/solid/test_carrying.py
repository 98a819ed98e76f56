# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that go where a surface near them goes."""

import numpy as np
import pytest

from blender_xpbd.geometry.solid.carrying import build_carrier


def sphere(count=400, seed=1):
    ways = np.random.default_rng(seed).normal(size=(count, 3))
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def turned(points, angle=0.7):
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T + [1.0, 2.0, 3.0]


def flat(count=12):
    line = np.linspace(-1.0, 1.0, count)
    x, y = np.meshgrid(line, line)
    return np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])


@pytest.mark.parametrize("rest", [sphere(), flat()], ids=["sphere", "flat"])
def test_rest_is_kept_and_a_rigid_motion_is_followed(rest):
    points = np.random.default_rng(2).uniform(-1.2, 1.2, (50, 3))
    carrier = build_carrier(points, rest, [None] * 50)
    assert carrier.is_carried.all()
    np.testing.assert_allclose(carrier(rest), points, atol=1e-12)
    np.testing.assert_allclose(carrier(turned(rest)), turned(points), atol=1e-12)


def test_a_stretch_is_followed_inside_a_solid():
    rest = sphere()
    points = 0.5 * sphere(30, 3)
    carrier = build_carrier(points, rest, [None] * 30)
    stretched = [1.5, 1.0, 0.5]
    np.testing.assert_allclose(carrier(rest * stretched), points * stretched, atol=0.06)


def test_only_what_is_nearby_carries():
    """Two sheets a hair apart go two ways; a point of one goes with its own."""
    low, high = flat(), np.add(flat(), (0.0, 0.0, 0.01))
    rest = np.concatenate([low, high])
    own = np.arange(len(low), dtype=np.int32)
    points = np.array([[0.1, 0.1, 0.02], [0.1, 0.1, -0.02]])
    carrier = build_carrier(points, rest, [own, own])
    moved = np.concatenate([low, np.add(high, (0.0, 5.0, 0.0))])
    np.testing.assert_allclose(carrier(moved), points, atol=1e-12)


def test_sources_on_a_line_tell_no_turn():
    line = np.column_stack([np.linspace(0.0, 1.0, 20), np.zeros(20), np.zeros(20)])
    assert not build_carrier(np.array([[0.5, 0.1, 0.0]]), line, [None]).is_carried.any()
