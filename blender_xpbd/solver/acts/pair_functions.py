# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact between bodies in a substep, for tasks of pairs and for equal shares of particles.

``pairs`` is the pack ``packs.Pairs``, which holds what ``contacts.pairs`` calls surfaces, pairs and limits.
"""

import taichi as ti

from ...constraints.constraint import BDF2
from ...contacts.generate import to_world
from ...contacts.pairs.limit import limit_pair
from ...contacts.pairs.passing import may_pass
from ...contacts.pairs.push import weight_of
from ...contacts.pairs.tables import IN_DOUBT, NEAR_INTS, NEAR_WIDTH, POINTS, ROOM, ROW
from ...device.apart import apart
from ..windows.pair_tables import (
    COLLIDER,
    DOUBTED,
    FIRST,
    IS_IN_DOUBT,
    IS_SOLID,
    LAST,
    MOST_PUSHING,
    PARTICLE,
    PLACES_ALL,
    PUSHING,
    SETTLING_SWEEPS,
    SWEPT,
    TUNNELLED,
)
from .functions import keep_previous


@ti.func
def object_of(pairs: ti.template(), k, place):
    """The object of one of the four surface points of a pair."""
    return pairs.surface_elements[pairs.pair_ints[k, POINTS + place], 4]


@ti.func
def count_pair(pairs: ti.template(), n, column):
    """Count a near pair for the objects of its two sides."""
    k = pairs.near_ints[n * NEAR_INTS + ROW]
    a, b = object_of(pairs, k, 0), object_of(pairs, k, 3)
    ti.atomic_add(pairs.object_counts[a, column], 1)
    if a != b:
        ti.atomic_add(pairs.object_counts[b, column], 1)


@ti.func
def keeps_force(particles: ti.template(), pairs: ti.template(), n):
    """Whether the force of a near pair is given again: one side is a solid, and the other one is solid or backed.

    What is light and hangs free would be pushed far away by what a heavy body weighs.
    """
    k, has_solid, is_backed = pairs.near_ints[n * NEAR_INTS + ROW], False, True
    for i in range(4):
        if pairs.object_rows[object_of(pairs, k, i), IS_SOLID] == 1:
            has_solid = True
        elif weight_of(pairs, n, i) != 0.0:
            particle = pairs.surface_elements[pairs.pair_ints[k, POINTS + i], 0]
            if particles.positions[particle][3] > 0.0:
                is_backed = is_backed and pairs.backed[particle] > 0
    return has_solid and is_backed


@apart
def limit_task(starts: ti.template(), pairs: ti.template(), task, is_last, embeds: ti.template()):
    """How far the particles of the near pairs of a task may go; the last time, what is not certain is noted."""
    first, end = pairs.pair_starts[task], pairs.pair_starts[task + 1]
    near, is_in_doubt = pairs.near_counts[task], 0
    for m in range(near + pairs.limited_counts[task]):
        n = first + m if m < near else end - 1 - (m - near)
        if limit_pair(starts, pairs, pairs, pairs, n, embeds) and is_last:
            count_pair(pairs, n, DOUBTED)
            pairs.near_floats[n * NEAR_WIDTH + ROOM] = IN_DOUBT
            is_in_doubt = 1
    if is_in_doubt == 1:
        ti.atomic_max(pairs.told[IS_IN_DOUBT], 1)


@apart
def judge_task(particles: ti.template(), starts: ti.template(), pairs: ti.template(), task, embeds: ti.template()):
    """Count what may have passed through of the near pairs of a task that the truncation left in doubt."""
    first, end = pairs.pair_starts[task], pairs.pair_starts[task + 1]
    near = pairs.near_counts[task]
    for m in range(near + pairs.limited_counts[task]):
        n = first + m if m < near else end - 1 - (m - near)
        if pairs.near_floats[n * NEAR_WIDTH + ROOM] == IN_DOUBT:
            if may_pass(starts, particles.positions, pairs, pairs, n, embeds):
                count_pair(pairs, n, TUNNELLED)


@apart
def count_pushing(pairs: ti.template()):
    """Take the pairs that pushed in a substep into account when it is over."""
    counts = ti.static(pairs.object_counts)
    for o in range(counts.shape[0]):
        counts[o, MOST_PUSHING] = ti.max(counts[o, MOST_PUSHING], counts[o, PUSHING])
        counts[o, PUSHING] = 0
    pairs.told[SETTLING_SWEEPS] = 0
    pairs.told[SWEPT] = 0
    pairs.told[SWEPT + 1] = 0
    pairs.told[IS_IN_DOUBT] = 0


@ti.func
def vertices_to_place(world: ti.template(), substep, of):
    """How many of the colliders' vertices, of which those come first that are searched, are to be placed in a substep.

    All others are only looked at where something is taken apart, and when a frame, or a slice of one, is over. What
    stands stays where the first two substeps have put it: these also write where it was before.
    """
    rows = ti.static(world.pairs.object_rows)
    count = world.pairs.vertices.shape[0]
    if substep + 1 < of and world.pairs.told[PLACES_ALL] == 0:
        count = 0
        if substep < 2 or world.colliders.clear_told[0] == 0:
            for o in range(world.particles.bodies.shape[0], rows.shape[0]):
                count += rows[o, LAST] - rows[o, FIRST]
    return count


@apart
def place_vertices(world: ti.template(), turn, turns, substep, of, mode: ti.template()):
    """Put one of ``turns`` equal shares of the colliders' vertices where they are at the end of a substep.

    Args:
        world: all packs.
        turn: which share.
        turns: how many shares there are.
        substep: of the frame, or slice, which has so many ...
        of: ... of them.
        mode: as in ``constraint``.
    """
    vertices, places = ti.static(world.pairs.vertices, world.pairs.vertex_places)
    # a row of zeros stands for none: particle 0 belongs to a body
    count, share = vertices_to_place(world, substep, of), (substep + 1.0) / of
    for k in range(count * turn // turns, count * (turn + 1) // turns):
        i = vertices[k, PARTICLE]
        if i > 0:
            local = places[k, 0] + share * (places[k, 1] - places[k, 0])
            place = to_world(world.colliders.motion, substep + 1, vertices[k, COLLIDER], local)
            reference = world.particles.positions[i]
            if ti.static(mode & BDF2):
                # as pinned particles, see ``functions.place_target``
                world.particles.older_positions[i] = reference
                reference += (ti.Vector([place[0], place[1], place[2], 0.0]) - reference) / 3.0
            keep_previous(world.particles, i, reference, mode)
            world.particles.positions[i] = ti.Vector([place[0], place[1], place[2], 0.0])
