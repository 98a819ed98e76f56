# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of two sides that both move, as between bodies: the resolve of colliders, with the push shared by mass."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.record import element_inverse_mass, element_point, push_element
from blender_xpbd.contacts.resolve import resolve_contact
from blender_xpbd.device.arrays import make_vectors, make_zero_vectors, read_array

pytestmark = pytest.mark.usefixtures("taichi_cpu")

VECTORS: Any = ti.types.ndarray(ndim=1)
NORMAL = np.array([0.0, 0.0, 1.0])
# a point of one particle against one of three, as a vertex of a cloth against a triangle
ELEMENTS = np.array([[0, 0, 0, 0], [1, 2, 3, 3]], np.int32)
WEIGHTS = np.array([[1.0, 0.0, 0.0, 0.0], [0.5, 0.3, 0.2, 0.0]], np.float32)


class Sides(NamedTuple):
    positions: Any


@ti.kernel
def resolve(
    positions: VECTORS,
    starts: VECTORS,
    elements: ti.types.ndarray(dtype=ti.i32, ndim=2),
    weights: ti.types.ndarray(dtype=ti.f32, ndim=2),
    gap: ti.f64,
    friction: ti.f64,
    state: VECTORS,
    iterations: ti.i32,
):
    """Resolve the contact of element 0 (side a, above) with element 1; ``state`` has λₙ, and λₜ."""
    sides = ti.static(Sides(positions))
    normal = ti.Vector([0.0, 0.0, 1.0])
    ti.loop_config(serialize=True)
    for _ in range(iterations):
        apart = element_point(positions, elements, weights, 0) - element_point(positions, elements, weights, 1)
        before = element_point(starts, elements, weights, 0) - element_point(starts, elements, weights, 1)
        value = apart.dot(normal) - gap
        if value < 0.0:
            resolved = resolve_contact(normal, value, apart - before, friction, state[0][0], state[1].xyz)
            inverse = element_inverse_mass(sides, elements, weights, 0)
            inverse += element_inverse_mass(sides, elements, weights, 1)
            push_element(positions, sides, elements, weights, 0, 1.0 / inverse, resolved.push)
            push_element(positions, sides, elements, weights, 1, 1.0 / inverse, -resolved.push)
            state[0][0] = resolved.multiplier
            for k in ti.static(range(3)):
                state[1][k] = resolved.given[k]


class Touch:
    """Two sides of which the upper one came by ``way`` relative to the lower one, ``depth`` too near."""

    def __init__(self, inverse_masses, way, depth, friction, iterations=1, gap=0.01):
        starts = np.array([[0.0, 0.0, gap], [0.1, 0.0, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.15, 0.0]])
        starts[0, :2] = WEIGHTS[1, :3] @ starts[1:, :2]
        ends = starts.copy()
        ends[0] += [way[0], way[1], -depth]
        self.inverse_masses, self.ends, self.friction = np.asarray(inverse_masses, float), ends, friction
        positions, state = make_vectors(ends, self.inverse_masses), make_zero_vectors(2)
        resolve(positions, make_vectors(starts), ELEMENTS, WEIGHTS, gap, friction, state, iterations)
        self.moved = read_array(positions)[:, :3] - ends
        self.positions = read_array(positions)[:, :3]
        self.slide = self._apart(self.positions) - self._apart(starts)
        self.depth = gap - self._apart(self.positions) @ NORMAL
        self.multiplier, self.given = read_array(state)[0, 0], read_array(state)[1, :3]

    @staticmethod
    def _apart(positions):
        return positions[0] - WEIGHTS[1, :3].astype(float) @ positions[1:]


MASSES = st.lists(st.floats(0.01, 100.0), min_size=4, max_size=4)
AMOUNT = st.floats(-0.05, 0.05)


@given(masses=MASSES, x=AMOUNT, y=AMOUNT, depth=st.floats(1e-4, 0.02), friction=st.floats(0.0, 1.5))
def test_momentum_is_kept_and_the_sides_part(masses, x, y, depth, friction):
    touch = Touch(1.0 / np.array(masses), (x, y), depth, friction, iterations=3)
    momentum = np.array(masses) @ touch.moved
    np.testing.assert_allclose(momentum, 0.0, atol=2e-6 * max(masses))
    assert abs(touch.depth) < 1e-6


@given(masses=MASSES, x=AMOUNT, y=AMOUNT, depth=st.floats(1e-3, 0.02), friction=st.floats(0.0, 1.5))
def test_friction_stays_within_its_cone(masses, x, y, depth, friction):
    """λₙ is the depth. Friction takes all of the slide, or μ λₙ of it where that is less."""
    touch = Touch(1.0 / np.array(masses), (x, y), depth, friction, iterations=4)
    assert touch.multiplier == pytest.approx(depth, abs=2e-6)
    assert np.linalg.norm(touch.given) <= friction * touch.multiplier * 1.0001 + 1e-9
    way = np.hypot(x, y)
    left = max(way - friction * depth, 0.0)
    np.testing.assert_allclose(touch.slide[:2], left / max(way, 1e-12) * np.array([x, y]), atol=3e-6)


@pytest.mark.parametrize(("inverse_masses", "share"), [
    ((1.0, 0.0, 0.0, 0.0), 1.0),
    ((0.0, 1.0, 1.0, 1.0), 0.0),
    ((1.0, 1.0, 1.0, 1.0), 1.0 / 1.38),
    ((2.0, 1.0, 1.0, 1.0), 2.0 / 2.38),
])  # fmt: skip
def test_each_side_moves_by_its_inverse_mass(inverse_masses, share):
    """Σ wᵢ² of the triangle is 0.38 of a particle's."""
    touch = Touch(inverse_masses, (0.0, 0.0), 0.005, 0.5)
    assert touch.moved[0, 2] == pytest.approx(0.005 * share, abs=1e-7)


def test_a_side_without_mass_to_move_is_a_collider():
    """What the other one gets is what a collider would give it."""
    touch = Touch((3.0, 0.0, 0.0, 0.0), (0.02, 0.0), 0.004, 0.5)
    np.testing.assert_allclose(touch.moved, [[-0.002, 0.0, 0.004], [0, 0, 0], [0, 0, 0], [0, 0, 0]], atol=1e-7)
