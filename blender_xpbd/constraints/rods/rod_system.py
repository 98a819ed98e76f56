# SPDX-License-Identifier: GPL-3.0-or-later
"""The system of a rod, moves of its nodes, turns of its edges and changes of its tensions together; see ``rod``.

| A  Jᵀ | |  Δx | = | h² f             |
| J  −α̃ | | −Δλ |   | −(C + α̃ λ)/(1+γ) |

Δx has the turns of the edges about themselves too, which have no inertia. A = M + h² H is positive definite, α̃ is not
negative, so the matrix is quasi-definite: its factor L D Lᵀ is there in any order, without pivots (Vanderbei 1995,
"Symmetric quasidefinite matrices").
"""

import taichi as ti

from ..constraint import ACCUMULATE, DAMPED, SMALL, damping_share
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE
from ..quaternions import turned_along
from .rod_joints import add_number, add_vector, keep_vector, move_of, vector_at
from .rod_tables import (
    AT_EDGE_STATES,
    AT_EDGE_VALUES,
    AT_EDGES,
    AT_FORCES,
    AT_JOINT_STATES,
    AT_JOINTS,
    AT_MATRIX,
    AT_MOVES,
    AT_NODES,
    AT_PATTERN,
    AT_SIDE,
    EDGE_COMPLIANCE,
    EDGE_END_PLACES,
    EDGE_HEAD,
    EDGE_HEAD_PLACES,
    EDGE_INTS,
    EDGE_LENGTH,
    EDGE_ROW,
    EDGE_STATES,
    EDGE_TAIL,
    EDGE_TAIL_PLACES,
    EDGE_TURN,
    EDGE_VALUES,
    EDGES,
    JOINT_BOTH_PLACE,
    JOINT_END,
    JOINT_FIRST,
    JOINT_FORWARD,
    JOINT_INTS,
    JOINT_NODE,
    JOINT_NODE_PLACES,
    JOINT_ONWARD,
    JOINT_OTHER,
    JOINT_SECOND,
    JOINT_STATE_BEND,
    JOINT_STATE_TWIST,
    JOINT_STATES,
    JOINT_TURN_PLACES,
    JOINTS,
    NODE_INTS,
    NODE_PLACES,
    NODES,
    ROWS,
    STATE_LENGTH,
    STATE_MULTIPLIER,
    STATE_PULL,
    STATE_TANGENT,
    STATE_TORQUE,
)

# of its stiffness against bending: neighbours that hardly resist twist turn no more freely than that in a substep
LEAST_UNLIKE = 0.1
# of a rod's stiffness: what keeps it from turning about itself where nothing holds it
LEAST_TWIST = 1e-6
# in a pass no edge turns farther [rad]: what turns that much is not what the matrix was made for
MOST_TURN = 0.5
# edges that turned farther in a substep pull along where they are
LEAST_COSINE = 0.97
# up to which a strand pulls along where its edges were: an explicit step of what resists bending is stable up to twice
# as much; and how many times as taut as in the substep before it may be, by whose tensions it resists turns
MOST_TAUTNESS = 0.25
MOST_GROWTH = 2.0
# of the inverse masses at an edge, beside its compliance: a strand that is straight between two pins has more edges
# than ways to move
LEAST_COMPLIANCE = 1e-6


@ti.func
def is_remembered(step):
    """Whether tensions of the substep before count: not in the first one of a frame, of which a checkpoint has none."""
    return step[3] > 0.0 or step[1] > 0.0


@ti.func
def is_too_taut(taut, reckoned):
    """Whether a strand is to be solved for anew, with pulls along where edges are and that resist turns.

    Args:
        taut: how taut it is, see ``tautness``.
        reckoned: how taut it was taken to be; it resists turns already where that is ``MOST_TAUTNESS`` or more.
    """
    return taut >= MOST_TAUTNESS and (reckoned < MOST_TAUTNESS or taut > MOST_GROWTH * reckoned)


@ti.func
def recall_tensions(constraints: ti.template(), i, step):
    """The tensions of the substep before in place of a solution's; 0 in the first one of a frame."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    for k in range(indices[extras + EDGES]):
        row = indices[extras + indices[extras + AT_EDGES] + EDGE_INTS * k + EDGE_ROW]
        if row >= 0:
            tension = 0.0
            if is_remembered(step):
                tension = values[first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k + STATE_MULTIPLIER]
            values[first + indices[extras + AT_SIDE] + row] = tension


@ti.func
def place_pulls(particles: ti.template(), constraints: ti.template(), i, is_taut, step, mode: ti.template()):
    """Along what edges pull: as they were when the substep began, or as they are where they turned or are taut."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        state = first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        tail, head = indices[members + indices[edge + EDGE_TAIL]], indices[members + indices[edge + EDGE_HEAD]]
        before, pull = (
            (previous_positions[head] - previous_positions[tail]).xyz,
            vector_at(values, state + STATE_TANGENT),
        )
        way, length = (positions[head] - positions[tail]).xyz, before.norm()
        if not is_taut and length > 0.0 and way.dot(before) > LEAST_COSINE * length * way.norm():
            pull = before / length
        keep_vector(values, state + STATE_PULL, pull)
        if ti.static(mode & ACCUMULATE):
            if step[1] == 0.0:
                values[state + STATE_MULTIPLIER] = 0.0
        else:
            values[state + STATE_MULTIPLIER] = 0.0


