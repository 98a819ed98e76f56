# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact between bodies in a substep, for tasks of pairs and for equal shares of particles.

``pairs`` is the pack ``packs.Pairs``, which holds what ``contacts.pairs`` calls surfaces, pairs and limits.
"""

import taichi as ti

from ...constraints.constraint import BDF2
from ...contacts.generate import to_world
from ...contacts.pairs.anchors import forget_anchors, keep_anchor, note_slide
from ...contacts.pairs.limit import limit_pair
from ...contacts.pairs.near import find_near, leave_alone
from ...contacts.pairs.settle import settle_pair
from ...contacts.pairs.tables import (
    KIND,
    MULTIPLIER,
    NEAR_FRICTION,
    NEAR_INTS,
    NEAR_WIDTH,
    POINTS,
    ROW,
    VERTEX_TRIANGLE,
)
from ...contacts.pairs.touch import touch_pair
from ..order.stages import MOST_SWEEPS
from .functions import keep_previous
from .pair_tables import BUSY_SWEEPS, COLLIDER, MOST_PUSHING, PARTICLE, PUSHING, SETTLING_SWEEPS, TUNNELLED


@ti.func
def object_of(pairs: ti.template(), k, place):
    """The object of one of the four surface points of a pair."""
    return pairs.surface_elements[pairs.pair_ints[k, POINTS + place], 4]


@ti.func
def is_for_colliders(particles: ti.template(), pairs: ti.template(), k):
    """Whether a pair is a body's vertex and a collider's triangle, which colliders push apart."""
    is_face = pairs.pair_ints[k, KIND] == VERTEX_TRIANGLE
    return is_face and object_of(pairs, k, 1) >= particles.bodies.shape[0]


@ti.func
def point_reach(pairs: ti.template(), k, place, embeds: ti.template()):
    """How far one of the four surface points of a pair may go in the substep."""
    elements, weights = ti.static(pairs.surface_elements, pairs.surface_weights)
    point, total = pairs.pair_ints[k, POINTS + place], 0.0
    if ti.static(embeds):
        for j in range(4):
            total += ti.abs(weights[point, j]) * pairs.reaches[elements[point, j]]
    else:
        total = pairs.reaches[elements[point, 0]]
    return total


@ti.func
def pair_reach(pairs: ti.template(), k, embeds: ti.template()):
    """How much nearer the sides of a pair may come in the substep."""
    first, second = point_reach(pairs, k, 0, embeds), point_reach(pairs, k, 1, embeds)
    other = ti.max(point_reach(pairs, k, 2, embeds), point_reach(pairs, k, 3, embeds))
    total = first + ti.max(second, other)
    if pairs.pair_ints[k, KIND] != VERTEX_TRIANGLE:
        total = ti.max(first, second) + other
    return total


@ti.func
def find_near_task(
    particles: ti.template(), starts: ti.template(), pairs: ti.template(), task, h, embeds: ti.template()
):
    """List the pairs of a task that are near, by where particles were when the substep began."""
    speeds = ti.static(pairs.start_velocities)
    first, count = pairs.pair_starts[task], 0
    for k in range(first, pairs.pair_starts[task + 1]):
        reach = pair_reach(pairs, k, embeds)
        if pairs.pair_bounds[k] <= reach:
            if find_near(particles, starts, speeds, pairs, pairs, k, first + count, h, reach, embeds):
                if is_for_colliders(particles, pairs, k):
                    leave_alone(pairs, first + count)
                count += 1
    pairs.near_counts[task] = count


@ti.func
def is_awake(pairs: ti.template(), sweep):
    """Whether the pairs are swept once more: the sweep before still had to push, or this is an iteration's first."""
    return sweep % MOST_SWEEPS == 0 or pairs.told[BUSY_SWEEPS] >= sweep


