# SPDX-License-Identifier: GPL-3.0-or-later
"""Magnetic: a = v × B, with the axis, or around it for the shapes Point and Line.

The velocity is turned as a whole (Boris 1970, "Relativistic plasma simulation"), so that no speed is won by it.
"""

import taichi as ti

from .force_type import ForceType
from .site import PLANE, unit, with_rate


@ti.func
def magnet_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    direction = unit(ti.select(site.shape == PLANE, site.axis, site.axis.cross(site.to_point)))
    half = (0.5 * h * strength * site.falloff) * direction
    turned = velocity + velocity.cross(half)
    return with_rate((2.0 / (1.0 + half.dot(half)) / h) * turned.cross(half), 0.0)


MAGNET = ForceType("MAGNET", magnet_acceleration)
