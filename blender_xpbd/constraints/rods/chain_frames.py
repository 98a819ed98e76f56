# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a bundle of chains as they are: frames, moments of joints, what is missing of lengths; see ``chain``."""

import taichi as ti

from ..constraint import ACCUMULATE, DAMPED, SMALL, damping_share
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE
from ..quaternions import conjugate, product, rotated, turned_about
from ..side_by_side import LANES, fetch, four, gather, keep, number, put, put_four, vector
from .chain_tables import (
    AT_DIRECTORS,
    AT_EDGES,
    AT_NODES,
    AT_ROWS,
    AT_TURNS,
    AXIS,
    AXIS_NOW,
    BEFORE,
    BEND,
    COMPLIANCE,
    CONSTANTS,
    COUNT,
    DIRECTION,
    EDGE_VALUES,
    EDGES,
    FORCE,
    GIVE,
    IS_DIRECTED,
    LEAST_WEIGHT,
    LENGTH,
    MASS,
    MISSING,
    MOMENT,
    MORE,
    MOVED,
    MULTIPLIER,
    NODE_VALUES,
    PLACE,
    PULL,
    REACH,
    RESIST,
    ROW_INTS,
    SHARE,
    SIGN,
    SPAN,
    STIFF,
    TANGENT,
    TURN,
    TWIST,
    WAY,
    WEIGHT,
)
from .rod_joints import LEAST_LENGTH, MARGIN, MOST_TWIST
from .rod_system import LEAST_COMPLIANCE, LEAST_COSINE, LEAST_UNLIKE, MOST_TAUTNESS

# rows of the ends of an edge, of 4 numbers each, on the side of the root and of the tip, as they are and as they were
# when the substep began; likewise of the orientations of the edge before and of this one
NEAR, FAR, NEAR_BEFORE, FAR_BEFORE = 0, 4, 8, 12
PAIR = 16

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
    return (1.0 / result.norm()) * result


@ti.func
def missing_length(length, before, rest, given, share, mode: ti.template()):
    """What an edge misses of its length [m].

    Rows of tensions are divided by their 1 + γ, so that the matrix stays symmetric.

    Args:
        length: now [m].
        before: when the substep began [m].
        rest: [m].
        given: what its tension has stretched it by [m].
        share: γ.
        mode: as for a projection.
    """
    force = length - rest + given
    if ti.static(mode & DAMPED):
        force = (force + share * (length - before)) / (1.0 + share)
    return -force


@ti.func
def indices_at(constraints: ti.template(), i, place: ti.template()):
    """A number of the header."""
    return constraints.indices[constraints.indices[i + FIRST_EXTRA] + place]


@ti.func
def solve_frames(
    particles: ti.template(), constraints: ti.template(), i, p, reckoned: ti.template(), step, mode: ti.template()
):
    """Turn edges with their ends, from the root on; what is missing of their lengths, and moments of their joints.

    ``reckoned`` is how taut strands are taken to be.
    """
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, edges = indices[i + FIRST_EXTRA], indices_at(constraints, i, EDGES)
    rest, found = ti.Vector.zero(float, CONSTANTS * LANES), ti.Vector.zero(float, (REACH - TURN) * LANES)
    ends, turns = ti.Vector.zero(float, PAIR * LANES), ti.Vector.zero(float, PAIR * LANES)
    place_node(particles, constraints, i, edges, ends, step, mode)
    for reverse in range(edges):
        e = edges - 1 - reverse
        edge = indices[i + FIRST_VALUE] + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        go_on(ends)
        go_on(turns)
        place_node(particles, constraints, i, e, ends, step, mode)
        place_turn(particles, constraints, i, e, turns, mode)
        fetch(values, edge, rest, CONSTANTS)
        for lane in range(LANES):
            carry(ends, rest, turns, found, lane)
        if indices[extras + indices[extras + AT_ROWS] + e * ROW_INTS + IS_DIRECTED] == 1:
            direct(particles, constraints, i, e, ends, turns, found, rest)
        stretch(constraints, edge, values[p + 2] * step[0], reckoned, ends, rest, found, step, mode)
        if reverse > 0:
            bend(values[p], values[p + 1], ends, turns, rest, found, step, mode)
        for lane in range(LANES):
            put_four(found, 0, lane, four(turns, FAR, lane))
        keep(values, edge + TURN * LANES, found, REACH - TURN)


@ti.func
def go_on(pair: ti.template()):
    """What was far is near."""
    for n in range(4 * LANES):
        pair[NEAR * LANES + n] = pair[FAR * LANES + n]
        pair[NEAR_BEFORE * LANES + n] = pair[FAR_BEFORE * LANES + n]


