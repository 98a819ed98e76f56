# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag: a = −(q |v| + k) v, with q the strength and k the damping, both at most 2 as in Blender."""

import taichi as ti

from .force_type import ForceType
from .site import with_rate


@ti.func
def drag_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    speed = velocity.norm()
    square, share = ti.min(strength, 2.0) * site.falloff, ti.min(damping, 2.0) * site.falloff
    return with_rate(-(square * speed + share) * velocity, ti.max(2.0 * square * speed + share, 0.0))


DRAG = ForceType("DRAG", drag_acceleration)
