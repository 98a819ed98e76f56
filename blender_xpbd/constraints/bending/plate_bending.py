# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending of a whole cloth, solved at once: U = ½ xᵀ B x [J] where it rests flat, over any number of particles.

B is that of ``geometry.surface.curvature.Bending``. It is the same along each axis and does not change as the cloth
moves, so the implicit step (M + h² B) Δx = −h² B x is solved exactly, with a factor that is computed once. A fold
spreads over several edges in a substep, √(h √(k/ρ)) far: projections of single hinges, one after the other, stay behind
that, and cloth bends the more easily the finer its mesh is.

A cloth that rests curved has the forces of ``geometry.surface.rest_curvature`` besides, which turn with it.

The factor L Lᵀ belongs to the masses, the substep and the stiffness that it was built with. ``compliance`` is relative
to that stiffness: forces follow it, the factor does not. For softer cloth that is as stable, and the same where it
rests up to what bends within a substep.

With damping the force is B (x + γ (x − x_previous)), γ = τ/h, and the factor that of M + h² (1 + γ) B.

Springs and contacts need short substeps, bending does not: it is solved exactly. So where substeps are many, it is
solved in every ``every``-th one, for as long as so many take, and its whole impulse is given then (r-RESPA: Tuckerman,
Berne & Martyna 1992, "Reversible multiple time scale molecular dynamics"). Where a frame ends before the next solve,
its last one gives the share of those that are left.

An impulse takes cloth that rests (k − 1)/2k of its way Δx beyond where all else lets it be at the next solve, for
k = ``every``. There B is asked for its force: what bends sharply would be softer than its material, by 1 + h² B/2M. So
that share of the Δx of the solve before is taken back first, which is the same while the cloth rests. The first solve
of a frame takes none back, so that nothing has to be kept from frame to frame.
"""

import itertools
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...geometry.cholesky import SparseRows, factorize
from ...geometry.components import connected_components
from ...geometry.surface.rest_curvature import RestCurvature
from ..constraint import ACCUMULATE, DAMPED, ConstraintBlock, ConstraintType
from ..lanes import edge, place
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, MEMBERS, POOLED_ROW, Pools, joined_pools, pooled_rows
from ..scaling import compliances
from .shell_frames import member_forces, rest_force, turn_frames, with_rest

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# entries of the factor below this share are left out: where h is short for a wave of one edge, few are left. 1e-4 keeps
# half as many more, for a sheet that bends the same (docs/experiments.md, Bending of cloth)
LEAST_ENTRY = 1e-3
# of each member that moves: working space for its correction, and what it was corrected in this substep before; then
# its mass and the inverse of its diagonal
WORK, SCALES = 4, 2
# places in the extras: after the number of members that move, in every which substep they are solved for, where what a
# curved rest shape adds begins, 0 for a flat one, and the substeps of a frame; then the rows
EVERY, REST, SUBSTEPS, STARTS = 1, 2, 3, 4


@ti.func
def project_plate_bending(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Solve for one cloth; arguments as in ``constraint``."""
    indices = ti.static(constraints.indices)
    if ti.cast(step[3], ti.i32) % indices[indices[i + FIRST_EXTRA] + EVERY] == 0:
        solve_plate(particles, constraints, i, p, step, mode)


