# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs projections one by one, for tests of constraints."""

import numpy as np
import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.constraint import ACCUMULATE, DAMPED, PBD, ConstraintBlock
from blender_xpbd.device.host_memory import numpy_type
from blender_xpbd.device.packs import pack_type
from blender_xpbd.device.runtime import real_type
from blender_xpbd.solver.step.packs import FLOATS, INTS, VECTORS

# what projections read of the solver's packs
ProjectedParticles = pack_type(
    positions=VECTORS, previous_positions=VECTORS, orientations=VECTORS, previous_orientations=VECTORS
)
ProjectedConstraints = pack_type(indices=INTS, parameters=FLOATS, lagrange_multipliers=FLOATS)


@ti.kernel
def project_all(
    particles: ProjectedParticles,
    constraints: ProjectedConstraints,
    inverse_h2: float,
    iterations: ti.i32,
    count: ti.i32,
    kind: ti.template(),
    mode: ti.template(),
):
    ti.loop_config(serialize=True)
    for iteration in range(iterations):
        step = ti.Vector([inverse_h2, ti.cast(iteration > 0, float), ti.sqrt(inverse_h2), 0.0])
        for k in range(count):
            CONSTRAINTS[kind].project(
                particles,
                constraints,
                k * ti.static(CONSTRAINTS[kind].particle_count),
                k * ti.static(len(CONSTRAINTS[kind].parameters)),
                k * ti.static(CONSTRAINTS[kind].slots(mode)),
                step,
                mode,
            )


def projected(
    block: ConstraintBlock,
    positions,
    inverse_masses,
    inverse_h2=1.0,
    iterations=1,
    pbd=False,
    previous=None,
    damping=0.0,
    once=False,
    turn=(1.0, 0.0, 0.0, 0.0),
):
    """Positions (particles, 3) and multipliers (constraints, rows) after Gauss-Seidel over the block.

    Orientations begin with ``turn``. With ``once`` multipliers are not kept, as where a substep has a single iteration.
    """
    real = numpy_type(real_type())
    vector = ti.types.vector(4, real_type())
    packed = ti.ndarray(vector, len(positions))
    packed.from_numpy(np.concatenate([positions, np.asarray(inverse_masses)[:, None]], axis=1).astype(real))
    past = ti.ndarray(vector, len(positions))
    start = positions if previous is None else previous
    past.from_numpy(np.concatenate([start, np.full((len(start), 1), damping)], axis=1).astype(real))
    block = block.prepared(np.asarray(inverse_masses, np.float64))
    mode = (0 if once else ACCUMULATE) | (PBD if pbd else 0) | (DAMPED if damping else 0)
    slots = np.zeros((len(block), block.type.slots(mode)))
    if block.type.memory and damping:
        # of several iterations, the last of the substep before counts
        slots[:, -block.type.memory :] = block.type.evaluate(start, block)[:, : block.type.memory]
    arrays = []
    for values, dtype, kind in (
        (block.flat_indices(0, 0), np.int32, ti.i32),
        (block.flat_parameters(), np.float32, ti.f32),
        (slots, real, real_type()),
    ):
        array = ti.ndarray(kind, values.size)
        array.from_numpy(values.ravel().astype(dtype))
        arrays.append(array)
    number = CONSTRAINTS.index(block.type)
    # an orientation for each particle, as many as any constraint of so many has
    turns = [ti.ndarray(vector, len(positions)) for _ in range(2)]
    for array in turns:
        array.from_numpy(np.tile(turn, (len(positions), 1)).astype(real))
    particles = ProjectedParticles(
        positions=packed, previous_positions=past, orientations=turns[0], previous_orientations=turns[1]
    )
    constraints = ProjectedConstraints(*arrays)
    project_all(particles, constraints, inverse_h2, iterations, len(block), number, mode)
    multipliers = arrays[2].to_numpy().reshape(len(block), -1)[:, : block.type.multiplier_count]
    return packed.to_numpy()[:, :3], multipliers