@ti.func
def fill_matrix(particles: ti.template(), constraints: ti.template(), i, p, is_taut, step, mode: ti.template()):
    """Masses, what joints and tensions resist, and how tensions pull.

    Where a strand ``is_taut``, the solution has its tensions: they resist that edges turn by |λ|/l, as in Tournier et
    al. 2015, "Stable constrained dynamics". Pushes count as pulls: what they turn too far is for bending to hold.
    """
    previous_positions = ti.static(particles.previous_positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + ROWS], extras + indices[extras + AT_PATTERN]
    matrix, side = first + indices[extras + AT_MATRIX], first + indices[extras + AT_SIDE]
    nodes = extras + indices[extras + AT_NODES]
    for n in range(rows + indices[pattern + rows]):
        values[matrix + n] = 0.0
    for n in range(indices[extras + NODES]):
        row = indices[nodes + NODE_INTS * n]
        if row >= 0:
            mass = 1.0 / ti.max(particles.positions[indices[members + n]][3], SMALL)
            keep_vector(values, matrix + row, ti.Vector([mass, mass, mass]))
    resist_bends(constraints, i)
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row = indices[edge + EDGE_ROW]
        if row >= 0:
            rest = first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k
            pull = vector_at(values, first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k + STATE_PULL)
            tail, head = indices[edge + EDGE_TAIL], indices[edge + EDGE_HEAD]
            a, b = indices[members + tail], indices[members + head]
            tail_row, head_row = indices[nodes + NODE_INTS * tail], indices[nodes + NODE_INTS * head]
            weight = particles.positions[a][3] + particles.positions[b][3]
            compliance = values[p + 2] * values[rest + EDGE_COMPLIANCE] * step[0]
            if ti.static(mode & DAMPED):
                times = previous_positions[a][3] + previous_positions[b][3]
                compliance /= 1.0 + damping_share(0.5 * times, step, mode)
            resisted = 0.0
            if is_taut:
                resisted = ti.abs(values[side + row]) / values[rest + EDGE_LENGTH]
            values[matrix + row + 1] = values[matrix + row + 1] + SMALL
            values[matrix + row] = -(compliance + LEAST_COMPLIANCE * weight + SMALL)
            for axis in ti.static(range(3)):
                add_number(values, matrix, indices[edge + EDGE_TAIL_PLACES + axis], -pull[axis])
                add_number(values, matrix, indices[edge + EDGE_HEAD_PLACES + axis], pull[axis])
                add_number(values, matrix, indices[edge + EDGE_END_PLACES + axis], -resisted)
                add_number(values, matrix, ti.select(tail_row >= 0, tail_row + axis, -1), resisted)
                add_number(values, matrix, ti.select(head_row >= 0, head_row + axis, -1), resisted)


