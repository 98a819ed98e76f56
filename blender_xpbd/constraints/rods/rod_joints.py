# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments of the joints of a rod, and the matrices of bending and twist; see ``rod``."""

import taichi as ti

from ..constraint import ACCUMULATE, DAMPED, SMALL
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE
from ..quaternions import carried, conjugate, product, rotated, turned_about
from .rod_tables import (
    AT_EDGE_STATES,
    AT_EDGE_VALUES,
    AT_EDGES,
    AT_FORCES,
    AT_JOINT_STATES,
    AT_JOINT_VALUES,
    AT_JOINTS,
    AT_MOVES,
    AT_SIDE,
    EDGE_DIRECTION,
    EDGE_DIRECTOR,
    EDGE_HEAD,
    EDGE_INTS,
    EDGE_LENGTH,
    EDGE_STATES,
    EDGE_TAIL,
    EDGE_TANGENT,
    EDGE_TURN,
    EDGE_VALUES,
    EDGES,
    JOINT_AXIS,
    JOINT_BEND,
    JOINT_FIRST,
    JOINT_INTS,
    JOINT_NODE,
    JOINT_SECOND,
    JOINT_STATE_BEND,
    JOINT_STATE_TWIST,
    JOINT_STATES,
    JOINT_TWIST,
    JOINT_VALUES,
    JOINTS,
    NODES,
    STATE_LENGTH,
    STATE_TANGENT,
    STATE_TORQUE,
)

# by what the matrix of bending exceeds what forces ask of it, per radian of strain: what is strained responds across,
# too. Where nothing is strained it exceeds nothing, so that what hangs from a clamp is not held up by it
MARGIN = 2.5
# of its stiffness against bending, what a rod resists twist at most: a round section has less than 1, and steps of what
# is nearly limp but stiff against twist would not settle
MOST_TWIST = 30.0
# shorter edges push as edges of this share of their length: forces of couples go with the inverse of it
LEAST_LENGTH = 0.5


@ti.func
def vector_at(values: ti.template(), place):
    """Three numbers that follow each other."""
    return ti.Vector([values[place], values[place + 1], values[place + 2]])


@ti.func
def keep_vector(values: ti.template(), place, vector):
    """Write three numbers that follow each other."""
    for axis in ti.static(range(3)):
        values[place + axis] = vector[axis]


@ti.func
def add_vector(values: ti.template(), place, vector):
    """Add to three numbers that follow each other."""
    for axis in ti.static(range(3)):
        values[place + axis] = values[place + axis] + vector[axis]


@ti.func
def carry_edges(particles: ti.template(), constraints: ti.template(), i):
    """Turn each edge with its ends, and a held one as its director says; keep tangents and lengths."""
    positions, orientations = ti.static(particles.positions, particles.orientations)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        rest = first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k
        state = first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        tail = positions[indices[members + indices[edge + EDGE_TAIL]]].xyz
        head = positions[indices[members + indices[edge + EDGE_HEAD]]].xyz
        q = orientations[indices[edge + EDGE_TURN]]
        tangent = rotated(q, vector_at(values, rest + EDGE_TANGENT))
        length = (head - tail).norm()
        if length > 1e-3 * values[rest + EDGE_LENGTH]:
            now = (head - tail) / length
            q = carried(q, tangent, now)
            tangent = now
        if indices[edge + EDGE_DIRECTOR] >= 0:
            director = positions[indices[members + indices[edge + EDGE_DIRECTOR]]].xyz - 0.5 * (head + tail)
            across = rotated(q, vector_at(values, rest + EDGE_DIRECTION))
            angle = ti.atan2(tangent.dot(across.cross(director)), across.dot(director))
            q = turned_about(q, tangent, angle)
        orientations[indices[edge + EDGE_TURN]] = q
        keep_vector(values, state + STATE_TANGENT, tangent)
        values[state + STATE_LENGTH] = length
        keep_vector(values, state + STATE_TORQUE, ti.Vector([0.0, 0.0, 0.0]))


