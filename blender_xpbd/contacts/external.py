# SPDX-License-Identifier: GPL-3.0-or-later
"""What accelerates a particle in a substep without being touched, for what tells a hit from rest."""

import taichi as ti


@ti.func
def external_acceleration(particles: ti.template(), i, h, variant: ti.template()):
    """Gravity, and with fields, air or pushes also what they do to particle ``i`` [m/s²]."""
    total = particles.gravity[i].xyz
    if ti.static(variant.is_forced):
        total += particles.pushes[i].xyz / (variant.step_share * h)
    return total
