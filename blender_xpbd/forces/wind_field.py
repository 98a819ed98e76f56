# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind: along the axis. What of it is air is told by its wind factor, see ``evaluate``."""

import taichi as ti

from .force_type import ForceType
from .site import with_rate


@ti.func
def wind_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    return with_rate(strength * site.falloff * site.axis, 0.0)


WIND = ForceType("WIND", wind_acceleration)
