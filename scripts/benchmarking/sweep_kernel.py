# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel of ``constraint_cases``."""

import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.solver.kernels import FLOATS, INTS, VECTORS


@ti.kernel
def sweep(  # noqa: ANN201
    positions: VECTORS,
    previous_positions: VECTORS,
    indices: INTS,
    parameters: FLOATS,
    multipliers: FLOATS,
    count: ti.i32,
    sweeps: ti.i32,
    inverse_h: float,
    kind: ti.template(),
):
    """Project every constraint of a kind, in the mode of one iteration per substep, as the solver does."""
    ti.loop_config(serialize=True)
    for _ in range(sweeps):
        step = ti.Vector([inverse_h * inverse_h, 0.0, inverse_h])
        for k in range(count):
            CONSTRAINTS[kind].project(
                positions,
                previous_positions,
                indices,
                parameters,
                multipliers,
                k * ti.static(CONSTRAINTS[kind].particle_count),
                k * ti.static(len(CONSTRAINTS[kind].parameters)),
                k * ti.static(CONSTRAINTS[kind].multiplier_count),
                step,
                0,
            )
