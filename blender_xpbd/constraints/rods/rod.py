# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand as an elastic rod: it resists stretch, bending and twist. U = ½ Σ EA/l (|e| − l)² + ½ Σ (EI κ² + GJ τ²)/l.

Each edge e has an orientation q, which turns the tangent at rest to e/|e| (Kugelstadt & Schömer 2016, "Position and
orientation based Cosserat rods", without shear). What an edge has turned relative to the one before it, since rest, is
a rotation, whose part along the strand is the twist τ. The moments that follow push the ends of the edges by couples
and turn the edges about themselves (Bergou et al. 2008, "Discrete elastic rods").

A strand is stiff against bending and hardly has inertia against twist. Projections of single joints, one after the
other, carry that over a few edges per substep, and a fine strand hangs as if it were soft. So a whole strand is one
constraint, and each of its three systems is solved at once (Deul et al. 2018, "Direct position-based solver for stiff
rods"):

- bending: (M + h² B) Δx = h² f. The forces f are exact, B bounds their derivative by what is the same along all axes:
  so it is one matrix, with five numbers in a row of a chain.
- twist: turns about the tangents, quasi-static, for its waves run through a strand in less than a substep.
- tension: multipliers of all edges at once, XPBD (2016, eq. 18) with compliances l/EA. It comes last and holds best.

All three are factorized in each substep, in the precision of what moves, see ``geometry.elimination``. No two rods
share an orientation, so the schedule needs to know of particles alone. In PBD mode rods are the same.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import ACCUMULATE, DAMPED, SMALL, ConstraintBlock, ConstraintType, damping_share
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, POOLED_ROW
from ..quaternions import turned_along
from ..scaling import Scaling
from .elimination_functions import factorize, substitute
from .rod_joints import (
    add_at,
    add_number,
    bend_joints,
    carry_edges,
    clear_nodes,
    clear_systems,
    keep_vector,
    move_of,
    note_turns,
    push_ends,
    vector_at,
)
from .rod_tables import (
    AT_EDGE_STATES,
    AT_EDGE_VALUES,
    AT_EDGES,
    AT_FORCES,
    AT_MOVES,
    AT_NODE_MATRIX,
    AT_NODE_PATTERN,
    AT_NODES,
    AT_PAIRS,
    AT_TENSION_MATRIX,
    AT_TENSION_PATTERN,
    AT_TENSIONS,
    AT_TWIST_MATRIX,
    AT_TWIST_PATTERN,
    AT_TWISTS,
    EDGE_COMPLIANCE,
    EDGE_HEAD,
    EDGE_INTS,
    EDGE_LENGTH,
    EDGE_PLACE,
    EDGE_STATES,
    EDGE_TAIL,
    EDGE_TENSION,
    EDGE_TURN,
    EDGE_TWIST,
    EDGE_VALUES,
    EDGES,
    NODE_ROWS,
    NODES,
    PAIR_FIRST,
    PAIR_INTS,
    PAIR_NODE,
    PAIR_PLACE,
    PAIR_SECOND,
    PAIR_SIGN,
    PAIRS,
    STATE_LENGTH,
    STATE_MULTIPLIER,
    STATE_TANGENT,
    TENSION_ROWS,
    TWIST_ROWS,
)

# in a substep bending turns no edge farther [rad]: what is bent that much is not what the matrix was made for
MOST_TURN = 0.5
# along what edges pull: where they are, where they were when the substep began, where they come, or as in the pass
# before
NOW, BEFORE, AHEAD, KEPT = range(4)
# up to which a strand pulls along where its edges were: an explicit step of what resists bending is stable up to twice
# as much
MOST_TAUTNESS = 0.25
# edges that turned farther in a substep pull along where they are
LEAST_COSINE = 0.97
# how often tensions are solved for at most, and the greatest strain at which they need no more
TENSION_PASSES = 3
LEAST_STRAIN = 1e-5
# on the diagonal of the tensions: a strand that is straight between two pins has more edges than ways to move
DIAGONAL = 1.0 + 1e-6


@ti.func
def project_rod(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Solve for one strand; arguments as in ``constraint``."""
    carry_edges(particles, constraints, i)
    clear_systems(particles, constraints, i, step, mode)
    bend_joints(particles, constraints, i, p, step, mode)
    push_ends(constraints, i, step)
    solve_bending(particles, constraints, i, step, mode)
    note_turns(constraints, i)
    solve_twist(particles, constraints, i)
    solve_tension(particles, constraints, i, p, step, mode)


@ti.func
def solve_bending(particles: ti.template(), constraints: ti.template(), i, step, mode: ti.template()):
    """Move the nodes by what the moments push them."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + NODE_ROWS], extras + indices[extras + AT_NODE_PATTERN]
    forces, moves = first + indices[extras + AT_FORCES], first + indices[extras + AT_MOVES]
    factorize(indices, values, pattern, rows, first + indices[extras + AT_NODE_MATRIX])
    substitute(indices, values, pattern, rows, first + indices[extras + AT_NODE_MATRIX], forces, 3)
    share = ti.min(1.0, MOST_TURN / greatest_turn(constraints, i))
    for n in range(indices[extras + NODES]):
        row = indices[extras + indices[extras + AT_NODES] + n]
        if row >= 0:
            move = share * vector_at(values, forces + 3 * row)
            keep_vector(values, forces + 3 * row, move)
            if particles.positions[indices[members + n]][3] > 0.0:
                particles.positions[indices[members + n]] += ti.Vector([move[0], move[1], move[2], 0.0])
            if ti.static(mode & ACCUMULATE):
                if step[1] > 0.0:
                    move += vector_at(values, moves + 3 * row)
                keep_vector(values, moves + 3 * row, move)


@ti.func
def greatest_turn(constraints: ti.template(), i):
    """By how much of its length the ends of an edge move apart at most."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    nodes, greatest = extras + indices[extras + AT_NODES], 1e-12
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        way = move_of(values, first + indices[extras + AT_FORCES], indices[nodes + indices[edge + EDGE_HEAD]])
        way -= move_of(values, first + indices[extras + AT_FORCES], indices[nodes + indices[edge + EDGE_TAIL]])
        state = first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        greatest = ti.max(greatest, way.norm() / values[state + STATE_LENGTH])
    return greatest


@ti.func
def solve_twist(particles: ti.template(), constraints: ti.template(), i):
    """Turn the edges about themselves."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + TWIST_ROWS], extras + indices[extras + AT_TWIST_PATTERN]
    twists = first + indices[extras + AT_TWISTS]
    matrix = first + indices[extras + AT_TWIST_MATRIX]
    for row in range(rows):
        # an edge alone has nothing to turn against
        if values[matrix + row] <= 0.0:
            values[matrix + row] = 1.0
    factorize(indices, values, pattern, rows, matrix)
    substitute(indices, values, pattern, rows, matrix, twists, 1)
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row = indices[edge + EDGE_TWIST]
        if row >= 0:
            tangent = vector_at(values, first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k + STATE_TANGENT)
            turn = indices[edge + EDGE_TURN]
            q = particles.orientations[turn]
            particles.orientations[turn] = turned_along(q, tangent, values[twists + row])


@ti.func
def solve_tension(particles: ti.template(), constraints: ti.template(), i, p, step, mode: ti.template()):
    """Give all edges their lengths, as far as they are stiff.

    Edges pull along where they were when the substep began, as SHAKE does (Ryckaert, Ciccotti & Berendsen 1977), so a
    swing keeps its height. Where a strand is so taut that this would make its waves grow they pull along where they
    come, and where an edge turned far along where it is. The matrix is the same for all further passes.
    """
    error = measure_strains(particles, constraints, i, p, NOW, step, mode)
    find_tensions(particles, constraints, i)
    along = BEFORE
    if tautness(particles, constraints, i) >= MOST_TAUTNESS:
        look_ahead(particles, constraints, i)
        along = AHEAD
    error = measure_strains(particles, constraints, i, p, along, step, mode)
    find_tensions(particles, constraints, i)
    pull_edges(particles, constraints, i)
    last = 1e30
    for _ in range(TENSION_PASSES - 1):
        # passes that do not come closer would only come farther
        if error > LEAST_STRAIN and error < 0.5 * last:
            last = error
            error = measure_strains(particles, constraints, i, p, KEPT, step, mode)
            if error > LEAST_STRAIN and error < 0.5 * last:
                solve_tensions(constraints, i)
                pull_edges(particles, constraints, i)


@ti.func
def look_ahead(particles: ti.template(), constraints: ti.template(), i):
    """Where nodes come if edges pull along where they come: moves in place of the forces.

    (M + L) u = −L x, where L has |λ|/l between the ends of each edge. Pulls along x would turn edges by λ h² (w + w)/l
    of what they are off, past where they are to be and ever farther where that exceeds 2; along x + u they turn by a
    part of it, however taut the strand is, as the stiffness of tensions in Tournier et al. 2015, "Stable constrained
    dynamics", has it. Pushes count as pulls: what they turn too far is for bending to hold.
    """
    positions = ti.static(particles.positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + NODE_ROWS], extras + indices[extras + AT_NODE_PATTERN]
    nodes = extras + indices[extras + AT_NODES]
    matrix, moves = first + indices[extras + AT_NODE_MATRIX], first + indices[extras + AT_FORCES]
    clear_nodes(particles, constraints, i)
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row = indices[edge + EDGE_TENSION]
        if row >= 0:
            length = values[first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k + EDGE_LENGTH]
            weight = ti.abs(values[first + indices[extras + AT_TENSIONS] + row]) / length
            a, b = indices[edge + EDGE_TAIL], indices[edge + EDGE_HEAD]
            way = (positions[indices[members + b]] - positions[indices[members + a]]).xyz
            add_number(values, matrix, indices[nodes + a], weight)
            add_number(values, matrix, indices[nodes + b], weight)
            add_number(values, matrix, indices[edge + EDGE_PLACE], -weight)
            add_at(values, moves, indices[nodes + a], way, weight)
            add_at(values, moves, indices[nodes + b], way, -weight)
    factorize(indices, values, pattern, rows, matrix)
    substitute(indices, values, pattern, rows, matrix, moves, 3)


@ti.func
def find_tensions(particles: ti.template(), constraints: ti.template(), i):
    """Tensions of the first pass, from the right hand sides and the diagonal of ``measure_strains``."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + TENSION_ROWS], extras + indices[extras + AT_TENSION_PATTERN]
    couple_tensions(particles, constraints, i)
    factorize(indices, values, pattern, rows, first + indices[extras + AT_TENSION_MATRIX])
    solve_tensions(constraints, i)


@ti.func
def solve_tensions(constraints: ti.template(), i):
    """Tensions in place of the right hand sides."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + TENSION_ROWS], extras + indices[extras + AT_TENSION_PATTERN]
    tensions, matrix = first + indices[extras + AT_TENSIONS], first + indices[extras + AT_TENSION_MATRIX]
    substitute(indices, values, pattern, rows, matrix, tensions, 1)


@ti.func
def tautness(particles: ti.template(), constraints: ti.template(), i):
    """The greatest P h² (w + w)/l of an edge with the pull P: the square of what its waves turn in a substep [rad²]."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    greatest = 0.0
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row = indices[edge + EDGE_TENSION]
        if row >= 0:
            tail, head = indices[members + indices[edge + EDGE_TAIL]], indices[members + indices[edge + EDGE_HEAD]]
            weight = particles.positions[tail][3] + particles.positions[head][3]
            length = values[first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k + EDGE_LENGTH]
            tension = values[first + indices[extras + AT_TENSIONS] + row]
            greatest = ti.max(greatest, ti.abs(tension) * weight / length)
    return greatest


@ti.func
def measure_strains(particles: ti.template(), constraints: ti.template(), i, p, along, step, mode: ti.template()):
    """Right hand sides of the tensions, but for ``KEPT`` directions and the diagonal too; the greatest strain left."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    tensions, matrix = first + indices[extras + AT_TENSIONS], first + indices[extras + AT_TENSION_MATRIX]
    greatest = 0.0
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row, state = indices[edge + EDGE_TENSION], first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        if row >= 0:
            rest = first + indices[extras + AT_EDGE_VALUES] + EDGE_VALUES * k
            tail, head = indices[members + indices[edge + EDGE_TAIL]], indices[members + indices[edge + EDGE_HEAD]]
            way = (positions[head] - positions[tail]).xyz
            before = (previous_positions[head] - previous_positions[tail]).xyz
            length, length_before = way.norm(), before.norm()
            if along != KEPT:
                direction = vector_at(values, state + STATE_TANGENT)
                ahead = way
                if along == AHEAD:
                    moves, nodes = first + indices[extras + AT_FORCES], extras + indices[extras + AT_NODES]
                    ahead += move_of(values, moves, indices[nodes + indices[edge + EDGE_HEAD]])
                    ahead -= move_of(values, moves, indices[nodes + indices[edge + EDGE_TAIL]])
                if ahead.norm() > 0.0:
                    direction = ahead / ahead.norm()
                is_near = way.dot(before) > LEAST_COSINE * length * length_before
                if along == BEFORE and is_near and length_before > 0.0:
                    direction = before / length_before
                keep_vector(values, state + STATE_TANGENT, direction)
                if ti.static(mode & ACCUMULATE):
                    if step[1] == 0.0:
                        values[state + STATE_MULTIPLIER] = 0.0
                else:
                    values[state + STATE_MULTIPLIER] = 0.0
            compliance = values[p + 2] * values[rest + EDGE_COMPLIANCE] * step[0]
            force = length - values[rest + EDGE_LENGTH] + compliance * values[state + STATE_MULTIPLIER]
            if ti.static(mode & DAMPED):
                times = previous_positions[tail][3] + previous_positions[head][3]
                gamma = damping_share(0.5 * times, step, mode)
                # all rows are divided by their 1 + γ, so that the matrix stays symmetric
                force = (force + gamma * (length - length_before)) / (1.0 + gamma)
                compliance /= 1.0 + gamma
            if along != KEPT:
                values[matrix + row] = (positions[tail][3] + positions[head][3]) * DIAGONAL + compliance + SMALL
            values[tensions + row] = -force
            greatest = ti.max(greatest, ti.abs(force) / values[rest + EDGE_LENGTH])
    return greatest


@ti.func
def couple_tensions(particles: ti.template(), constraints: ti.template(), i):
    """How the tension of an edge moves the others at its ends."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    rows, pattern = indices[extras + TENSION_ROWS], extras + indices[extras + AT_TENSION_PATTERN]
    states, matrix = first + indices[extras + AT_EDGE_STATES], first + indices[extras + AT_TENSION_MATRIX]
    for n in range(rows, rows + indices[pattern + rows]):
        values[matrix + n] = 0.0
    for n in range(indices[extras + PAIRS]):
        pair = extras + indices[extras + AT_PAIRS] + PAIR_INTS * n
        a, b = indices[pair + PAIR_FIRST], indices[pair + PAIR_SECOND]
        share = vector_at(values, states + EDGE_STATES * a + STATE_TANGENT).dot(
            vector_at(values, states + EDGE_STATES * b + STATE_TANGENT)
        )
        weight = particles.positions[indices[members + indices[pair + PAIR_NODE]]][3]
        values[matrix + indices[pair + PAIR_PLACE]] += ti.cast(indices[pair + PAIR_SIGN], float) * weight * share


@ti.func
def pull_edges(particles: ti.template(), constraints: ti.template(), i):
    """Move the ends of all edges by their tensions."""
    positions = ti.static(particles.positions)
    indices, values = ti.static(constraints.indices, constraints.parameters)
    members, extras, first = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    for k in range(indices[extras + EDGES]):
        edge = extras + indices[extras + AT_EDGES] + EDGE_INTS * k
        row, state = indices[edge + EDGE_TENSION], first + indices[extras + AT_EDGE_STATES] + EDGE_STATES * k
        if row >= 0:
            tail, head = indices[members + indices[edge + EDGE_TAIL]], indices[members + indices[edge + EDGE_HEAD]]
            tension = values[first + indices[extras + AT_TENSIONS] + row]
            push = tension * vector_at(values, state + STATE_TANGENT)
            move = ti.Vector([push[0], push[1], push[2], 0.0])
            positions[tail] -= positions[tail][3] * move
            positions[head] += positions[head][3] * move
            values[state + STATE_MULTIPLIER] += tension


def evaluate_rod(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """The greatest change of an edge's length in each strand [m], shape (constraints, 1)."""
    values = np.zeros((len(block), 1))
    if block.pools is None:
        raise ValueError("a rod without its pools")
    for number, row in enumerate(block.indices):
        extras, constants = block.pools.extras[row[FIRST_EXTRA] :], block.pools.values[row[FIRST_VALUE] :]
        count = int(extras[EDGES])
        edges = extras[extras[AT_EDGES] :][: count * EDGE_INTS].reshape(count, EDGE_INTS)
        lengths = constants[extras[AT_EDGE_VALUES] :][: count * EDGE_VALUES].reshape(count, EDGE_VALUES)[:, EDGE_LENGTH]
        points = positions[block.members(number)]
        ways = points[edges[:, EDGE_HEAD]] - points[edges[:, EDGE_TAIL]]
        values[number] = np.abs(np.linalg.norm(ways, axis=1) - lengths).max()
    return values


ROD = ConstraintType(
    name="rod",
    particle_count=POOLED_ROW,
    parameters=(
        "stiffness against bending relative to the one it was built with",
        "stiffness against twist, likewise",
        "compliance of stretch, likewise",
    ),
    multiplier_count=1,
    project=project_rod,
    evaluate=evaluate_rod,
    scales=(
        Scaling("youngs_modulus", 0, 1.0),
        Scaling("bending_share", 0, 1.0),
        Scaling("twist_stiffness", 1, 1.0),
        Scaling("youngs_modulus", 2, -1.0),
    ),
    nanoseconds=5000,
    is_real=True,
)
