# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands without branches and loops, up to eight equal ones side by side. U and its system are those of ``rod``.

With the turn w of an edge, its part about itself too, and its stretch s, the next node moves by w × e + s e/|e|. So
turns and stretches are all there is to find, and the part of a strand beyond an edge answers to what it is joined to by
a quadratic of six numbers, the move of a node and the turn of an edge. From the tip to the root each edge adds itself
to it, then moves and turns are there from the root to the tip, as of a chain of rigid links (Featherstone 1983,
"The calculation of robot dynamics using articulated-body inertias"; Stone's factor L D Lᵀ of blocks). Masses and
stiffnesses are never added to each other where one of them would be lost in the other.

Strands of a bundle have as many edges, and the same vertices held, so that one loop over lanes does for all of them
what one strand needs, see ``chain_lanes``.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import ACCUMULATE, ConstraintBlock, ConstraintType
from ..pools import FIRST_EXTRA, FIRST_VALUE, POOLED_ROW
from ..quaternions import product
from .chain_frames import missing_length, place_frames, place_nodes
from .chain_lanes import clear, fetch, gather, keep, particle, put, vector
from .chain_sweeps import eliminate, substitute_down, substitute_up, tighten
from .chain_tables import (
    AT_EDGES,
    AT_NODES,
    AT_TURNS,
    COMPLIANCE,
    COUNT,
    EDGE_VALUES,
    EDGES,
    LANES,
    LENGTH,
    MISSING,
    MOVE,
    MOVED,
    NODE_VALUES,
    PULL,
    PULLED,
    SIGN,
    SPUN,
    TURN,
    WAY,
    WEIGHT,
)
from .rod import LEAST_STRAIN, MOST_TAUTNESS, ROD, TENSION_PASSES
from .rod_system import MOST_TURN


@ti.func
def project_chains(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Solve for the strands of a bundle; arguments as in ``constraint``."""
    greatest = ti.Matrix.zero(float, 1, LANES)
    active = ti.Matrix.zero(float, 1, LANES)
    error = ti.Matrix.zero(float, 1, LANES)
    last = ti.Matrix.zero(float, 1, LANES)
    for l in range(LANES):
        active[0, l] = 1.0
        last[0, l] = 1e30
    place_nodes(particles, constraints, i, step, mode)
    place_frames(particles, constraints, i, p, step, mode)
    has_forces = 1.0
    # moves by forces, then lengths where edges turned
    for passing in range(TENSION_PASSES):
        is_first = passing == 0
        if is_first:
            eliminate(constraints, i, 0)
        substitute_down(constraints, i, has_forces)
        substitute_up(constraints, i, greatest)
        if is_first:
            if tighten(constraints, i, MOST_TAUTNESS) == 1:
                eliminate(constraints, i, 1)
                substitute_down(constraints, i, has_forces)
                substitute_up(constraints, i, greatest)
        has_forces = 0.0
        for l in range(LANES):
            active[0, l] *= ti.min(1.0, MOST_TURN / greatest[0, l])
        move_strands(particles, constraints, i, p, active, error, step, mode)
        if ti.static(mode & ACCUMULATE):
            note_moves(constraints, i, active)
        is_any = 0
        for l in range(LANES):
            # passes that do not come closer would only come farther
            is_on = error[0, l] > LEAST_STRAIN and error[0, l] < 0.5 * last[0, l]
            active[0, l] = ti.select(is_on, 1.0, 0.0)
            last[0, l] = ti.select(is_on, error[0, l], 0.0)
            is_any |= ti.cast(is_on, ti.i32)
        if is_any == 0:
            break


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
    """Move nodes and turn edges by shares of the solution; the greatest strain that is left in each lane."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    count, edges = indices[extras + COUNT], indices[extras + EDGES]
    near, far = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 4, LANES)
    near_before, far_before = ti.Matrix.zero(float, 4, LANES), ti.Matrix.zero(float, 4, LANES)
    moves, turn = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 4, LANES)
    frame, rest = ti.Matrix.zero(float, 3, LANES), ti.Matrix.zero(float, 2, LANES)
    sign, out = ti.Matrix.zero(float, 1, LANES), ti.Matrix.zero(float, 3, LANES)
    missing = ti.Matrix.zero(float, 1, LANES)
    for l in range(LANES):
        error[0, l] = 0.0
    scale, give_scale = step[0], values[p + 2]
    gather(particles.previous_positions, constraints, i, edges, near_before)
    move_node(particles, constraints, i, edges, shares, near, moves)
    for reverse in range(edges):
        e = edges - 1 - reverse
        edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
        turns = extras + indices[extras + AT_TURNS] + e * count
        gather(particles.previous_positions, constraints, i, e, far_before)
        move_node(particles, constraints, i, e, shares, far, moves)
        fetch(values, edge + TURN * LANES, turn, 4)
        fetch(values, edge + WAY * LANES, frame, 3)
        fetch(values, edge + SIGN * LANES, sign, 1)
        fetch(values, edge + SPUN * LANES, out, 3)
        fetch(values, edge + LENGTH * LANES, rest, 2)
        for l in range(LANES):
            half = 0.5 * shares[0, l] * out[0, l]
            q = ti.Vector([turn[0, l], turn[1, l], turn[2, l], turn[3, l]])
            q = product(ti.Vector([1.0, half * frame[0, l], half * frame[1, l], half * frame[2, l]]), q)
            q = q / q.norm()
            for axis in ti.static(range(4)):
                turn[axis, l] = q[axis]
            out[2, l] -= shares[0, l] * out[1, l]
            length = (vector(far, 0, l) - vector(near, 0, l)).norm()
            before = (vector(far_before, 0, l) - vector(near_before, 0, l)).norm()
            given = give_scale * rest[1, l] * scale * out[2, l]
            missing[0, l] = missing_length(
                length, before, rest[0, l], given, near_before[3, l], far_before[3, l], step, mode
            )
            error[0, l] = ti.max(
                error[0, l], ti.select(near[3, l] + far[3, l] > 0.0, ti.abs(missing[0, l]) / rest[0, l], 0.0)
            )
        keep(values, edge + TURN * LANES, turn, 4)
        keep(values, edge + SPUN * LANES, out, 3)
        keep(values, edge + MISSING * LANES, missing, 1)
        for l in range(count):
            particles.orientations[indices[turns + l]] = ti.Vector([turn[0, l], turn[1, l], turn[2, l], turn[3, l]])
        near, near_before = far, far_before