@ti.func
def touch_pair_task(
    particles: ti.template(), starts: ti.template(), pairs: ti.template(), task, sweep, embeds: ti.template()
):
    """Push the near pairs of a task apart, in every other sweep from the last one to the first."""
    if is_awake(pairs, sweep):
        first, count, is_busy = pairs.pair_starts[task], pairs.near_counts[task], 0
        for m in range(count):
            n = first + m
            if sweep % 2 == 1:
                n = first + count - 1 - m
            is_busy = is_busy | touch_pair(particles, starts, pairs, pairs, n, embeds)
        if is_busy == 1:
            ti.atomic_max(pairs.told[BUSY_SWEEPS], sweep + 1)


@ti.func
def count_pair(pairs: ti.template(), n, column):
    """Count a near pair for the objects of its two sides."""
    k = pairs.near_ints[n * NEAR_INTS + ROW]
    a, b = object_of(pairs, k, 0), object_of(pairs, k, 3)
    ti.atomic_add(pairs.object_counts[a, column], 1)
    if a != b:
        ti.atomic_add(pairs.object_counts[b, column], 1)


@ti.func
def limit_task(starts: ti.template(), pairs: ti.template(), task, is_last, embeds: ti.template()):
    """How far the particles of the near pairs of a task may go; the last time, what is not certain is counted."""
    first = pairs.pair_starts[task]
    for n in range(first, first + pairs.near_counts[task]):
        if limit_pair(starts, pairs, pairs, pairs, n, embeds) and is_last:
            count_pair(pairs, n, TUNNELLED)


@ti.func
def settle_task(
    particles: ti.template(),
    starts: ti.template(),
    pairs: ti.template(),
    task,
    sweep,
    inverse_h,
    gravity_speed,
    embeds: ti.template(),
):
    """Velocities of the near pairs of a task after the push; once, what is left of slides, and how many pushed."""
    if sweep == 0 or pairs.told[SETTLING_SWEEPS] >= sweep:
        first, count, is_busy = pairs.pair_starts[task], pairs.near_counts[task], 0
        for m in range(count):
            n = first + m
            if sweep % 2 == 1:
                n = first + count - 1 - m
            if pairs.near_floats[n * NEAR_WIDTH + MULTIPLIER] > 0.0:
                if sweep == 0:
                    if pairs.near_floats[n * NEAR_WIDTH + NEAR_FRICTION] > 0.0:
                        note_slide(particles, starts, pairs, pairs, n, embeds)
                    count_pair(pairs, n, PUSHING)
                is_busy = is_busy | settle_pair(particles, pairs, pairs, n, inverse_h, gravity_speed, embeds)
        if is_busy == 1:
            ti.atomic_max(pairs.told[SETTLING_SWEEPS], sweep + 1)


@ti.func
def count_pushing(pairs: ti.template()):
    """Take the pairs that pushed in a substep into account when it is over."""
    counts = ti.static(pairs.object_counts)
    for o in range(counts.shape[0]):
        counts[o, MOST_PUSHING] = ti.max(counts[o, MOST_PUSHING], counts[o, PUSHING])
        counts[o, PUSHING] = 0
    pairs.told[BUSY_SWEEPS] = 0
    pairs.told[SETTLING_SWEEPS] = 0


@ti.func
def keep_anchors(pairs: ti.template()):
    """Let the anchors be those that near pairs leave behind."""
    forget_anchors(pairs)
    for task in range(pairs.near_counts.shape[0]):
        first = pairs.pair_starts[task]
        for n in range(first, first + pairs.near_counts[task]):
            keep_anchor(pairs, n)


@ti.func
def place_vertices(world: ti.template(), turn, turns, substep, share, mode: ti.template()):
    """Put one of ``turns`` equal shares of the colliders' vertices where they are at the end of a substep."""
    vertices, places = ti.static(world.pairs.vertices, world.pairs.vertex_places)
    # a row of zeros stands for none: particle 0 belongs to a body
    count = vertices.shape[0]
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
