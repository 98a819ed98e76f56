# SPDX-License-Identifier: GPL-3.0-or-later
"""A push changes the relative motion of two sides by what is asked, along their coefficients alone."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts.pairs import push, tables
from blender_xpbd.device.arrays import make_zeros, read_array
from blender_xpbd.device.packs import pack_type
from blender_xpbd.device.runtime import real_type
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.one_pair import EDGES, VERTEX, Pair

pytestmark = pytest.mark.usefixtures("taichi_cpu")

Told = pack_type(told=ti.types.ndarray(ndim=1))
IMPULSE = (0.3, -0.2, 0.7)


@ti.kernel
def give(
    particles: kernels.Moving, surfaces: kernels.Surfaces, pairs: kernels.Pairs, told: Told, embeds: ti.template()
):
    """Push the first near pair; tells the mass that takes the push, and the sum of the weights."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        impulse = ti.Vector([IMPULSE[0], IMPULSE[1], IMPULSE[2]])
        told.told[0] = push.gather_coefficients(particles, surfaces, pairs, 0, embeds)
        push.push_pair(particles.velocities, particles, surfaces, pairs, 0, impulse, embeds)
        told.told[1] = 0.0
        for i in ti.static(range(4)):
            told.told[1] += push.weight_of(pairs, 0, i)


@ti.kernel
def measure(
    particles: kernels.Moving, surfaces: kernels.Surfaces, pairs: kernels.Pairs, told: Told, embeds: ti.template()
):
    """How the sides of the first near pair move relative to each other."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        found = push.relative(particles.velocities, surfaces, pairs, 0, embeds)
        for axis in ti.static(range(3)):
            told.told[axis] = found[axis]


def told_by(kernel, pair, count):
    """What a kernel tells of a pair."""
    told = make_zeros((count,), real_type())
    kernel(pair.particles, pair.surfaces, pair.pairs, Told(told=told), pair.embeds)
    return read_array(told)


def given(pair):
    """Relative motion before and after a push, the mass that takes it, and the sum of the weights."""
    before = told_by(measure, pair, 3)
    mass, total = told_by(give, pair, 2)
    return before, told_by(measure, pair, 3), mass, total


def embedded():
    """A vertex over a triangle whose corners three particles carry, of which each carries some of all."""
    weights = np.array([[1.0, 0.0, 0.0, 0.0], [0.6, 0.4, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.3, 0.0, 0.7, 0.0]])
    particles = np.array([[0, 0, 0, 0], *[[1, 2, 3, 3]] * 3])
    places = np.array([[0.1, 0.3, 0.005], [0.0, -0.5, 0.0], [0.0, 2.0, 0.0], [-1.0, 0.0, 0.0]])
    return places, (np.column_stack([particles, [0, 1, 1, 1]]), weights.astype(np.float32))


@pytest.mark.parametrize("kind", ["vertex", "edges", "embedded"])
def test_an_impulse_changes_the_relative_motion_by_itself_over_the_mass_and_no_momentum(kind):
    places, carriers = {"vertex": (VERTEX, None), "edges": (EDGES, None), "embedded": embedded()}[kind]
    velocities = np.random.default_rng(5).normal(size=places.shape)
    pair = Pair(int(kind == "edges"), places, velocities=velocities, carriers=carriers)
    before, after, mass, total = given(pair)
    np.testing.assert_allclose(after - before, np.array(IMPULSE) / mass, rtol=1e-4, atol=1e-6)
    assert total == pytest.approx(0.0, abs=1e-6)
    change = read_array(pair.particles.velocities)[:, :3] - velocities
    np.testing.assert_allclose((pair.masses[:, None] * change).sum(axis=0), 0.0, atol=1e-5)
    # cleared for the next pair
    assert not read_array(pair.surfaces.gradients).any()


def test_the_first_weight_of_a_side_that_is_a_vertex_is_whole():
    pair = Pair(0, VERTEX)
    row = read_array(pair.pairs.near_floats)[tables.NEAR_WEIGHTS : tables.NEAR_WEIGHTS + 3]
    assert row.sum() == pytest.approx(-1.0, abs=1e-6)


def test_nothing_takes_a_push_where_nothing_moves():
    pair = Pair(0, VERTEX, np.full(4, np.inf), velocities=np.ones((4, 3)))
    before, after, mass, _ = given(pair)
    assert mass == 0.0
    np.testing.assert_array_equal(before, after)
