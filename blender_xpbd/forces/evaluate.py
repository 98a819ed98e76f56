# SPDX-License-Identifier: GPL-3.0-or-later
"""All fields at a point: what accelerates it, or how fast the air moves there."""

import taichi as ti

from . import FORCES
from .noise import random_share
from .site import field_site
from .tables import (
    FIELD_DAMPING,
    FIELD_FLOW,
    FIELD_KIND,
    FIELD_NOISE,
    FIELD_SEED,
    FIELD_STRENGTH,
    FIELD_UNIT,
    FIELD_WIND_FACTOR,
)

_KINDS = tuple(kind.name for kind in FORCES)
_DAMPED = (_KINDS.index("HARMONIC"), _KINDS.index("DRAG"))


@ti.func
def field_value(outer: ti.template(), f, s, x, velocity, number, h, kinds: ti.template()):
    """What field ``f`` does to a point in substep ``s``, in metres, without its flow; and what of it gets there.

    Returns:
        ``value``, as ``ForceType.acceleration`` returns it, and ``falloff``.
    """
    ints, floats = ti.static(outer.field_ints, outer.field_floats)
    site = field_site(ints, floats, s, f, x)
    value = ti.Vector([0.0, 0.0, 0.0, 0.0])
    if site.falloff > 0.0:
        unit, kind = floats[s, f, FIELD_UNIT], ints[f, FIELD_KIND]
        strength, damping, noise = floats[s, f, FIELD_STRENGTH], floats[s, f, FIELD_DAMPING], floats[s, f, FIELD_NOISE]
        if noise > 0.0:
            strength += noise * random_share(number, ints[f, FIELD_SEED], 0)
            if kind == ti.static(_DAMPED[0]) or kind == ti.static(_DAMPED[1]):
                damping += noise * random_share(number, ints[f, FIELD_SEED], 1)
        for n in ti.static(range(len(FORCES))):
            if ti.static((kinds >> n) & 1):
                if kind == n:
                    value = FORCES[n].acceleration(site, velocity / unit, strength, damping, h)
        for axis in ti.static(range(3)):
            value[axis] *= unit
    return ti.Struct(value=value, falloff=site.falloff)


@ti.func
def accelerations(outer: ti.template(), body, s, x, velocity, number, h, kinds: ti.template()):
    """How all fields accelerate a point that belongs to a body [m/s²], and the rate at which they take motion [1/s].

    Args:
        outer: pack with the fields.
        body: that fields may leave out.
        s: substep.
        x: of the point, relative to the system's origin [m].
        velocity: of the point [m/s].
        number: of the point, by which noise differs.
        h: of the substep [s].
        kinds: static mask of the kinds of ``FORCES`` that there are.
    """
    total = ti.Vector([0.0, 0.0, 0.0, 0.0])
    for f in range(outer.field_ints.shape[0]):
        weight, share = outer.field_weights[body, f], 1.0 - outer.field_floats[s, f, FIELD_WIND_FACTOR]
        if weight * share > 0.0:
            found = field_value(outer, f, s, x, velocity, number, h, kinds)
            total += weight * share * found.value
            # what resists motion has no flow beside, as in Blender
            kind = outer.field_ints[f, FIELD_KIND]
            if kind != ti.static(_DAMPED[0]) and kind != ti.static(_DAMPED[1]):
                rate = outer.field_floats[s, f, FIELD_FLOW] * found.falloff * weight * share
                total += ti.Vector([-rate * velocity[0], -rate * velocity[1], -rate * velocity[2], rate])
    return total


@ti.func
def air_velocity(outer: ti.template(), body, s, x, number, h, kinds: ti.template()):
    """How fast the air moves at a point [m/s]; arguments as of ``accelerations``."""
    total, still = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for f in range(outer.field_ints.shape[0]):
        share = outer.field_weights[body, f] * outer.field_floats[s, f, FIELD_WIND_FACTOR]
        if share > 0.0:
            total += share * field_value(outer, f, s, x, still, number, h, kinds).value.xyz
    return total