@ti.func
def solve_plate(particles: ti.template(), constraints: ti.template(), i, p, step, mode: ti.template()):
    """As ``project_plate_bending``, in a substep in which the cloth is solved for."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, extras, work = indices[i + FIRST_MEMBER], indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    count = indices[extras]
    # particles get the velocity that takes them as far as the solve says until the next one
    every = ti.cast(indices[extras + EVERY], float)
    earlier, scales = work + WORK * count, work + 2 * WORK * count
    values = scales + SCALES * count
    stiffness = 1.0 / parameters[p]
    # share of what the solve before gave that is taken back
    undone = 0.0
    if step[3] > 0.0:
        undone = 0.5 * (every - 1.0) / every
    # rows of B without the diagonal, of L, and of its transpose; the entries of all three lie one after the other
    force_starts = extras + STARTS
    lower_starts, upper_starts = force_starts + 1 + count, force_starts + 2 + 2 * count
    columns = force_starts + 3 + 3 * count
    rest = 0
    if indices[extras + REST] > 0:
        rest = extras + indices[extras + REST]
        turn_frames(particles, constraints, i, rest, step, mode)
    for k in range(count):
        x = positions[indices[first + k]]
        # it acts on where the cloth would be at the next solve, and with damping farther on
        ahead = every - 1.0
        if ti.static(mode & DAMPED):
            ahead += previous_positions[indices[first + k]][3] * step[2]
        force = ti.Vector([0.0, 0.0, 0.0, 0.0])
        for t in range(indices[force_starts + k], indices[force_starts + k + 1]):
            other = indices[first + indices[columns + t]]
            arm = edge(positions[other], x)
            if ahead > 0.0:
                arm += ahead * (arm - edge(previous_positions[other], previous_positions[indices[first + k]]))
            if undone > 0.0:
                arm += undone * _work(parameters, earlier + WORK * k)
                if indices[columns + t] < count:
                    arm -= undone * _work(parameters, earlier + WORK * indices[columns + t])
            force -= parameters[values + t] * arm
        if rest > 0:
            force += rest_force(constraints, i, rest, k)
        total = stiffness * force
        if ti.static(mode & ACCUMULATE):
            if step[1] > 0.0:
                total -= parameters[scales + SCALES * k] * _work(parameters, earlier + WORK * k)
        for t in range(indices[lower_starts + k], indices[lower_starts + k + 1]):
            total -= parameters[values + t] * _work(parameters, work + WORK * indices[columns + t])
        _keep(parameters, work + WORK * k, parameters[scales + SCALES * k + 1] * total)
    momentum, mass = ti.Vector([0.0, 0.0, 0.0, 0.0]), 0.0
    for reverse in range(count):
        k = count - 1 - reverse
        total = _work(parameters, work + WORK * k)
        for t in range(indices[upper_starts + k], indices[upper_starts + k + 1]):
            total -= parameters[values + t] * _work(parameters, work + WORK * indices[columns + t])
        total *= parameters[scales + SCALES * k + 1]
        _keep(parameters, work + WORK * k, total)
        momentum += parameters[scales + SCALES * k] * total
        mass += parameters[scales + SCALES * k]
    # until the next solve, or the end of the frame; velocities get ``every`` times what a substep does
    share = ti.min(every, ti.cast(indices[extras + SUBSTEPS], float) - step[3]) / (every * every)
    shift = ti.Vector([0.0, 0.0, 0.0, 0.0])
    if indices[i + MEMBERS] == count:
        # nothing holds it: what was left out of the factor must not push it
        shift = -(1.0 / mass) * momentum
    for k in range(count):
        total = _work(parameters, work + WORK * k) + shift
        if positions[indices[first + k]][3] > 0.0:
            positions[indices[first + k]] += share * total
        if ti.static(mode & ACCUMULATE):
            if step[1] > 0.0:
                total += _work(parameters, earlier + WORK * k)
        _keep(parameters, earlier + WORK * k, total)


@ti.func
def _work(parameters: ti.template(), n):
    """A vector that is kept, with a last component of 0."""
    v = place(n)
    return ti.Vector([parameters[v], parameters[v + 1], parameters[v + 2], parameters[v + 3]])


@ti.func
def _keep(parameters: ti.template(), n, value):
    v = place(n)
    for lane in ti.static(range(4)):
        parameters[v + lane] = ti.cast(value[lane], ti.f32)


def evaluate_plate_bending(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """|h² B x| over the members that move [kg m], which is 0 where they rest, shape (constraints, 1)."""
    values = np.zeros((len(block), 1))
    for number in range(len(block)):
        rows, columns, entries = _forces(block, number)
        points = positions[block.members(number)]
        arms = entries[:, None] * (points[columns] - points[rows])
        forces = np.stack([np.bincount(rows, arms[:, axis]) for axis in range(3)], axis=1)
        values[number] = np.linalg.norm(forces - member_forces(block, number, points))
    return values


PLATE_BENDING = ConstraintType(
    name="plate_bending",
    particle_count=POOLED_ROW,
    parameters=("compliance relative to the one it was built with",),
    multiplier_count=1,
    project=project_plate_bending,
    evaluate=evaluate_plate_bending,
    scales=compliances(-1.0, "bending_stiffness"),
    nanoseconds=20000,
)


def build_plate_bending(
    positions: Floats,
    matrix: SparseRows,
    masses: Floats,
    h: float,
    damping_time: float = 0.0,
    every: int = 1,
    rest: RestCurvature | None = None,
    substeps: int = 1,
) -> ConstraintBlock:
    """Make a constraint of each connected piece of a cloth.

    Args:
        positions: at rest [m], shape (particles, 3).
        matrix: B [N/m], of all particles; rows that are empty are of particles that nothing bends.
        masses: [kg], shape (particles,), 0 for those that do not move by themselves.
        h: duration of a substep [s].
        damping_time: τ, at most [s].
        every: in every which substep it is solved.
        rest: what the rest shape adds; None where it is flat.
        substeps: of a frame.

    Returns:
        Pieces of which nothing moves are left out.
    """
    labels = connected_components(len(masses), np.stack([matrix.rows, matrix.columns], axis=1))
    bending = np.flatnonzero(np.diff(matrix.starts))
    order = bending[np.argsort(labels[bending], kind="stable")]
    sorted_matrix = matrix.among(order)
    bounds = np.flatnonzero(np.diff(labels[order], prepend=-1, append=-1))
    pools = []
    for first, last in itertools.pairwise(bounds.tolist()):
        piece = order[first:last]
        if (masses[piece] > 0.0).any():
            block = sorted_matrix.block(first, last)
            mine = _piece(positions[piece], block, masses[piece], every * h, damping_time)
            mine.extras[EVERY], mine.extras[SUBSTEPS] = every, substeps
            mine = replace(mine, members=piece[mine.members].astype(np.int32))
            pools.append(mine if rest is None else with_rest(mine, rest, (every * h) ** 2, len(masses)))
    if not pools:
        none = np.zeros(0, np.int32)
        empty = Pools(none, none, np.zeros(0))
        return ConstraintBlock(PLATE_BENDING, np.zeros((0, POOLED_ROW), np.int32), np.zeros((0, 1)), empty)
    rows, together = joined_pools([_row(mine) for mine in pools], pools)
    return ConstraintBlock(PLATE_BENDING, rows, np.ones((len(rows), 1)), together)


def _row(pools: Pools) -> npt.NDArray[np.int32]:
    members, extras, values = (np.array([len(part)]) for part in (pools.members, pools.extras, pools.values))
    return pooled_rows(members, extras, values)


def _piece(positions: Floats, matrix: SparseRows, masses: Floats, h: float, damping_time: float) -> Pools:
    """What the constraint of a piece reads; h is from solve to solve, the rest as for ``build_plate_bending``."""
    moving, still = np.flatnonzero(masses > 0.0), np.flatnonzero(masses <= 0.0)
    stiff = matrix.among(moving)
    own = np.arange(len(moving))
    system = SparseRows.summed(
        np.concatenate([stiff.rows, own]),
        np.concatenate([stiff.columns, own]),
        np.concatenate([h * (h + damping_time) * stiff.values, masses[moving]]),
        len(moving),
    )
    order, factor = factorize(system, positions[moving], LEAST_ENTRY)
    members = np.concatenate([moving[order], still])
    diagonals = factor.values[factor.starts[1:] - 1]
    forces = matrix.among(members).first(len(moving))
    parts = [_without_diagonal(part) for part in (forces, factor, factor.transposed())]
    firsts = np.cumsum([0, *(len(part.columns) for part in parts)])
    scales = np.stack([masses[moving[order]], 1.0 / diagonals], axis=1)
    return Pools(
        members=members.astype(np.int32),
        extras=np.concatenate(
            [
                [len(moving), 1, 0, 1],
                *(part.starts + first for part, first in zip(parts, firsts, strict=False)),
                *(part.columns for part in parts),
            ]
        ).astype(np.int32),
        values=np.concatenate(
            [np.zeros(2 * WORK * len(moving)), scales.ravel(), h * h * parts[0].values, *(p.values for p in parts[1:])]
        ),
    )


def _without_diagonal(part: SparseRows) -> SparseRows:
    rows = part.rows
    kept = rows != part.columns
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(part.starts) - 1))])
    return SparseRows(starts, part.columns[kept], part.values[kept])


def _forces(block: ConstraintBlock, number: int) -> tuple[Indices, Indices, Floats]:
    """Entries of h² B beside the diagonal, by members that move."""
    if block.pools is None:
        raise ValueError("plate bending without its pools")
    row = block.indices[number]
    extras, values = block.pools.extras[row[FIRST_EXTRA] :], block.pools.values[row[FIRST_VALUE] :]
    count = int(extras[0])
    starts = extras[STARTS : STARTS + count + 1].astype(np.int64)
    columns = extras[STARTS + 3 + 3 * count :][: starts[-1]].astype(np.int64)
    return np.repeat(np.arange(count), np.diff(starts)), columns, values[(2 * WORK + SCALES) * count :][: starts[-1]]
