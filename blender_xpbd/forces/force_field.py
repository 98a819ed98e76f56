# SPDX-License-Identifier: GPL-3.0-or-later
"""Force: away from the point, line or plane; as gravitation with the inverse square of the distance too."""

import taichi as ti

from .force_type import ForceType
from .site import unit, with_rate


@ti.func
def force_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    amount = strength * site.falloff
    if site.inverse_square > 0:
        amount = ti.select(site.distance > 1e-6, amount / ti.max(site.distance * site.distance, 1e-12), 0.0)
    return with_rate(amount * unit(site.to_point), 0.0)


FORCE = ForceType("FORCE", force_acceleration)
