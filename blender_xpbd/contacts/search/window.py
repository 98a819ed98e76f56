# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles will be until a window of substeps ends: boxes that travel with them."""

from typing import Any

import taichi as ti

from ...device.launch import launch
from .packs import VECTORS, Window


@ti.kernel
def fill_window(
    window: Window, places: VECTORS, speeds: VECTORS, gravity: VECTORS, duration: float, count: ti.i32, margin: float
):
    """Let each particle travel as it would without forces; see ``open_window``."""
    # what gravity adds in so many steps of symplectic Euler
    fallen = 0.5 * duration * duration * (1.0 + 1.0 / count)
    ti.loop_config(serialize=True)
    for i in range(places.shape[0]):
        p = places[i]
        travel = duration * speeds[i]
        if p[3] > 0.0:
            travel += fallen * gravity[0]
        window.window_starts[i] = ti.Vector([p[0], p[1], p[2], margin])
        window.window_travels[i] = travel


def open_window(window: Any, particles: Any, duration: float, count: int, margin: float) -> None:
    """Begin a window: each particle travels with its velocity, and with gravity where anything moves it.

    Args:
        window: pack of a ``PairSearch``.
        particles: pack or tuple with ``positions`` (w = inverse mass), ``velocities`` and ``gravity``.
        duration: of the window [s].
        count: substeps in it.
        margin: how far particles may be off that way, along each axis [m].
    """
    launch(
        fill_window,
        window,
        particles.positions,
        particles.velocities,
        particles.gravity,
        duration,
        count,
        float(margin),
    )
