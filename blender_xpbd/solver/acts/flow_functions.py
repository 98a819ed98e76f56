# SPDX-License-Identifier: GPL-3.0-or-later
"""Plastic flow at the end of a substep: each constraint writes to its own parameters alone; packs as in ``packs``."""

import taichi as ti

from ...constraints import CONSTRAINTS
from ...device.apart import apart
from ..system.plasticity import CREEP


@ti.func
def flow_row(particles: ti.template(), constraints: ti.template(), row, h, kind: ti.template()):
    """Let a constraint of a type flow for a substep of ``h`` seconds."""
    rows, limits = ti.static(constraints.flow_rows, constraints.flow_limits)
    body = rows[row, 2]
    limit = limits[body, rows[row, 3]] * constraints.flow_scales[row]
    if limit > 0.0:
        given = ti.Vector([limit, limits[body, CREEP] * h])
        CONSTRAINTS[kind].flow.project(particles, constraints, rows[row, 0], rows[row, 1], given)


@apart
def flow_share(particles: ti.template(), constraints: ti.template(), turn, turns, h, kinds: ti.template()):
    """Let one of ``turns`` equal shares of the constraints of each type flow; ``kinds`` is a mask of types."""
    for kind in ti.static(range(len(CONSTRAINTS))):
        if ti.static((kinds >> kind) & 1):
            start = constraints.flow_starts[kind]
            count = constraints.flow_starts[kind + 1] - start
            for row in range(start + count * turn // turns, start + count * (turn + 1) // turns):
                flow_row(particles, constraints, row, h, kind)
