# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a bundle of chains as they are: frames, moments of joints, what is missing of lengths; see ``chain``."""

import taichi as ti

from ..constraint import ACCUMULATE, DAMPED, SMALL, damping_share
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE
from ..quaternions import conjugate, product, rotated, turned_about
from .chain_lanes import fetch, gather, gather_turns, keep, put, vector
from .chain_tables import (
    AT_DIRECTORS,
    AT_EDGES,
    AT_NODES,
    AT_ROWS,
    AT_TURNS,
    AXIS,
    AXIS_NOW,
    BEND,
    COMPLIANCE,
    COUNT,
    DIRECTION,
    EDGE_VALUES,
    EDGES,
    GIVE,
    IS_DIRECTED,
    LANES,
    LEAST_WEIGHT,
    LENGTH,
    MASS,
    MOMENT,
    MOVED,
    MULTIPLIER,
    NODE_VALUES,
    PULL,
    ROW_INTS,
    STIFF,
    TANGENT,
    TURN,
    WAY,
    WEIGHT,
)
from .rod_joints import LEAST_LENGTH, MARGIN, MOST_TWIST
from .rod_system import LEAST_COMPLIANCE, LEAST_COSINE, LEAST_UNLIKE

# arctan(x)/x in powers of x² up to 1, within 3e-9: Chebyshev's
ARCTANGENT = (
    0.9999999975460206,
    -0.3333328229551422,
    0.19998230640418527,
    -0.14261573680607523,
    0.10940198966442138,
    -0.08372063951105461,
    0.057463557891640364,
    -0.030717508940221887,
    0.01068071946222294,
    -0.0017437011468155053,
)


@ti.func
def arctangent_share(square):
    """The angle of a tangent by it, from its square, which is 1 at most."""
    result = ARCTANGENT[9]
    for n in ti.static(range(9)):
        result = result * square + ti.static(ARCTANGENT[8 - n])
    return result


@ti.func
def moment(a, b, axis, bend, twist):
    """The moment between two edges in the frame of the first one [N·m], as ``rod_joints.moment``, without branches."""
    r = product(conjugate(a), b)
    r *= ti.select(r[0] < 0.0, -1.0, 1.0)
    v = ti.Vector([r[1], r[2], r[3]])
    half = 1.0 / (1.0 + r[0])
    result = (4.0 * bend * half * arctangent_share(v.dot(v) * half * half)) * v
    # what twist resists more, or less, than bending: by the angle of the swing and twist decomposition
    p = v.dot(axis)
    square = r[0] * r[0] + p * p
    safe = ti.max(square, 1e-6)
    tangent = p / (r[0] + ti.sqrt(safe))
    angle = 4.0 * tangent * arctangent_share(ti.min(tangent * tangent, 1.0))
    share = ti.select(square > 1e-6, (twist - bend) * angle / safe, 0.0)
    return result + share * (r[0] * r[0] * axis + r[0] * v.cross(axis) + p * v)


@ti.func
def carried_along(q, old, new):
    """As ``quaternions.carried``, without branches."""
    cosine, axis = old.dot(new), old.cross(new)
    # half a turn, about any axis across
    is_half = cosine < -0.999999
    along = ti.abs(old[0]) > 0.7
    axis[0] = ti.select(is_half, ti.select(along, -old[2], 0.0), axis[0])
    axis[1] = ti.select(is_half, ti.select(along, 0.0, old[2]), axis[1])
    axis[2] = ti.select(is_half, ti.select(along, old[0], -old[1]), axis[2])
    result = product(ti.Vector([ti.select(is_half, 0.0, 1.0 + cosine), axis[0], axis[1], axis[2]]), q)
    return result / result.norm()


@ti.func
def missing_length(length, length_before, rest, given, time, other_time, step, mode: ti.template()):
    """What an edge misses of its length [m]; ``given`` is what its tension has stretched it by.

    Rows of tensions are divided by their 1 + γ, so that the matrix stays symmetric.
    """
    force = length - rest + given
    if ti.static(mode & DAMPED):
        share = damping_share(0.5 * (time + other_time), step, mode)
        force = (force + share * (length - length_before)) / (1.0 + share)
    return -force


