# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic on whole 4-vectors."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.constraints.lanes import LARGEST_PLACE, cross, dot, edge, place

pytestmark = pytest.mark.usefixtures("taichi_cpu")

VECTOR4 = ti.types.vector(4, ti.f64)


@ti.kernel
def products(p: VECTOR4, q: VECTOR4, r: VECTOR4) -> ti.types.vector(9, ti.f64):
    a, b = edge(p, r), edge(q, r)
    c = cross(a, b)
    return ti.Vector([a[0], a[1], a[2], a[3], c[0], c[1], c[2], c[3], dot(a, q)])


@ti.kernel
def placed(n: ti.i32) -> ti.i32:
    return place(n)


def test_inverse_masses_stay_out():
    p, q, r = np.random.default_rng(0).normal(size=(3, 4))
    found = products(ti.Vector(p), ti.Vector(q), ti.Vector(r)).to_numpy()
    a, b = (p - r)[:3], (q - r)[:3]
    np.testing.assert_allclose(found, [*a, 0.0, *np.cross(a, b), 0.0, a @ q[:3]], rtol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 12345, LARGEST_PLACE])
def test_places_are_themselves(n):
    assert placed(n) == n
