# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of frames in which nothing comes near, see ``clear_frames``."""

import taichi as ti

from ..acts.near_functions import is_for_colliders
from ..windows.clear_functions import is_clear, open_ways
from .packs import FLOATS, INTS, Pairs, Particles


@ti.kernel
def open_window(pairs: Pairs, most_bent: FLOATS, answer: INTS, first: ti.i32, last: ti.i32):
    """Lay out boxes as ``open_ways`` does; its answer is the first one."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        answer[0] = open_ways(pairs, first, last, most_bent)


@ti.kernel
def check_pairs(
    particles: Particles,
    pairs: Pairs,
    answer: INTS,
    count: ti.i32,
    first: ti.i32,
    last: ti.i32,
    embeds: ti.template(),
):
    """Whether the listed pairs stayed clear from one note to a later one: the second answer is 1."""
    ti.loop_config(serialize=True)
    for _ in range(1):
        n = 0
        while n < count:
            is_held = is_for_colliders(particles, pairs, n)
            if is_clear(pairs, n, is_held, first, last, embeds):
                n += 1
            else:
                # ends the loop with another number than the count
                n = count + 1
        answer[1] = ti.cast(n == count, ti.i32)
