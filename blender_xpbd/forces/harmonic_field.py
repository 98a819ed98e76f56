# SPDX-License-Identifier: GPL-3.0-or-later
"""Harmonic: a spring of which the strength is the square of the angular frequency, with a share of critical damping."""

import taichi as ti

from .force_type import ForceType
from .site import unit, with_rate


@ti.func
def harmonic_acceleration(site, velocity, strength, damping, h):
    """As ``ForceType.acceleration``."""
    pulled = site.to_point
    if site.rest_length > 0.0:
        pulled = (site.distance - site.rest_length) * unit(site.to_point)
    rate = 2.0 * damping * ti.sqrt(ti.abs(strength))
    return with_rate(-strength * site.falloff * pulled - rate * velocity, ti.max(rate, 0.0))


HARMONIC = ForceType("HARMONIC", harmonic_acceleration)
