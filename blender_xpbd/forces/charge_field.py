# SPDX-License-Identifier: GPL-3.0-or-later
"""Charge: all bodies are as particles of 1 C/kg to it. It grows with the distance, as in Blender."""

import taichi as ti

from .force_type import ForceType
from .site import with_rate


@ti.func
def charge_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    return with_rate(strength * site.falloff * site.to_point, 0.0)


CHARGE = ForceType("CHARGE", charge_acceleration)
