# SPDX-License-Identifier: GPL-3.0-or-later
"""Bundles of chains that are taut: they pull along where they are, and resist turns; see ``rod_system.is_too_taut``."""

import taichi as ti

from ..pools import FIRST_EXTRA, FIRST_VALUE
from ..side_by_side import LANES, fetch, keep
from .chain_tables import AT_EDGES, AT_ROOT, EDGE_VALUES, EDGES, LENGTH, PULL, PULLED, RESIST, TAUT, WAY
from .rod_system import is_remembered, is_too_taut


@ti.func
def recall_tautness(constraints: ti.template(), i, step, reckoned: ti.template()):
    """How taut strands were in the substep before; 0 in the first one of a frame."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    root = indices[i + FIRST_VALUE] + indices[indices[i + FIRST_EXTRA] + AT_ROOT]
    if is_remembered(step):
        fetch(values, root + TAUT * LANES, reckoned, 1)


@ti.func
def tighten(constraints: ti.template(), i, taut: ti.template(), reckoned: ti.template()):
    """Let strands that are too taut pull along where they are, and resist turns; whether there are any."""
    indices, values = ti.static(constraints.indices, constraints.parameters)
    extras, first = indices[i + FIRST_EXTRA], indices[i + FIRST_VALUE]
    pulled, length = ti.Vector.zero(float, LANES), ti.Vector.zero(float, LANES)
    known = ti.Vector.zero(float, (RESIST + 1 - WAY) * LANES)
    found = 0
    for lane in range(LANES):
        if is_too_taut(taut[lane], reckoned[lane]):
            found = 1
    if found == 1:
        for e in range(indices[extras + EDGES]):
            edge = first + indices[extras + AT_EDGES] + e * EDGE_VALUES * LANES
            fetch(values, edge + PULLED * LANES, pulled, 1)
            fetch(values, edge + LENGTH * LANES, length, 1)
            fetch(values, edge + WAY * LANES, known, RESIST + 1 - WAY)
            for lane in range(LANES):
                is_tightened = is_too_taut(taut[lane], reckoned[lane])
                for axis in ti.static(range(3)):
                    place = ti.static((PULL - WAY + axis) * LANES) + lane
                    known[place] = ti.select(is_tightened, known[axis * LANES + lane], known[place])
                resist, place = ti.abs(pulled[lane]) / length[lane], ti.static((RESIST - WAY) * LANES) + lane
                known[place] = ti.select(is_tightened, resist, known[place])
            keep(values, edge + WAY * LANES, known, RESIST + 1 - WAY)
    return found
