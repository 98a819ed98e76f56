# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles under constant forces, brought to rest: backward Euler that forgets its velocities."""

import numpy as np
import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.constraint import PBD
from blender_xpbd.solver.step.packs import VECTORS
from tests.constraints.projection_kernel import ProjectedConstraints, ProjectedParticles

VECTOR4 = ti.types.vector(4, ti.f64)


@ti.kernel
def settle_kernel(
    particles: ProjectedParticles,
    constraints: ProjectedConstraints,
    offsets: VECTORS,
    inverse_h2: ti.f64,
    steps: ti.i32,
    count: ti.i32,
    kind: ti.template(),
    mode: ti.template(),
):
    ti.loop_config(serialize=True)
    for _ in range(steps):
        for i in range(offsets.shape[0]):
            particles.positions[i] += offsets[i]
        step = ti.Vector([inverse_h2, 0.0, ti.sqrt(inverse_h2), 0.0])
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


def settle(block, start, forces, inverse_masses, h, steps, pbd=False):
    """Positions [m], shape (particles, 3), after steps of h [s] under forces [N], shape (particles, 3)."""
    weights = np.asarray(inverse_masses)[:, None]
    block = block.prepared(np.asarray(inverse_masses, np.float64))
    arrays = []
    for values in (np.concatenate([start, weights], axis=1), np.pad(h**2 * weights * forces, ((0, 0), (0, 1)))):
        arrays.append(ti.ndarray(VECTOR4, len(values)))
        arrays[-1].from_numpy(values.astype(np.float64))
    for values, kind in ((block.indices, ti.i32), (block.parameters, ti.f32)):
        arrays.append(ti.ndarray(kind, values.size))
        arrays[-1].from_numpy(values.ravel().astype(np.int32 if kind is ti.i32 else np.float32))
    arrays.append(ti.ndarray(ti.f64, len(block) * block.type.slots(0)))
    number = CONSTRAINTS.index(block.type)
    positions, offsets, *values = arrays
    # nothing that settles here has orientations
    particles = ProjectedParticles(
        positions=positions,
        previous_positions=positions,
        orientations=positions,
        previous_orientations=positions,
    )
    settle_kernel(
        particles, ProjectedConstraints(*values), offsets, 1.0 / h**2, steps, len(block), number, PBD if pbd else 0
    )
    return positions.to_numpy()[:, :3]
