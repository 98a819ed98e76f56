# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of surface elements without a solver around them: packs, and a kernel for each function."""

from typing import Any, NamedTuple

import numpy as np
import taichi as ti

from blender_xpbd.contacts.pairs import anchors, limit, near, press, settle, tables, touch
from blender_xpbd.contacts.pairs.geometry import pair_geometry
from blender_xpbd.device.arrays import make_array, make_vectors, make_zero_vectors, make_zeros
from blender_xpbd.device.packs import pack_type
from blender_xpbd.device.runtime import real_type

# how much nearer sides may have come since pairs were listed [m]
STRAY = 0.001
# of what pairs lacked of their gap at the start, what is still allowed
LACK_SHARE = 0.5

VECTORS = ti.types.ndarray(ndim=1)
FLOATS = ti.types.ndarray(ndim=1)
INTS = ti.types.ndarray(dtype=ti.i32, ndim=1)
Moving = pack_type(positions=VECTORS, previous_positions=VECTORS, velocities=VECTORS)
Surfaces = pack_type(
    surface_elements=ti.types.ndarray(dtype=ti.i32, ndim=2),
    surface_weights=ti.types.ndarray(dtype=ti.f32, ndim=2),
    start_lacks=ti.types.ndarray(dtype=ti.f32, ndim=1),
    gradients=FLOATS,
    pushed=INTS,
)
Pairs = pack_type(
    pair_ints=ti.types.ndarray(dtype=ti.i32, ndim=2),
    pair_floats=ti.types.ndarray(ndim=2),
    pair_clearances=FLOATS,
    near_ints=INTS,
    near_floats=FLOATS,
    near_count=INTS,
    anchor_ints=ti.types.ndarray(dtype=ti.i32, ndim=2),
    anchor_floats=ti.types.ndarray(ndim=2),
    anchor_heads=INTS,
    anchor_count=INTS,
)
Limits = pack_type(moves=VECTORS, cuts=VECTORS)


class Packs(NamedTuple):
    """All packs of some pairs."""

    particles: Any
    surfaces: Any
    pairs: Any
    limits: Any


def moving(positions, inverse_masses, velocities):
    """A pack of particles at the start of a substep."""
    return Moving(
        positions=make_vectors(positions, inverse_masses),
        previous_positions=make_vectors(positions, inverse_masses),
        velocities=make_vectors(velocities),
    )


def surfaces_of(elements, weights, particle_count):
    """A pack of surface points; the last column of the elements is the object."""
    return Surfaces(
        surface_elements=make_array(np.asarray(elements, np.int32), ti.i32),
        surface_weights=make_array(np.asarray(weights, np.float32), ti.f32),
        start_lacks=make_zeros((len(elements),), ti.f32),
        gradients=make_zeros((particle_count,), real_type()),
        pushed=make_zeros((particle_count,), ti.i32),
    )


def points_of_particles(objects) -> Any:
    """Elements and weights of surface points that are particles."""
    elements = np.zeros((len(objects), 5), np.int32)
    elements[:, 0], elements[:, 4] = np.arange(len(objects)), objects
    return elements, np.tile(np.float32([1.0, 0.0, 0.0, 0.0]), (len(objects), 1))


def pairs_of(kinds, points, gap, friction=0.0, restitution=0.0):
    """A pack of pairs that all are to be measured."""
    ints = np.zeros((len(kinds), tables.PAIR_INTS), np.int32)
    ints[:, tables.KIND], ints[:, tables.POINTS :] = kinds, points
    floats = np.zeros((len(kinds), tables.PAIR_WIDTH))
    floats[:, tables.GAP], floats[:, tables.FRICTION] = gap, friction
    floats[:, tables.RESTITUTION] = restitution
    return Pairs(
        pair_ints=make_array(ints, ti.i32),
        pair_floats=make_array(floats, real_type()),
        pair_clearances=make_zeros((len(kinds),), real_type()),
        near_ints=make_zeros((len(kinds) * tables.NEAR_INTS,), ti.i32),
        near_floats=make_zeros((len(kinds) * tables.NEAR_WIDTH,), real_type()),
        near_count=make_zeros((1,), ti.i32),
        anchor_ints=make_zeros((len(kinds), tables.ANCHOR_INTS), ti.i32),
        anchor_floats=make_zeros((len(kinds), tables.ANCHOR_FLOATS), real_type()),
        anchor_heads=make_zeros((int(np.max(points)) + 1,), ti.i32),
        anchor_count=make_zeros((1,), ti.i32),
    )


def limits_of(particle_count):
    return Limits(moves=make_zero_vectors(particle_count), cuts=make_zero_vectors(particle_count))


