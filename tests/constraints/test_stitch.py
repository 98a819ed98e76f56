# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams that close."""

import numpy as np
import pytest

from blender_xpbd.constraints.stitch import build_stitch
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

PAIR = np.array([[0, 1]], np.int32)
APART = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


def gap(positions):
    return float(np.linalg.norm(positions[0] - positions[1]))


def test_closes_at_its_speed_and_stays_closed():
    block = build_stitch(PAIR, closing_speed=2.0)
    positions = APART
    for step in range(6):
        positions, _ = projected(block, positions, [1.0, 3.0], inverse_h2=100.0)
        np.testing.assert_allclose(gap(positions), max(1.0 - 0.2 * (step + 1), 0.0), atol=1e-6)


def test_does_not_push_what_comes_closer_by_itself():
    block = build_stitch(PAIR, closing_speed=2.0)
    closer = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    for pbd in (False, True):
        moved, _ = projected(block, closer, [1.0, 1.0], inverse_h2=100.0, previous=APART, pbd=pbd, iterations=3)
        np.testing.assert_array_equal(moved, closer)


@pytest.mark.parametrize("iterations", [1, 4])
def test_pulls_with_its_greatest_force_at_most(iterations):
    block = build_stitch(PAIR, closing_speed=10.0, greatest_force=3.0)
    moved, multipliers = projected(block, APART, [0.0, 0.5], inverse_h2=100.0, iterations=iterations)
    np.testing.assert_allclose(multipliers[0, 0] * 100.0, -3.0, rtol=1e-6)
    np.testing.assert_allclose(gap(moved), 1.0 - 0.5 * 3.0 / 100.0, atol=1e-6)
