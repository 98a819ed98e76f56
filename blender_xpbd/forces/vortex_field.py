# SPDX-License-Identifier: GPL-3.0-or-later
"""Vortex: around the axis.

Of the shape Point it drives in circles that widen. Else a = ω × (ω × r) + ω × r − v: what moves with the angular
velocity ω keeps its circle, and what does not is brought to it within about a second.
"""

import taichi as ti

from .force_type import ForceType
from .site import POINT, unit, with_rate


@ti.func
def vortex_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    amount = strength * site.falloff
    acceleration, rate = ti.Vector([0.0, 0.0, 0.0]), 0.0
    if site.shape == POINT:
        acceleration = amount * site.distance * unit(site.axis.cross(site.to_point))
    else:
        speed = amount * site.axis.cross(site.from_origin)
        acceleration, rate = amount * site.axis.cross(speed) + speed - velocity, 1.0
    return with_rate(acceleration, rate)


VORTEX = ForceType("VORTEX", vortex_acceleration)