@ti.func
def note_moves(constraints: ti.template(), i, shares: ti.template()):
    """Add to what nodes have moved in this substep but for tensions: what these moved they hold themselves."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    edges = indices[extras + EDGES]
    moved, moves, weight = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 1, LANES),
    )
    ways, beyond, out = (
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 3, LANES),
        ti.Matrix.zero(float, 1, LANES),
    )
    for n in range(edges + 1):
        node = first + indices[extras + AT_NODES] + n * NODE_VALUES * LANES
        edge = first + indices[extras + AT_EDGES] + n * EDGE_VALUES * LANES
        fetch(values, node + MOVED * LANES, moved, 3)
        fetch(values, node + MOVE * LANES, moves, 3)
        fetch(values, node + WEIGHT * LANES, weight, 1)
        clear(ways, 3)
        if n < edges:
            fetch(values, edge + PULL * LANES, ways, 3)
            fetch(values, edge + PULLED * LANES, out, 1)
            for l in range(LANES):
                put(ways, 0, l, out[0, l] * vector(ways, 0, l))
        for l in range(LANES):
            pushed = vector(moves, 0, l) + weight[0, l] * (vector(ways, 0, l) - vector(beyond, 0, l))
            put(moved, 0, l, vector(moved, 0, l) + shares[0, l] * pushed)
        keep(values, node + MOVED * LANES, moved, 3)
        beyond = ways


@ti.func
def move_node(
    particles: ti.template(), constraints: ti.template(), i, n, shares: ti.template(), place: ti.template(), moves: ti.template()
):
    """Move a node; ``place`` is where it comes to, ``moves`` working space."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    node = first + indices[extras + AT_NODES] + n * NODE_VALUES * LANES
    gather(particles.positions, constraints, i, n, place)
    fetch(values, node + MOVE * LANES, moves, 3)
    for l in range(LANES):
        share = ti.select(place[3, l] > 0.0, shares[0, l], 0.0)
        for axis in ti.static(range(3)):
            place[axis, l] += share * moves[axis, l]
    for l in range(indices[extras + COUNT]):
        particles.positions[particle(constraints, i, n, l)] = ti.Vector(
            [place[0, l], place[1, l], place[2, l], place[3, l]]
        )


def evaluate_chains(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """The greatest change of an edge's length in each bundle [m], shape (constraints, 1)."""
    values = np.zeros((len(block), 1))
    if block.pools is None:
        raise ValueError("chains without their pools")
    for number, row in enumerate(block.indices):
        extras, constants = block.pools.extras[row[FIRST_EXTRA] :], block.pools.values[row[FIRST_VALUE] :]
        count, edges = int(extras[COUNT]), int(extras[EDGES])
        table = constants[extras[AT_EDGES] :][: edges * EDGE_VALUES * LANES].reshape(edges, EDGE_VALUES, LANES)
        points = positions[block.members(number)[: (edges + 1) * count]].reshape(edges + 1, count, 3)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=2)
        values[number] = np.abs(lengths - table[:, LENGTH, :count]).max()
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
)