@ti.func
def place_nodes(particles: ti.template(), constraints: ti.template(), i, step, mode: ti.template()):
    """Masses of all nodes, and what holds back what they have moved in this substep already."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    place = ti.Matrix.zero(float, 4, LANES)
    moved = ti.Matrix.zero(float, 3, LANES)
    own = ti.Matrix.zero(float, 4, LANES)
    least = ti.Matrix.zero(float, 1, LANES)
    for n in range(indices[extras + EDGES] + 1):
        node = first + indices[extras + AT_NODES] + n * NODE_VALUES * LANES
        gather(particles.positions, constraints, i, n, place)
        fetch(values, node + LEAST_WEIGHT * LANES, least, 1)
        if ti.static(mode & ACCUMULATE):
            fetch(values, node + MOVED * LANES, moved, 3)
            if step[1] == 0.0:
                moved *= 0.0
                keep(values, node + MOVED * LANES, moved, 3)
        for l in range(LANES):
            own[0, l] = 1.0 / ti.max(place[3, l], least[0, l])
            put(own, 1, l, -own[0, l] * vector(moved, 0, l))
            least[0, l] = place[3, l]
        keep(values, node + MASS * LANES, own, 4)
        keep(values, node + WEIGHT * LANES, least, 1)


@ti.func
def place_frames(particles: ti.template(), constraints: ti.template(), i, p, step, mode: ti.template()):
    """Turn edges with their ends, from the root on; what is missing of their lengths, and moments of their joints."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = indices[extras + EDGES]
    near, near_before = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 4, LANES)
    far, far_before = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 4, LANES)
    turn, turn_before = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 4, LANES)
    turn_near, turn_near_before = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 4, LANES)
    rest, joint, multiplier = (
        ti.Matrix.zero(float, 4, LANES),
        ti.Matrix.zero(float, 4, LANES),
        ti.Matrix.zero(float, 1, LANES),
    )
    missing = ti.Matrix.zero(float, 2, LANES)
    frame, pulls = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 3, LANES)
    lengths, bent, stiff = (
        ti.Matrix.zero(float, 2, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 2, LANES),
    )
    axes = ti.Matrix.zero(float, 3, LANES)
    bend_scale, twist_scale, give_scale = values[p], values[p + 1], values[p + 2]
    scale, rate = step[0], step[2]
    gather(particles.positions, constraints, i, edges, near)
    gather(particles.previous_positions, constraints, i, edges, near_before)
    for reverse in range(edges):
        e = edges - 1 - reverse
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        row = extras + indices[extras + AT_ROWS] + e * ROW_INTS
        turns = extras + indices[extras + AT_TURNS] + e * indices[extras + COUNT]
        gather(particles.positions, constraints, i, e, far)
        gather(particles.previous_positions, constraints, i, e, far_before)
        gather_turns(particles.orientations, constraints, i, turns, turn)
        fetch(values, edge + LENGTH * LANES, lengths, 2)
        fetch(values, edge + TANGENT * LANES, rest, 4)
        for l in range(LANES):
            way = vector(far, 0, l) - vector(near, 0, l)
            length = way.norm()
            q = ti.Vector([turn[0, l], turn[1, l], turn[2, l], turn[3, l]])
            old = rest[3, l] * rotated(q, vector(rest, 0, l))
            is_long = length > 1e-3 * lengths[0, l]
            now = way / ti.max(length, SMALL)
            for axis in ti.static(range(3)):
                now[axis] = ti.select(is_long, now[axis], old[axis])
            q = carried_along(q, old, now)
            for axis in ti.static(range(4)):
                turn[axis, l] = q[axis]
            put(frame, 0, l, now)
            frame[3, l] = ti.max(length, LEAST_LENGTH * lengths[0, l])
        if indices[row + IS_DIRECTED] == 1:
            direct(particles, constraints, i, e, near, far, turn, frame, rest)
        keep(values, edge + TURN * LANES, turn, 4)
        keep(values, edge + WAY * LANES, frame, 4)
        if ti.static(mode & ACCUMULATE):
            if step[1] > 0.0:
                fetch(values, edge + MULTIPLIER * LANES, multiplier, 1)
        for l in range(LANES):
            way, before = (
                vector(far, 0, l) - vector(near, 0, l),
                vector(far_before, 0, l) - vector(near_before, 0, l),
            )
            length, length_before = way.norm(), before.norm()
            is_near = way.dot(before) > LEAST_COSINE * length * length_before
            for axis in ti.static(range(3)):
                pulls[axis, l] = ti.select(is_near, before[axis] / ti.max(length_before, SMALL), frame[axis, l])
            give = give_scale * lengths[1, l] * scale
            missing[1, l] = missing_length(
                length, length_before, lengths[0, l], give * multiplier[0, l], near_before[3, l], far_before[3, l], step, mode
            )
            if ti.static(mode & DAMPED):
                give /= 1.0 + damping_share(0.5 * (near_before[3, l] + far_before[3, l]), step, mode)
            missing[0, l] = give + LEAST_COMPLIANCE * (near[3, l] + far[3, l]) + SMALL
        keep(values, edge + PULL * LANES, pulls, 3)
        keep(values, edge + GIVE * LANES, missing, 2)
        keep(values, edge + MULTIPLIER * LANES, multiplier, 1)
        fetch(values, edge + BEND * LANES, joint, 2)
        fetch(values, edge + AXIS * LANES, axes, 3)
        if ti.static(mode & DAMPED):
            gather_turns(particles.previous_orientations, constraints, i, turns, turn_before)
        if reverse > 0:
            for l in range(LANES):
                a = ti.Vector([turn_near[0, l], turn_near[1, l], turn_near[2, l], turn_near[3, l]])
                b = ti.Vector([turn[0, l], turn[1, l], turn[2, l], turn[3, l]])
                axis = vector(axes, 0, l)
                bend = bend_scale * joint[0, l]
                twist = ti.min(twist_scale * joint[1, l], MOST_TWIST * bend)
                own = moment(a, b, axis, bend, twist)
                more = 1.0
                if ti.static(mode & DAMPED):
                    gamma = near_before[3, l] * rate
                    c = ti.Vector(
                        [turn_near_before[0, l], turn_near_before[1, l], turn_near_before[2, l], turn_near_before[3, l]]
                    )
                    d = ti.Vector([turn_before[0, l], turn_before[1, l], turn_before[2, l], turn_before[3, l]])
                    before = moment(c, d, axis, bend, twist)
                    own += gamma * (own - before)
                    more += gamma
                more *= (1.0 + MARGIN * ti.min(own.norm() / (bend + SMALL), 1.0)) / scale
                put(bent, 0, l, rotated(a, own) / scale)
                put(axes, 0, l, rotated(a, axis))
                stiff[0, l] = more * bend
                # neighbours that hardly resist twist turn no more freely than that in a substep
                stiff[1, l] = more * (ti.max(twist, LEAST_UNLIKE * bend) - bend)
        keep(values, edge + MOMENT * LANES, bent, 3)
        keep(values, edge + AXIS_NOW * LANES, axes, 3)
        keep(values, edge + STIFF * LANES, stiff, 2)
        near, near_before = far, far_before
        turn_near, turn_near_before = turn, turn_before


@ti.func
def direct(
    particles: ti.template(),
    constraints: ti.template(),
    i,
    e,
    near: ti.template(),
    far: ti.template(),
    turn: ti.template(),
    frame: ti.template(),
    rest: ti.template(),
):
    """Turn a held edge about itself as its director says."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    count, members = indices[extras + COUNT], indices[i + FIRST_MEMBER]
    direction = first + indices[extras + AT_EDGES] + (e * EDGE_VALUES + DIRECTION) * LANES
    for l in range(LANES):
        mine = ti.min(l, count - 1)
        director = indices[members + indices[extras + indices[extras + AT_DIRECTORS] + e * count + mine]]
        way = particles.positions[director].xyz - 0.5 * (vector(near, 0, l) + vector(far, 0, l))
        q = ti.Vector([turn[0, l], turn[1, l], turn[2, l], turn[3, l]])
        tangent = rest[3, l] * vector(frame, 0, l)
        axes = ti.Vector([values[direction + l], values[direction + LANES + l], values[direction + 2 * LANES + l]])
        across = rotated(q, axes)
        q = turned_about(q, tangent, ti.atan2(tangent.dot(across.cross(way)), across.dot(way)))
        for axis in ti.static(range(4)):
            turn[axis, l] = q[axis]
