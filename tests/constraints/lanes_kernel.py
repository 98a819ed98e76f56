# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of lanes from arrays and back, for a test."""

import taichi as ti

from blender_xpbd.constraints.side_by_side import LANES, fetch_after, gather, keep_after
from blender_xpbd.solver.step.packs import FLOATS, INTS, VECTORS


@ti.kernel
def copy_rows(source: FLOATS, target: FLOATS, first: int):
    """The rows 1 and 2 of four, to where they come from."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        lanes = ti.Vector.zero(float, 4 * LANES)
        fetch_after(source, first, lanes, 1, 3)
        keep_after(target, first, lanes, 0, 4)


@ti.kernel
def gather_rows(source: VECTORS, indices: INTS, target: FLOATS, first: int, count: int):
    """Vectors of ``count`` strands as the rows 1 to 4 of five."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        lanes = ti.Vector.zero(float, 5 * LANES)
        gather(source, indices, first, count, lanes, 1)
        keep_after(target, 0, lanes, 0, 5)
