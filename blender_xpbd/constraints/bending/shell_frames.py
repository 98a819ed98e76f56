# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of a curved rest shape in plate bending, in frames that turn with the cloth (``surface.rest_curvature``).

What a constraint has for them lies behind the rest of its extras and values. Extras: where its forces and its frames
begin, counted from the first value; stencils as member numbers; where the forces of each member that moves begin, and
in the frame of which member each is. Values: forces times h² [kg m], then working space for the frames.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...geometry.surface.rest_curvature import RestCurvature, vertex_frames
from ..constraint import DAMPED, ConstraintBlock
from ..lanes import cross, edge, place
from ..pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, MEMBERS, Pools

Floats = npt.NDArray[np.float64]

# places in the extras of a rest shape, and floats of a frame: three 4-vectors
FORCES, FRAMES, STENCILS = 0, 1, 2
FRAME = 12
# as in ``plate_bending``
EVERY, REST = 1, 2


@ti.func
def _ahead(particles: ti.template(), a, b, ahead, step, mode: ti.template()):
    """From particle b to particle a where they would be, as far ahead as the forces of bending act."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    arm, far = edge(positions[a], positions[b]), ahead
    if ti.static(mode & DAMPED):
        far += previous_positions[a][3] * step[2]
    if far > 0.0:
        arm += far * (arm - edge(previous_positions[a], previous_positions[b]))
    return arm


@ti.func
def turn_frames(particles: ti.template(), constraints: ti.template(), i, rest, step, mode: ti.template()):
    """Turn the frames of all members with the cloth."""
    indices = ti.static(constraints.indices)
    first, work = indices[i + FIRST_MEMBER], indices[i + FIRST_VALUE]
    ahead = ti.cast(indices[indices[i + FIRST_EXTRA] + EVERY], float) - 1.0
    for k in range(indices[i + MEMBERS]):
        stencil = rest + STENCILS + 4 * k
        p, q = indices[first + indices[stencil]], indices[first + indices[stencil + 1]]
        r, s = indices[first + indices[stencil + 2]], indices[first + indices[stencil + 3]]
        along = _ahead(particles, p, q, ahead, step, mode)
        normal = cross(along, _ahead(particles, r, s, ahead, step, mode))
        along /= ti.max(along.norm(), 1e-30)
        normal /= ti.max(normal.norm(), 1e-30)
        across = cross(normal, along)
        at = work + indices[rest + FRAMES] + FRAME * k
        for lane in ti.static(range(4)):
            constraints.parameters[at + lane] = ti.cast(along[lane], ti.f32)
            constraints.parameters[at + 4 + lane] = ti.cast(across[lane], ti.f32)
            constraints.parameters[at + 8 + lane] = ti.cast(normal[lane], ti.f32)


@ti.func
def rest_force(constraints: ti.template(), i, rest, k):
    """The force of the rest shape on member ``k``, times h² [kg m]."""
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    work, count = indices[i + FIRST_VALUE], indices[indices[i + FIRST_EXTRA]]
    starts = rest + STENCILS + 4 * indices[i + MEMBERS]
    total = ti.Vector([0.0, 0.0, 0.0, 0.0])
    for t in range(indices[starts + k], indices[starts + k + 1]):
        frame = place(work + indices[rest + FRAMES] + FRAME * indices[starts + count + 1 + t])
        force = place(work + indices[rest + FORCES] + 3 * t)
        for axis in ti.static(range(3)):
            for lane in ti.static(range(3)):
                total[lane] += parameters[force + axis] * parameters[frame + 4 * axis + lane]
    return total


def with_rest(pools: Pools, rest: RestCurvature, squared_step: float, count: int) -> Pools:
    """A piece of ``build_plate_bending`` with what its rest shape adds.

    Args:
        pools: of the piece, whose members are particles.
        rest: of all particles.
        squared_step: square of the time from solve to solve [s²].
        count: of the particles.
    """
    members, moving = pools.members, int(pools.extras[0])
    numbers = np.full(count, len(members))
    numbers[members] = np.arange(len(members))
    owners = numbers[rest.particles]
    order = np.argsort(owners, kind="stable")
    order = order[: int((owners < moving).sum())]
    if not len(order):
        return pools
    starts = np.searchsorted(owners[order], np.arange(moving + 1))
    forces = squared_step * rest.forces[order]
    first = len(pools.values)
    # those that bend nothing have no frame, and their stencil is of any member
    stencils = np.minimum(numbers[rest.stencils[members]], len(members) - 1)
    extras = pools.extras.copy()
    extras[REST] = len(extras)
    added = [[first, first + forces.size], stencils.ravel(), starts, numbers[rest.vertices[order]]]
    return Pools(
        members=members,
        extras=np.concatenate([extras, *added]).astype(np.int32),
        values=np.concatenate([pools.values, forces.ravel(), np.zeros(FRAME * len(members))]),
    )


def member_forces(block: ConstraintBlock, number: int, points: Floats) -> Floats:
    """``rest_force`` of the members that move, shape (moving, 3)."""
    if block.pools is None:
        raise ValueError("plate bending without its pools")
    row = block.indices[number]
    extras, values = block.pools.extras[row[FIRST_EXTRA] :], block.pools.values[row[FIRST_VALUE] :]
    moving, rest = int(extras[0]), extras[int(extras[REST]) :]
    if extras[REST] == 0:
        return np.zeros((moving, 3))
    stencils = rest[STENCILS:][: 4 * len(points)].reshape(-1, 4).astype(np.int64)
    starts = rest[STENCILS + 4 * len(points) :][: moving + 1]
    vertices = rest[STENCILS + 4 * len(points) + moving + 1 :][: starts[-1]]
    forces = values[rest[FORCES] :][: 3 * starts[-1]].reshape(-1, 3)
    turned = np.einsum("nij,nj->ni", vertex_frames(points, stencils)[vertices], forces)
    totals = np.zeros((moving, 3))
    np.add.at(totals, np.repeat(np.arange(moving), np.diff(starts)), turned)
    return totals
