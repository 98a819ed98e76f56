# SPDX-License-Identifier: GPL-3.0-or-later
"""The angle of two numbers against atan2."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.constraints.bending.angle import TAN_EIGHTH, angle_of
from blender_xpbd.solver.step.packs import FLOATS

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@ti.kernel
def angles(y: FLOATS, x: FLOATS, found: FLOATS):
    for i in range(found.shape[0]):
        found[i] = angle_of(y[i], x[i])


def angles_of(y, x):
    found = np.zeros(len(y))
    angles(np.ascontiguousarray(y), np.ascontiguousarray(x), found)
    return found


@pytest.mark.parametrize("length", [1e-20, 1.0, 1e10])
def test_all_around(length):
    exact = np.concatenate(
        [np.linspace(-np.pi, np.pi, 40001)[1:], np.random.default_rng(0).uniform(-3, 3, 1000) * 1e-9]
    )
    y, x = length * np.sin(exact), length * np.cos(exact)
    np.testing.assert_allclose(angles_of(y, x), np.arctan2(y, x), rtol=0, atol=1e-15)


def test_where_one_way_of_computing_it_ends_and_the_next_begins():
    steps = np.array([TAN_EIGHTH, 1.0, 1.0 / TAN_EIGHTH])
    slopes = np.concatenate([steps, np.nextafter(steps, 0.0), np.nextafter(steps, 2.0 * steps)])
    for signs in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
        y, x = signs[0] * slopes, signs[1] * np.ones_like(slopes)
        np.testing.assert_allclose(angles_of(y, x), np.arctan2(y, x), rtol=0, atol=1e-15)


def test_axes_and_origin():
    y, x = np.array([0.0, 1.0, 0.0, -1.0, 0.0]), np.array([1.0, 0.0, -1.0, 0.0, 0.0])
    np.testing.assert_allclose(angles_of(y, x), [0.0, np.pi / 2, np.pi, -np.pi / 2, 0.0], rtol=0, atol=1e-16)


def test_small_angles_are_as_exact_as_any_number():
    y = np.logspace(-300, -9, 50)
    np.testing.assert_allclose(angles_of(y, np.ones_like(y)), y, rtol=2e-15)
