# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel of ``constraint_cases``."""

import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.device.packs import pack_type
from blender_xpbd.solver.step.packs import FLOATS, INTS, VECTORS

# what projections read of the solver's packs
SweptParticles = pack_type(positions=VECTORS, previous_positions=VECTORS)
SweptConstraints = pack_type(indices=INTS, parameters=FLOATS, lagrange_multipliers=FLOATS)


@ti.kernel
def sweep(  # noqa: ANN201
    particles: SweptParticles,
    constraints: SweptConstraints,
    count: ti.i32,
    sweeps: ti.i32,
    inverse_h: float,
    kind: ti.template(),
):
    """Project every constraint of a kind, in the mode of one iteration per substep, as the solver does."""
    ti.loop_config(serialize=True)
    for _ in range(sweeps):
        step = ti.Vector([inverse_h * inverse_h, 0.0, inverse_h, 0.0])
        for k in range(count):
            CONSTRAINTS[kind].project(
                particles,
                constraints,
                k * ti.static(CONSTRAINTS[kind].particle_count),
                k * ti.static(len(CONSTRAINTS[kind].parameters)),
                k * ti.static(CONSTRAINTS[kind].multiplier_count),
                step,
                0,
            )
