# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands without branches and loops, up to eight equal ones side by side. U and its system are those of ``rod``.

With the turn w of an edge, its part about itself too, and its stretch s, the next node moves by w × e + s e/|e|. So
turns and stretches are all there is to find, and the part of a strand beyond an edge answers to what it is joined to by
a quadratic of six numbers, the move of a node and the turn of an edge. From the tip to the root each edge adds itself
to it, then moves and turns are there from the root to the tip, as of a chain of rigid links (Featherstone 1983,
"The calculation of robot dynamics using articulated-body inertias"; Stone's factor L D Lᵀ of blocks). Masses and
stiffnesses are never added to each other where one of them would be lost in the other.

Strands of a bundle have as many edges, and the same vertices held, so that one loop over lanes does for all of them
what one strand needs, see ``side_by_side``.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import ACCUMULATE, ConstraintBlock, ConstraintType
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, POOLED_ROW
from ..quaternions import product
from ..side_by_side import LANES, clear, fetch, four, keep, keep_after, number, put, put_four, scatter, vector
from .chain_frames import missing_length, solve_frames
from .chain_sweeps import eliminate, substitute_down, substitute_up
from .chain_tables import (
    AT_EDGES,
    AT_NODES,
    AT_ROOT,
    AT_TURNS,
    BEFORE,
    COUNT,
    EDGE_VALUES,
    EDGES,
    LENGTH,
    MISSING,
    MOVE,
    MOVED,
    NODE_VALUES,
    PLACE,
    PULL,
    PULLED,
    SHARE,
    SPUN,
    TAUT,
    TURN,
    WAY,
    WEIGHT,
)
from .chain_tautness import recall_tautness, tighten
from .rod import LEAST_STRAIN, ROD, TENSION_PASSES
from .rod_system import MOST_TURN


@ti.func
def project_chains(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Solve for the strands of a bundle; arguments as in ``constraint``.

    Moves by forces come first, once more where strands are taut, then lengths where edges turned.
    """
    shares, last = ti.Vector.one(float, LANES), ti.Vector.one(float, LANES) * 1e30
    # squares of the greatest turns, strains that are left; how taut strands are, and are taken to be
    greatest, error = ti.Vector.zero(float, LANES), ti.Vector.zero(float, LANES)
    taut, reckoned = ti.Vector.zero(float, LANES), ti.Vector.zero(float, LANES)
    recall_tautness(constraints, i, step, reckoned)
    solve_frames(particles, constraints, i, p, reckoned, step, mode)
    solved, is_anew = 0, 0
    while solved < TENSION_PASSES:
        if solved == 0:
            eliminate(constraints, i)
        else:
            substitute_down(constraints, i)
        substitute_up(constraints, i, greatest, taut)
        again = 0
        if solved == 0 and is_anew == 0:
            again = tighten(constraints, i, taut, reckoned)
            is_anew = 1
        if again == 0:
            for lane in range(LANES):
                shares[lane] *= ti.min(1.0, MOST_TURN / ti.sqrt(greatest[lane]))
            move_strands(particles, constraints, i, p, shares, error, step, mode)
            if ti.static(mode & ACCUMULATE):
                note_moves(constraints, i, shares)
            solved += 1
            if is_settled(shares, error, last) == 1:
                solved = TENSION_PASSES


@ti.func
def is_settled(shares: ti.template(), error: ti.template(), last: ti.template()):
    """Whether no strand needs another pass for its lengths; ``shares`` is 1 for those that do."""
    is_done = 1
    for lane in range(LANES):
        # passes that do not come closer would only come farther
        goes_on = error[lane] > LEAST_STRAIN and error[lane] < 0.5 * last[lane]
        shares[lane] = ti.cast(goes_on, float)
        last[lane] = error[lane] * ti.cast(goes_on, float)
        if goes_on:
            is_done = 0
    return is_done


@ti.func
def move_strands(
    particles: ti.template(),
    constraints: ti.template(),
    i,
    p,
    shares: ti.template(),
    error: ti.template(),
    step,
    mode: ti.template(),
):
    """Move nodes and turn edges by shares of the solution; the greatest strain that is left in each lane.

    How taut strands are by what has pulled so far in the substep is noted for the next one.
    """
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    count, edges = indices[extras + COUNT], indices[extras + EDGES]
    near, far = ti.Vector.zero(float, 4 * LANES), ti.Vector.zero(float, 4 * LANES)
    rest, turn = ti.Vector.zero(float, 2 * LANES), ti.Vector.zero(float, (WAY + 3 - TURN) * LANES)
    out, taut = ti.Vector.zero(float, 3 * LANES), ti.Vector.zero(float, LANES)
    left = ti.Vector.zero(float, LANES)
    for lane in range(LANES):
        error[lane] = 0.0
    scale = values[p + 2] * step[0]
    move_node(particles, constraints, i, edges, shares, near)
    for reverse in range(edges):
        e = edges - 1 - reverse
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        move_node(particles, constraints, i, e, shares, far)
        fetch(values, edge + LENGTH * LANES, rest, 2)
        fetch(values, edge + TURN * LANES, turn, WAY + 3 - TURN)
        fetch(values, edge + SPUN * LANES, out, 3)
        for lane in range(LANES):
            half = 0.5 * shares[lane] * number(out, 0, lane)
            t = vector(turn, WAY - TURN, lane)
            q = product(ti.Vector([1.0, half * t[0], half * t[1], half * t[2]]), four(turn, 0, lane))
            put_four(turn, 0, lane, (1.0 / q.norm()) * q)
            tension = number(out, 2, lane) - shares[lane] * number(out, 1, lane)
            out[2 * LANES + lane] = tension
            given = scale * number(rest, 1, lane) * tension
            length = (vector(far, 0, lane) - vector(near, 0, lane)).norm()
            before, share = number(turn, BEFORE - TURN, lane), number(turn, SHARE - TURN, lane)
            missing = missing_length(length, before, number(rest, 0, lane), given, share, mode)
            left[lane] = missing
            weight, inverse = number(near, 3, lane) + number(far, 3, lane), 1.0 / number(rest, 0, lane)
            error[lane] = ti.max(error[lane], ti.select(weight <= 0.0, 0.0, ti.abs(missing) * inverse))
            taut[lane] = ti.max(taut[lane], ti.abs(tension) * weight * inverse)
        keep(values, edge + TURN * LANES, turn, 4)
        keep(values, edge + MISSING * LANES, left, 1)
        keep_after(values, edge + SPUN * LANES, out, 2, 3)
        scatter(particles.orientations, indices, extras + indices[extras + AT_TURNS] + e * count, count, turn)
        near = far
    keep(values, first + indices[extras + AT_ROOT] + TAUT * LANES, taut, 1)


@ti.func
def move_node(particles: ti.template(), constraints: ti.template(), i, n, shares: ti.template(), place: ti.template()):
    """Move a node; ``place`` is where it comes to."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, count = indices[i + FIRST_EXTRA], indices[indices[i + FIRST_EXTRA] + COUNT]
    node = indices[i + FIRST_VALUE] + indices[extras + AT_NODES] + n * NODE_VALUES * LANES
    move = ti.Vector.zero(float, 3 * LANES)
    fetch(values, node + PLACE * LANES, place, 4)
    fetch(values, node + MOVE * LANES, move, 3)
    for lane in range(LANES):
        share = ti.select(number(place, 3, lane) > 0.0, shares[lane], 0.0)
        put(place, 0, lane, vector(place, 0, lane) + share * vector(move, 0, lane))
    keep(values, node + PLACE * LANES, place, 3)
    member = indices[i + FIRST_MEMBER] + n * count
    for lane in range(count):
        # what is held keeps its bytes: its place here may be rounded
        if number(place, 3, lane) > 0.0:
            particles.positions[indices[member + lane]] = four(place, 0, lane)


@ti.func
def note_moves(constraints: ti.template(), i, shares: ti.template()):
    """Add to what nodes have moved in this substep but for tensions: what these moved they hold themselves."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = indices[extras + EDGES]
    node, pull = ti.Vector.zero(float, NODE_VALUES * LANES), ti.Vector.zero(float, 3 * LANES)
    beyond, out = ti.Vector.zero(float, 3 * LANES), ti.Vector.zero(float, LANES)
    for n in range(edges + 1):
        start = first + indices[extras + AT_NODES] + n * NODE_VALUES * LANES
        edge = first + indices[extras + AT_EDGES] + n * EDGE_VALUES * LANES
        fetch(values, start, node, NODE_VALUES)
        clear(pull, 3)
        if n < edges:
            fetch(values, edge + PULL * LANES, pull, 3)
            fetch(values, edge + PULLED * LANES, out, 1)
        for lane in range(LANES):
            mine = out[lane] * vector(pull, 0, lane)
            pushed = vector(node, MOVE, lane) + number(node, WEIGHT, lane) * (mine - vector(beyond, 0, lane))
            put(node, MOVED, lane, vector(node, MOVED, lane) + shares[lane] * pushed)
            put(beyond, 0, lane, mine)
        keep(values, start, node, NODE_VALUES)


def evaluate_chains(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """The greatest change of an edge's length in each bundle [m], shape (constraints, 1)."""
    values = np.zeros((len(block), 1))
    if block.pools is None:
        raise ValueError("chains without their pools")
    for bundle, row in enumerate(block.indices):
        extras, constants = block.pools.extras[row[FIRST_EXTRA] :], block.pools.values[row[FIRST_VALUE] :]
        count, edges = int(extras[COUNT]), int(extras[EDGES])
        table = constants[extras[AT_EDGES] :][: edges * EDGE_VALUES * LANES].reshape(edges, EDGE_VALUES, LANES)
        points = positions[block.members(bundle)[: (edges + 1) * count]].reshape(edges + 1, count, 3)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=2)
        values[bundle] = np.abs(lengths - table[:, LENGTH, :count]).max()
    return values


ROD_CHAINS = ConstraintType(
    name="rod_chains",
    particle_count=POOLED_ROW,
    parameters=ROD.parameters,
    multiplier_count=1,
    project=project_chains,
    evaluate=evaluate_chains,
    scales=ROD.scales,
    nanoseconds=50000,
    is_real=True,
    is_large=True,
)
