# SPDX-License-Identifier: GPL-3.0-or-later
"""A light triangle that lies on a collider hands on what presses on it."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts.pairs import touch
from blender_xpbd.contacts.slots import FIRST_SLOTS, SLOT_MULTIPLIER, SLOT_NORMAL, slot_width
from blender_xpbd.device.arrays import make_array, make_zeros, read_array, write_array
from blender_xpbd.device.packs import pack_type
from blender_xpbd.device.runtime import real_type
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.one_pair import GAP, VERTEX, H

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# a heavy vertex over a light triangle
MASSES = np.array([1.0, 1e-3, 2e-3, 1e-3])
FRICTION = 0.5

INTS, FLOATS = kernels.INTS, kernels.FLOATS
Surfaces = pack_type(
    surface_elements=ti.types.ndarray(dtype=ti.i32, ndim=2),
    surface_weights=ti.types.ndarray(dtype=ti.f32, ndim=2),
    gradients=FLOATS,
    pushed=INTS,
    backed=INTS,
)
Contacts = pack_type(touches=INTS, slots=ti.types.ndarray(ndim=3))


@ti.kernel
def touch_backed(particles: kernels.Moving, surfaces: Surfaces, contacts: Contacts, pairs: kernels.Pairs):
    for _ in range(1):
        touch.touch_pair(particles, particles.previous_positions, surfaces, contacts, pairs, 0, 0, True, True)


def touched(normal, slide=(0.0, 0.0, 0.0), masses=MASSES, above=None):
    """How points move, and the multipliers of the contacts behind them, when a collider of this normal is there.

    ``above`` is the normal of another collider, behind the vertex.
    """
    particles = kernels.moving(VERTEX, 1.0 / masses, np.zeros_like(VERTEX))
    elements, weights = kernels.points_of_particles(np.array([0, 1, 1, 1]))
    plain = kernels.surfaces_of(elements, weights, 4)
    pairs = kernels.pairs_of([0], [[0, 1, 2, 3]], GAP, FRICTION, 0.0)
    kernels.find(particles, plain, pairs, 1, H, 1.0, True)
    slots = np.zeros((4, FIRST_SLOTS, slot_width(keeps_friction=True, keeps_surface=True, has_pairs=True)))
    slots[:3, 0, SLOT_NORMAL : SLOT_NORMAL + 3] = normal
    slots[3, 0, SLOT_NORMAL : SLOT_NORMAL + 3] = slots[0, 0, SLOT_NORMAL : SLOT_NORMAL + 3] if above is None else above
    contacts = Contacts(touches=make_array(np.ones(4, np.int32), ti.i32), slots=make_array(slots, real_type()))
    surfaces = Surfaces(
        surface_elements=make_array(np.asarray(elements, np.int32), ti.i32),
        surface_weights=make_array(np.asarray(weights, np.float32), ti.f32),
        gradients=make_zeros((4,), real_type()),
        pushed=make_zeros((4,), ti.i32),
        backed=make_array(np.array([0 if above is None else 4, 1, 2, 3], np.int32), ti.i32),
    )
    moved = VERTEX + np.outer([1.0, 0.0, 0.0, 0.0], slide)
    write_array(particles.positions, np.column_stack([moved, 1.0 / masses]))
    touch_backed(particles, surfaces, contacts, pairs)
    places = read_array(particles.positions)[:, :3].astype(float)
    return places - moved, read_array(contacts.slots)[:, 0, SLOT_MULTIPLIER].astype(float)


@pytest.mark.parametrize("ratio", [1.0, 1e-2, 1e-3, 1e-6])
def test_the_heavy_side_is_lifted_and_the_floor_has_its_weight(ratio):
    """Down to a triangle of a billionth of the vertex, as one of cotton under a tonne of jelly."""
    masses = MASSES * [1.0, ratio, ratio, ratio]
    moved, multipliers = touched([0.0, 0.0, 1.0], masses=masses)
    np.testing.assert_allclose(moved[0], [0.0, 0.0, 0.5 * GAP], atol=1e-6 * GAP)
    np.testing.assert_allclose(moved[1:], 0.0, atol=1e-6 * GAP)
    np.testing.assert_allclose(multipliers[:3] @ masses[1:], masses[0] * moved[0, 2], rtol=1e-5)


@pytest.mark.parametrize("ratio", [1.0, 1e-3])
def test_what_colliders_press_from_both_sides_is_pushed_by_masses(ratio):
    """Behind each side one, or the heavy one held: nothing is backed, and no collider is given anything."""
    masses = MASSES * [1.0, ratio, ratio, ratio]
    moved, multipliers = touched([0.0, 0.0, 1.0], masses=masses, above=[0.0, 0.0, -1.0])
    np.testing.assert_allclose(multipliers, 0.0)
    np.testing.assert_allclose(moved[0, 2] - [0.5, 0.3, 0.2] @ moved[1:, 2], 0.5 * GAP, rtol=1e-4)
    np.testing.assert_allclose(masses @ moved[:, 2], 0.0, atol=1e-6 * GAP * masses[1:].sum())
    held = np.array([np.inf, *masses[1:]])
    moved, multipliers = touched([0.0, 0.0, 1.0], masses=held)
    np.testing.assert_allclose(multipliers, 0.0)
    np.testing.assert_allclose(moved[0], 0.0)
    np.testing.assert_allclose(-np.array([0.5, 0.3, 0.2]) @ moved[1:, 2], 0.5 * GAP, rtol=1e-4)


@pytest.mark.parametrize("normal", [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])
def test_what_does_not_stand_against_the_push_takes_nothing(normal):
    moved, multipliers = touched(normal)
    assert (moved[1:, 2] < 0.0).all()
    np.testing.assert_allclose(multipliers, 0.0)
    np.testing.assert_allclose(MASSES @ moved, 0.0, atol=1e-9)


def test_a_side_of_which_colliders_back_a_part_is_pushed_by_masses():
    """What hangs free alone would go far where its share of the triangle is small, and sweeps would diverge."""
    moved, multipliers = touched([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(multipliers, 0.0)
    np.testing.assert_allclose(MASSES @ moved, 0.0, atol=1e-9)
    assert np.abs(moved).max() < 2.0 * GAP


def test_friction_moves_the_light_side_and_keeps_momentum():
    """It has the whole load that the floor bears, and the mass of both sides."""
    moved, _ = touched([0.0, 0.0, 1.0], slide=(0.2 * GAP, 0.0, 0.0))
    np.testing.assert_allclose(MASSES @ moved[:, :2], 0.0, atol=1e-9)
    # where the vertex is over the triangle
    np.testing.assert_allclose([0.5, 0.3, 0.2] @ moved[1:, 0], 0.2 * GAP, rtol=0.01)
    assert abs(moved[0, 0]) < 0.01 * GAP