@ti.func
def clear_forces(particles: ti.template(), constraints: ti.template(), i, step, mode: ti.template()):
    """No forces but those that hold back what the rod has moved in this substep already."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    forces, moves = first + indices[extras + AT_FORCES], first + indices[extras + AT_MOVES]
    for n in range(indices[extras + NODES]):
        keep_vector(values, forces + 3 * n, ti.Vector([0.0, 0.0, 0.0]))
        if ti.static(mode & ACCUMULATE):
            if step[1] > 0.0:
                mass = 1.0 / ti.max(particles.positions[indices[members + n]][3], SMALL)
                keep_vector(values, forces + 3 * n, -mass * vector_at(values, moves + 3 * n))
            else:
                keep_vector(values, moves + 3 * n, ti.Vector([0.0, 0.0, 0.0]))


@ti.func
def half_angle_share(sine, cosine):
    """An angle by the sine of its half, from that and the cosine; most are small, and their series takes no time."""
    s = sine * sine
    share = 2.0 + s * (1.0 / 3.0 + s * (0.15 + s * (5.0 / 56.0 + s * 35.0 / 576.0)))
    if sine > 0.25:
        share = 2.0 * ti.atan2(sine, cosine) / sine
    return share


@ti.func
def twice_arc(tangent):
    """Twice the angle of a tangent [rad], likewise."""
    s = tangent * tangent
    angle = 2.0 * tangent * (1.0 - s * (1.0 / 3.0 - s * (0.2 - s * (1.0 / 7.0 - s / 9.0))))
    if s > 0.04:
        angle = 2.0 * ti.atan2(tangent, 1.0)
    return angle


@ti.func
def moment(a, b, axis, bend, twist):
    """The moment between two edges in the frame of the first one [N·m].

    Args:
        a: orientation of the first, a unit quaternion.
        b: of the second.
        axis: of twist at rest.
        bend: stiffness against bending [N·m].
        twist: against twist [N·m].
    """
    r = product(conjugate(a), b)
    if r[0] < 0.0:
        r = -r
    v = ti.Vector([r[1], r[2], r[3]])
    result = (bend * half_angle_share(v.norm(), r[0])) * v
    # what twist resists more, or less, than bending: by the angle of the swing and twist decomposition
    p = v.dot(axis)
    square = r[0] * r[0] + p * p
    if square > 1e-6:
        angle = twice_arc(p / ti.max(r[0], 1e-6))
        result += ((twist - bend) * angle / square) * (r[0] * r[0] * axis + r[0] * v.cross(axis) + p * v)
    return result


@ti.func
def bend_joints(particles: ti.template(), constraints: ti.template(), i, p, step, mode: ti.template()):
    """Moments of all joints to the torques of their edges, and what they resist."""
    orientations = ti.static(particles.orientations)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = extras + indices[extras + AT_EDGES]
    states = first + indices[extras + AT_EDGE_STATES]
    for k in range(indices[extras + JOINTS]):
        joint = extras + indices[extras + AT_JOINTS] + JOINT_INTS * k
        rest = first + indices[extras + AT_JOINT_VALUES] + JOINT_VALUES * k
        a, b = indices[joint + JOINT_FIRST], indices[joint + JOINT_SECOND]
        turn_a, turn_b = indices[edges + EDGE_INTS * a + EDGE_TURN], indices[edges + EDGE_INTS * b + EDGE_TURN]
        bend = values[p] * values[rest + JOINT_BEND]
        twist = ti.min(values[p + 1] * values[rest + JOINT_TWIST], MOST_TWIST * bend)
        axis = vector_at(values, rest + JOINT_AXIS)
        own = moment(orientations[turn_a], orientations[turn_b], axis, bend, twist)
        more = 1.0
        if ti.static(mode & DAMPED):
            gamma = particles.previous_positions[indices[members + indices[joint + JOINT_NODE]]][3] * step[2]
            if gamma > 0.0:
                more += gamma
                before = moment(
                    particles.previous_orientations[turn_a], particles.previous_orientations[turn_b], axis, bend, twist
                )
                own += gamma * (own - before)
        torque = rotated(orientations[turn_a], own)
        kept = first + indices[extras + AT_JOINT_STATES] + JOINT_STATES * k
        keep_vector(values, kept, rotated(orientations[turn_a], axis))
        more *= (1.0 + MARGIN * ti.min(own.norm() / (bend + SMALL), 1.0)) / step[0]
        values[kept + JOINT_STATE_BEND] = more * bend
        values[kept + JOINT_STATE_TWIST] = more * twist
        add_vector(values, states + EDGE_STATES * a + STATE_TORQUE, torque)
        add_vector(values, states + EDGE_STATES * b + STATE_TORQUE, -torque)


@ti.func
def add_number(values: ti.template(), first, place, number):
    """Add to a number of a matrix, where it has it."""
    if place >= 0:
        values[first + place] = values[first + place] + number


@ti.func
def push_ends(constraints: ti.template(), i, step):
    """The torque of each edge as a couple at its ends, times h²."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    forces = first + indices[extras + AT_FORCES]
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        state = first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        rest_length = values[first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k + EDGE_LENGTH]
        torque, tangent = vector_at(values, state + STATE_TORQUE), vector_at(values, state + STATE_TANGENT)
        length = ti.max(values[state + STATE_LENGTH], LEAST_LENGTH * rest_length)
        values[state + STATE_LENGTH] = length
        couple = torque.cross(tangent) / (length * step[0])
        add_vector(values, forces + 3 * indices[edge + EDGE_HEAD], couple)
        add_vector(values, forces + 3 * indices[edge + EDGE_TAIL], -couple)


@ti.func
def move_of(constraints: ti.template(), i, row):
    """How a node with these rows moves by the solution; one that is held does not."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    move = ti.Vector([0.0, 0.0, 0.0])
    if row >= 0:
        side = indices[i + FIRST_VALUE] + indices[indices[i + FIRST_EXTRA] + AT_SIDE]
        move = vector_at(values, side + row)
    return move
