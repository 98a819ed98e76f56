# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel of ``constraint_cases``."""

import taichi as ti

from blender_xpbd.device.packs import pack_type
from blender_xpbd.solver.acts.functions import project_task
from blender_xpbd.solver.step.packs import FLOATS, INT_TABLE, INTS, VECTORS

# what projections read of the solver's packs
SweptParticles = pack_type(positions=VECTORS, previous_positions=VECTORS)
SweptConstraints = pack_type(indices=INTS, parameters=FLOATS, lagrange_multipliers=FLOATS, table=INT_TABLE)
SweptOrder = pack_type(segments=INT_TABLE, segment_starts=INT_TABLE)


@ti.kernel
def sweep(  # noqa: ANN201
    particles: SweptParticles,
    constraints: SweptConstraints,
    order: SweptOrder,
    sweeps: ti.i32,
    inverse_h: float,
    used: ti.template(),
):
    """Project every constraint of a mask of types, in the mode of one iteration per substep, as the solver does."""
    ti.loop_config(serialize=True)
    for _ in range(sweeps):
        step = ti.Vector([inverse_h * inverse_h, 0.0, inverse_h, 0.0])
        for task in range(order.segment_starts.shape[0]):
            project_task(particles, constraints, order, task, step, 0, used)
