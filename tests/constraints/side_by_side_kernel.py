# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps over tetrahedra eight at a time, and one after the other, for a test of both."""

import taichi as ti

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.neo_hookean import NEO_HOOKEAN
from blender_xpbd.constraints.neo_hookean_single import project_neo_hookean_once
from blender_xpbd.device.packs import pack_type
from blender_xpbd.solver.acts.functions import project_task
from blender_xpbd.solver.step.packs import FLOATS, INT_TABLE, INTS, VECTORS

SweptParticles = pack_type(positions=VECTORS, previous_positions=VECTORS, corrections=VECTORS)
SweptConstraints = pack_type(indices=INTS, parameters=FLOATS, lagrange_multipliers=FLOATS, table=INT_TABLE)
SweptOrder = pack_type(segments=INT_TABLE, segment_starts=INT_TABLE)


@ti.kernel
def sweep(
    particles: SweptParticles,
    constraints: SweptConstraints,
    order: SweptOrder,
    inverse_h: float,
    mode: ti.template(),
    one_by_one: ti.template(),
):
    ti.loop_config(serialize=True)
    for _ in range(1):
        step = ti.Vector([inverse_h * inverse_h, 0.0, inverse_h, 0.0])
        kind = ti.static(CONSTRAINTS.index(NEO_HOOKEAN))
        if ti.static(one_by_one):
            for k in range(constraints.table[kind, 0]):
                slots, columns = ti.static(NEO_HOOKEAN.slots(mode), len(NEO_HOOKEAN.parameters))
                project_neo_hookean_once(particles, constraints, 4 * k, columns * k, slots * k, step, mode)
        else:
            for task in range(order.segment_starts.shape[0]):
                project_task(particles, constraints, order, task, step, mode, ti.static(1 << kind))