@ti.func
def resist_bends(constraints: ti.template(), i):
    """h² H of all joints: Gauss's and Newton's, of the turn of the other edge less that of the first.

    A move of the ends turns an edge by t × Δx/l, so the blocks are [u]ᵀ K [v], with K = b 1 + (τ − b) a aᵀ about the
    axis a, and u, v of the end t/l of the first edge's, t/l of the other's, of the node between what balances both.
    """
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    nodes, matrix = extras + indices[extras + AT_NODES], first + indices[extras + AT_MATRIX]
    edges, states = extras + indices[extras + AT_EDGES], first + indices[extras + AT_EDGE_STATES]
    for k in range(indices[extras + JOINTS]):
        joint = extras + indices[extras + AT_JOINTS] + JOINT_INTS * k
        kept = first + indices[extras + AT_JOINT_STATES] + JOINT_STATES * k
        bend, more = values[kept + JOINT_STATE_BEND], values[kept + JOINT_STATE_TWIST] - values[kept + JOINT_STATE_BEND]
        axis = vector_at(values, kept)
        a = states + EDGE_STATES * indices[joint + JOINT_FIRST]
        b = states + EDGE_STATES * indices[joint + JOINT_SECOND]
        forward = ti.cast(indices[joint + JOINT_FORWARD], float) / values[a + STATE_LENGTH]
        onward = ti.cast(indices[joint + JOINT_ONWARD], float) / values[b + STATE_LENGTH]
        end, other = forward * vector_at(values, a + STATE_TANGENT), onward * vector_at(values, b + STATE_TANGENT)
        node = -end - other
        add_own(constraints, nodes + NODE_INTS * indices[joint + JOINT_END], matrix, end, axis, bend, more)
        add_own(constraints, nodes + NODE_INTS * indices[joint + JOINT_NODE], matrix, node, axis, bend, more)
        add_own(constraints, nodes + NODE_INTS * indices[joint + JOINT_OTHER], matrix, other, axis, bend, more)
        places = joint + JOINT_NODE_PLACES
        add_block(constraints, places, matrix, end, node, axis, bend, more)
        add_block(constraints, places + 9, matrix, node, other, axis, bend, more)
        add_block(constraints, places + 18, matrix, end, other, axis, bend, more)
        first_row = indices[edges + EDGE_INTS * indices[joint + JOINT_FIRST] + EDGE_ROW]
        second_row = indices[edges + EDGE_INTS * indices[joint + JOINT_SECOND] + EDGE_ROW]
        first_turn, second_turn = -vector_at(values, a + STATE_TANGENT), vector_at(values, b + STATE_TANGENT)
        first_moment = bend * first_turn + more * axis.dot(first_turn) * axis
        second_moment = bend * second_turn + more * axis.dot(second_turn) * axis
        # neighbours that hardly resist twist turn no more freely than that in a substep
        least = ti.max(LEAST_UNLIKE * bend - (bend + more), 0.0)
        together = ti.cast(indices[joint + JOINT_FORWARD] * indices[joint + JOINT_ONWARD], float)
        # and what nothing holds does not turn about itself
        own = least + LEAST_TWIST * (2.0 * bend + more)
        add_number(values, matrix, ti.select(first_row >= 0, first_row + 1, -1), first_turn.dot(first_moment) + own)
        add_number(values, matrix, ti.select(second_row >= 0, second_row + 1, -1), second_turn.dot(second_moment) + own)
        both = first_turn.dot(second_moment) - together * least
        add_number(values, matrix, indices[joint + JOINT_BOTH_PLACE], both)
        turns = joint + JOINT_TURN_PLACES
        add_turn(constraints, turns, matrix, first_moment, end, node, other)
        add_turn(constraints, turns + 9, matrix, second_moment, end, node, other)


@ti.func
def add_own(constraints: ti.template(), node, matrix, u, axis, bend, more):
    """The block of a node with itself."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    row = indices[node]
    if row >= 0:
        w, square = axis.cross(u), u.dot(u)
        for n in ti.static(range(3)):
            number = bend * (square - u[n] * u[n]) + more * w[n] * w[n]
            values[matrix + row + n] = values[matrix + row + n] + number
        for n in ti.static(range(3)):
            r, c = ti.static(((0, 1), (0, 2), (1, 2))[n])
            place = matrix + indices[node + NODE_PLACES + n]
            values[place] = values[place] + (more * w[r] * w[c] - bend * u[r] * u[c])


@ti.func
def add_block(constraints: ti.template(), places, matrix, u, v, axis, bend, more):
    """The block of two nodes, [u]ᵀ K [v] = b ((u·v) 1 − v uᵀ) + (τ − b) (a × u)(a × v)ᵀ."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    if indices[places] >= 0:
        w, z, product = axis.cross(u), axis.cross(v), u.dot(v)
        for r in ti.static(range(3)):
            for c in ti.static(range(3)):
                number = more * w[r] * z[c] - bend * v[r] * u[c]
                if ti.static(r == c):
                    number += bend * product
                place = matrix + indices[places + 3 * r + c]
                values[place] = values[place] + number