@ti.func
def place_node(
    particles: ti.template(), constraints: ti.template(), i, n, ends: ti.template(), step, mode: ti.template()
):
    """Where a node is and was, its mass, and what holds back what it has moved in this substep already."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    count = indices_at(constraints, i, COUNT)
    member = indices[i + FIRST_MEMBER] + n * count
    gather(particles.positions, indices, member, count, ends, FAR)
    gather(particles.previous_positions, indices, member, count, ends, FAR_BEFORE)
    node, least = ti.Vector.zero(float, (WEIGHT + 1) * LANES), ti.Vector.zero(float, LANES)
    start = indices[i + FIRST_VALUE] + indices_at(constraints, i, AT_NODES) + n * NODE_VALUES * LANES
    fetch(values, start + LEAST_WEIGHT * LANES, least, 1)
    for lane in range(LANES):
        now = four(ends, FAR, lane)
        node[MASS * LANES + lane] = 1.0 / ti.max(now[3], least[lane])
        put_four(node, PLACE, lane, now)
    keep(values, start, node, WEIGHT + 1)
    if ti.static(mode & ACCUMULATE):
        hold_back(values, start, node, step)


@ti.func
def hold_back(values: ti.template(), start, node: ti.template(), step):
    """The force against what a node has moved in this substep already; where nothing accumulates it stays 0."""
    moved, force = ti.Vector.zero(float, 3 * LANES), ti.Vector.zero(float, 3 * LANES)
    fetch(values, start + MOVED * LANES, moved, 3)
    for lane in range(LANES):
        so_far = step[1] * vector(moved, 0, lane)
        put(moved, 0, lane, so_far)
        put(force, 0, lane, -number(node, MASS, lane) * so_far)
    keep(values, start + MOVED * LANES, moved, 3)
    keep(values, start + FORCE * LANES, force, 3)


@ti.func
def place_turn(particles: ti.template(), constraints: ti.template(), i, e, turns: ti.template(), mode: ti.template()):
    """How an edge is turned, and was."""
    indices = ti.static(constraints.indices)
    count = indices_at(constraints, i, COUNT)
    turn = indices[i + FIRST_EXTRA] + indices_at(constraints, i, AT_TURNS) + e * count
    gather(particles.orientations, indices, turn, count, turns, FAR)
    if ti.static(mode & DAMPED):
        gather(particles.previous_orientations, indices, turn, count, turns, FAR_BEFORE)


@ti.func
def carry(ends: ti.template(), rest: ti.template(), turns: ti.template(), found: ti.template(), lane):
    """Turn an edge with its ends."""
    way = vector(ends, FAR, lane) - vector(ends, NEAR, lane)
    length = way.norm()
    q = four(turns, FAR, lane)
    old = number(rest, SIGN, lane) * rotated(q, vector(rest, TANGENT, lane))
    is_long = length > 1e-3 * number(rest, LENGTH, lane)
    now = (1.0 / ti.max(length, SMALL)) * way
    for axis in ti.static(range(3)):
        now[axis] = ti.select(is_long, now[axis], old[axis])
    put_four(turns, FAR, lane, carried_along(q, old, now))
    put(found, WAY - TURN, lane, now)
    found[(SPAN - TURN) * LANES + lane] = length


@ti.func
def stretch(
    constraints: ti.template(),
    edge,
    scale,
    reckoned: ti.template(),
    ends: ti.template(),
    rest: ti.template(),
    found: ti.template(),
    step,
    mode: ti.template(),
):
    """Along what an edge pulls, what it misses, and what resists turns; ``found`` has its length for its span.

    Where a strand is taut, that is the last substep's tension. ``scale`` is h⁻² times the scale of its compliance.
    """
    values = ti.static(constraints.parameters)
    multiplier, goes_on = ti.Vector.zero(float, LANES), 0.0
    if ti.static(mode & ACCUMULATE):
        goes_on = step[1]
    fetch(values, edge + MULTIPLIER * LANES, multiplier, 1)
    for lane in range(LANES):
        is_taut, length = reckoned[lane] >= MOST_TAUTNESS, number(found, SPAN - TURN, lane)
        resist = ti.abs(multiplier[lane]) / number(rest, LENGTH, lane)
        found[(RESIST - TURN) * LANES + lane] = ti.select(is_taut, resist, 0.0)
        found[(SPAN - TURN) * LANES + lane] = ti.max(length, LEAST_LENGTH * number(rest, LENGTH, lane))
        multiplier[lane] = ti.select(goes_on > 0.0, multiplier[lane], 0.0)
        length_before = aim(ends, found, length, is_taut, lane)
        share = 0.0
        if ti.static(mode & DAMPED):
            times = number(ends, NEAR_BEFORE + 3, lane) + number(ends, FAR_BEFORE + 3, lane)
            share = damping_share(0.5 * times, step, mode)
        give = scale * number(rest, COMPLIANCE, lane)
        stretched = give * multiplier[lane]
        missing = missing_length(length, length_before, number(rest, LENGTH, lane), stretched, share, mode)
        least = LEAST_COMPLIANCE * (number(ends, NEAR + 3, lane) + number(ends, FAR + 3, lane)) + SMALL
        found[(GIVE - TURN) * LANES + lane] = give / (1.0 + share) + least
        found[(MISSING - TURN) * LANES + lane] = missing
        found[(BEFORE - TURN) * LANES + lane] = length_before
        found[(SHARE - TURN) * LANES + lane] = share
    keep(values, edge + MULTIPLIER * LANES, multiplier, 1)


@ti.func
def aim(ends: ti.template(), found: ti.template(), length, is_taut, lane):
    """Along what an edge of some length pulls; its length when the substep began [m]."""
    way = vector(ends, FAR, lane) - vector(ends, NEAR, lane)
    before = vector(ends, FAR_BEFORE, lane) - vector(ends, NEAR_BEFORE, lane)
    length_before = before.norm()
    is_near = way.dot(before) > LEAST_COSINE * length * length_before
    before = (1.0 / ti.max(length_before, SMALL)) * before
    for axis in ti.static(range(3)):
        pull = ti.select(is_near and not is_taut, before[axis], number(found, ti.static(WAY - TURN + axis), lane))
        found[ti.static((PULL - TURN + axis) * LANES) + lane] = pull
    return length_before


@ti.func
def bend(
    bend_scale,
    twist_scale,
    ends: ti.template(),
    turns: ti.template(),
    rest: ti.template(),
    found: ti.template(),
    step,
    mode: ti.template(),
):
    """The moment of the joint of an edge with the one before, and what that resists."""
    square = 1.0 / step[0]
    for lane in range(LANES):
        stiff = bend_scale * number(rest, BEND, lane)
        twist = ti.min(twist_scale * number(rest, TWIST, lane), MOST_TWIST * stiff)
        axis, a = vector(rest, AXIS, lane), four(turns, NEAR, lane)
        own = moment(a, four(turns, FAR, lane), axis, stiff, twist)
        more = 1.0
        if ti.static(mode & DAMPED):
            gamma = number(ends, NEAR_BEFORE + 3, lane) * step[2]
            b = four(turns, NEAR_BEFORE, lane)
            own += gamma * (own - moment(b, four(turns, FAR_BEFORE, lane), axis, stiff, twist))
            more += gamma
        more *= (1.0 + MARGIN * ti.min(own.norm() / (stiff + SMALL), 1.0)) * square
        put(found, MOMENT - TURN, lane, square * rotated(a, own))
        put(found, AXIS_NOW - TURN, lane, rotated(a, axis))
        found[(STIFF - TURN) * LANES + lane] = more * stiff
        # neighbours that hardly resist twist turn no more freely than that in a substep
        found[(MORE - TURN) * LANES + lane] = more * (ti.max(twist, LEAST_UNLIKE * stiff) - stiff)


@ti.func
def direct(
    particles: ti.template(),
    constraints: ti.template(),
    i,
    e,
    ends: ti.template(),
    turns: ti.template(),
    found: ti.template(),
    rest: ti.template(),
):
    """Turn a held edge about itself as its director says."""
    indices = ti.static(constraints.indices)
    extras, members = indices[i + FIRST_EXTRA], indices[i + FIRST_MEMBER]
    count = indices[extras + COUNT]
    for lane in range(LANES):
        mine = ti.min(lane, count - 1)
        director = indices[members + indices[extras + indices[extras + AT_DIRECTORS] + e * count + mine]]
        way = particles.positions[director].xyz - 0.5 * (vector(ends, NEAR, lane) + vector(ends, FAR, lane))
        tangent = number(rest, SIGN, lane) * vector(found, WAY - TURN, lane)
        across = rotated(four(turns, FAR, lane), vector(rest, DIRECTION, lane))
        angle = ti.atan2(tangent.dot(across.cross(way)), across.dot(way))
        put_four(turns, FAR, lane, turned_about(four(turns, FAR, lane), tangent, angle))