@ti.kernel
def find(
    particles: Moving,
    surfaces: Surfaces,
    pairs: Pairs,
    count: ti.i32,
    h: float,
    reach: float,
    embeds: ti.template(),
):
    ti.loop_config(serialize=True)
    for _ in range(1):
        found = 0
        for k in range(count):
            found += near.find_near(
                particles,
                particles.positions,
                particles.velocities,
                surfaces,
                pairs,
                k,
                found,
                ti.Vector([reach, STRAY, near.LARGEST_PUSH_SPEED * h, LACK_SHARE]),
                True,
                embeds,
            )
        pairs.near_count[0] = found


@ti.kernel
def touch_all(particles: Moving, surfaces: Surfaces, pairs: Pairs, sweeps: ti.i32, embeds: ti.template()):
    ti.loop_config(serialize=True)
    for _ in range(sweeps):
        for n in range(pairs.near_count[0]):
            touch.touch_pair(particles, particles.previous_positions, surfaces, surfaces, pairs, n, 0, embeds, False)


@ti.kernel
def press_all(particles: Moving, surfaces: Surfaces, pairs: Pairs, h: float, embeds: ti.template()):
    ti.loop_config(serialize=True)
    for n in range(pairs.near_count[0]):
        press.press_pair(particles, surfaces, surfaces, pairs, n, h, embeds, False)


@ti.kernel
def note_forces(particles: Moving, surfaces: Surfaces, pairs: Pairs, h: float, embeds: ti.template()):
    ti.loop_config(serialize=True)
    for n in range(pairs.near_count[0]):
        press.note_force(particles, surfaces, surfaces, pairs, n, h, embeds, False)


@ti.kernel
def settle_all(
    particles: Moving, surfaces: Surfaces, pairs: Pairs, inverse_h: float, gravity_speed: float, embeds: ti.template()
):
    ti.loop_config(serialize=True)
    for n in range(pairs.near_count[0]):
        settle.settle_pair(particles, surfaces, pairs, n, inverse_h, gravity_speed, embeds)


@ti.kernel
def keep_all(particles: Moving, surfaces: Surfaces, pairs: Pairs, embeds: ti.template()):
    ti.loop_config(serialize=True)
    for _ in range(1):
        anchors.forget_anchors(pairs)
        for n in range(pairs.near_count[0]):
            anchors.note_slide(particles, particles.previous_positions, surfaces, pairs, n, embeds)
            anchors.keep_anchor(pairs, n)


@ti.kernel
def limit_all(
    particles: Moving,
    surfaces: Surfaces,
    pairs: Pairs,
    limits: Limits,
    slides: ti.i32,
    longest: float,
    embeds: ti.template(),
):
    """From the previous positions towards the positions, which become what is certified."""
    ti.loop_config(serialize=True)
    for i in range(particles.positions.shape[0]):
        move = (particles.positions[i] - particles.previous_positions[i]).xyz
        inverse_mass = particles.positions[i][3]
        if inverse_mass > 0.0:
            move *= ti.min(1.0, longest / ti.max(move.norm(), 1e-30))
        limit.begin_limit(limits, i, move, inverse_mass)
    ti.loop_config(serialize=True)
    for pass_number in range(slides + 1):
        if pass_number > 0:
            for i in range(particles.positions.shape[0]):
                limit.slide(limits, i)
        for n in range(pairs.near_count[0]):
            limit.limit_pair(particles.previous_positions, surfaces, pairs, limits, n, embeds)
    ti.loop_config(serialize=True)
    for i in range(particles.positions.shape[0]):
        particles.positions[i] = particles.previous_positions[i] + limit.limited_move(limits, i)
        particles.positions[i][3] = limits.moves[i][3]


@ti.kernel
def measure(
    kinds: ti.types.ndarray(dtype=ti.i32, ndim=1),
    places: ti.types.ndarray(ndim=3),
    previous: ti.types.ndarray(ndim=2),
    found: ti.types.ndarray(ndim=2),
):
    """Weights, normal and distance of each pair of four points."""
    for k in range(kinds.shape[0]):
        x0, x1 = row(places, k, 0), row(places, k, 1)
        x2, x3 = row(places, k, 2), row(places, k, 3)
        before = ti.Vector([previous[k, 0], previous[k, 1], previous[k, 2]])
        result = pair_geometry(kinds[k] == tables.EDGE_EDGE, x0, x1, x2, x3, before)
        for n in ti.static(range(4)):
            found[k, n] = result.weights[n]
        for axis in ti.static(range(3)):
            found[k, 4 + axis] = result.normal[axis]
        found[k, 7] = result.distance


@ti.func
def row(places: ti.template(), k, n):
    return ti.Vector([places[k, n, 0], places[k, n, 1], places[k, n, 2]])


def measured(kinds, places, previous=None):
    """Weights (pairs, 4), normals (pairs, 3) and distances (pairs,) in the precision of the process."""
    dtype = np.float32 if real_type() == ti.f32 else np.float64
    found = np.zeros((len(kinds), 8), dtype)
    before = np.zeros((len(kinds), 3)) if previous is None else previous
    measure(np.asarray(kinds, np.int32), places.astype(dtype), before.astype(dtype), found)
    return found[:, :4], found[:, 4:7], found[:, 7]
