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
    place, noise = site.noise_place, ti.Vector([0.0, 0.0, 0.0])
    # as in Blender, the same noise with its axes exchanged
    for axis in range(3):
        value = turbulent_noise(place[0], place[1], place[2], site.seed)
        noise += value * ti.Vector([1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)])
        place = ti.Vector([place[1], place[2], place[0]])
    return with_rate(strength * site.falloff * noise, 0.0)


TURBULENCE = ForceType("TURBULENCE", turbulence_acceleration)