@ti.func
def add_turn(constraints: ti.template(), places, matrix, moment, end, node, other):
    """How the moment of a turn acts on the three nodes."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    numbers = ti.static((end, node, other))
    for n in ti.static(range(3)):
        push = moment.cross(numbers[n])
        for axis in ti.static(range(3)):
            add_number(values, matrix, indices[places + 3 * n + axis], push[axis])


@ti.func
def measure_strains(particles: ti.template(), constraints: ti.template(), i, p, has_forces, step, mode: ti.template()):
    """The right hand side, with the forces of bending or without; the greatest strain that is left."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    nodes, side = extras + indices[extras + AT_NODES], first + indices[extras + AT_SIDE]
    for n in range(indices[extras + NODES]):
        row = indices[nodes + NODE_INTS * n]
        if row >= 0:
            force = vector_at(values, first + indices[extras + AT_FORCES] + 3 * n)
            keep_vector(values, side + row, has_forces * force)
    greatest = 0.0
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row, state = indices[edge + EDGE_ROW], first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        if row >= 0:
            rest = first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k
            tail, head = indices[members + indices[edge + EDGE_TAIL]], indices[members + indices[edge + EDGE_HEAD]]
            length = (positions[head] - positions[tail]).xyz.norm()
            compliance = values[p + 2] * values[rest + EDGE_COMPLIANCE] * step[0]
            force = length - values[rest + EDGE_LENGTH] + compliance * values[state + STATE_MULTIPLIER]
            if ti.static(mode & DAMPED):
                length_before = (previous_positions[head] - previous_positions[tail]).xyz.norm()
                gamma = damping_share(0.5 * (previous_positions[tail][3] + previous_positions[head][3]), step, mode)
                # rows of tensions are divided by their 1 + γ, so that the matrix stays symmetric
                force = (force + gamma * (length - length_before)) / (1.0 + gamma)
            torque = vector_at(values, state + STATE_TORQUE).dot(vector_at(values, state + STATE_TANGENT))
            values[side + row] = -force
            values[side + row + 1] = has_forces * torque / step[0]
            greatest = ti.max(greatest, ti.abs(force) / values[rest + EDGE_LENGTH])
    return greatest


@ti.func
def tautness(particles: ti.template(), constraints: ti.template(), i):
    """The greatest P h² (w + w)/l of an edge with the pull P: the square of what its waves turn in a substep [rad²]."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    greatest = 0.0
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row = indices[edge + EDGE_ROW]
        if row >= 0:
            tail, head = indices[members + indices[edge + EDGE_TAIL]], indices[members + indices[edge + EDGE_HEAD]]
            weight = particles.positions[tail][3] + particles.positions[head][3]
            length = values[first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k + EDGE_LENGTH]
            tension = values[first + indices[extras + AT_SIDE] + row]
            greatest = ti.max(greatest, ti.abs(tension) * weight / length)
    return greatest


@ti.func
def move_nodes(particles: ti.template(), constraints: ti.template(), i, mode: ti.template()):
    """Move the nodes and turn the edges by the solution, as far as none turns too far."""
    positions = ti.static(particles.positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    nodes, side = extras + indices[extras + AT_NODES], first + indices[extras + AT_SIDE]
    moves = first + indices[extras + AT_MOVES]
    share = ti.min(1.0, MOST_TURN / greatest_turn(constraints, i))
    for n in range(indices[extras + NODES]):
        row = indices[nodes + NODE_INTS * n]
        if row >= 0 and positions[indices[members + n]][3] > 0.0:
            move = share * vector_at(values, side + row)
            member = indices[members + n]
            positions[member] = positions[member] + ti.Vector([move[0], move[1], move[2], 0.0])
            if ti.static(mode & ACCUMULATE):
                add_vector(values, moves + 3 * n, move)
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row, state = indices[edge + EDGE_ROW], first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        if row >= 0:
            q = particles.orientations[indices[edge + EDGE_TURN]]
            tangent = vector_at(values, state + STATE_TANGENT)
            particles.orientations[indices[edge + EDGE_TURN]] = turned_along(q, tangent, share * values[side + row + 1])
            tension = -share * values[side + row]
            values[state + STATE_MULTIPLIER] = values[state + STATE_MULTIPLIER] + tension
            if ti.static(mode & ACCUMULATE):
                # what tensions moved they hold themselves
                push, tail, head = (
                    tension * vector_at(values, state + STATE_PULL),
                    indices[edge],
                    indices[edge + EDGE_HEAD],
                )
                add_vector(values, moves + 3 * tail, positions[indices[members + tail]][3] * push)
                add_vector(values, moves + 3 * head, -positions[indices[members + head]][3] * push)


@ti.func
def greatest_turn(constraints: ti.template(), i):
    """By how much an edge turns at most by the solution [rad], and by how much of its length its ends move apart."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    nodes, side = extras + indices[extras + AT_NODES], first + indices[extras + AT_SIDE]
    greatest = 1e-12
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        way = move_of(constraints, i, indices[nodes + NODE_INTS * indices[edge + EDGE_HEAD]])
        way -= move_of(constraints, i, indices[nodes + NODE_INTS * indices[edge + EDGE_TAIL]])
        state = first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        greatest = ti.max(greatest, way.norm() / values[state + STATE_LENGTH])
        row = indices[edge + EDGE_ROW]
        if row >= 0:
            greatest = ti.max(greatest, ti.abs(values[side + row + 1]))
    return greatest
