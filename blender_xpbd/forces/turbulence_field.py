# SPDX-License-Identifier: GPL-3.0-or-later
"""Turbulence: three octaves of noise along each axis, which stand still.

Blender takes the same noise of another table, so that eddies are as large and as strong but stand elsewhere.
"""

import taichi as ti

from .force_type import ForceType
from .noise import turbulent_noise
from .site import with_rate


@ti.func
def turbulence_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    x, y, z = site.noise_place[0], site.noise_place[1], site.noise_place[2]
    # as in Blender, the same noise with its axes exchanged
    noise = ti.Vector(
        [
            turbulent_noise(x, y, z, site.seed),
            turbulent_noise(y, z, x, site.seed),
            turbulent_noise(z, x, y, site.seed),
        ]
    )
    return with_rate(strength * site.falloff * noise, 0.0)


TURBULENCE = ForceType("TURBULENCE", turbulence_acceleration)
