# SPDX-License-Identifier: GPL-3.0-or-later
"""All fields at a point: what accelerates it, or how fast the air moves there."""

import taichi as ti

from . import FORCES
from .noise import random_share
from .site import field_site
from .tables import (
    ACTS_WEIGHT,
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
def field_value(external: ti.template(), f, s, x, velocity, number, h, weight, kinds: ti.template()):
    """What field ``f`` does to a point in substep ``s``, in metres, without its flow; and what of it gets there.

    The weight is a part of the falloff, as in Blender's ``effector_falloff``: a vortex of half the weight is one that
    turns half as fast, around which things circle, and what resists motion in a spring stays.

    Returns:
        ``value``, as ``ForceType.acceleration`` returns it, and ``falloff``.
    """
    ints, floats = ti.static(external.field_ints, external.field_floats)
    site = field_site(ints, floats, s, f, x)
    value = ti.Vector([0.0, 0.0, 0.0, 0.0])
    site.falloff *= weight
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
def forces_and_air(external: ti.template(), body, s, x, velocity, number, h, wants_air, kinds: ti.template()):
    """What all fields do to a point that belongs to a body, and how fast the air moves there.

    Args:
        external: pack with the fields.
        body: that fields may leave out.
        s: substep.
        x: of the point, relative to the system's origin [m].
        velocity: of the point [m/s].
        number: of the point, by which noise differs.
        h: of the substep [s].
        wants_air: whether the air is to be told too: it takes as long again.
        kinds: static mask of the kinds of ``FORCES`` that there are.

    Returns:
        ``acceleration`` [m/s²] by the body's weight with, as fourth component, the rate at which it takes motion away
        [1/s]; and ``air``, a velocity [m/s] whatever the weight, which is that of fields at what stands still.
    """
    acceleration, air = ti.Vector([0.0, 0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    fields, weight = external.field_ints.shape[0], external.acts[s, body, ACTS_WEIGHT]
    # what of a field is a force, then what is air: written once, for Taichi compiles functions wherever they are called
    for turn in range(fields * ti.select(wants_air, 2, 1)):
        f, is_air = turn % fields, turn // fields
        wind = external.field_floats[s, f, FIELD_WIND_FACTOR]
        share = external.field_weights[body, f] * ti.select(is_air == 1, wind, 1.0 - wind)
        if share > 0.0:
            of_all = ti.select(is_air == 1, 1.0, weight)
            found = field_value(external, f, s, x, (1.0 - is_air) * velocity, number, h, of_all, kinds)
            if is_air == 1:
                air += share * found.value.xyz
            else:
                acceleration += share * found.value
                # what resists motion has no flow beside, as in Blender
                kind = external.field_ints[f, FIELD_KIND]
                if kind != ti.static(_DAMPED[0]) and kind != ti.static(_DAMPED[1]):
                    rate = external.field_floats[s, f, FIELD_FLOW] * found.falloff * share
                    acceleration += ti.Vector([-rate * velocity[0], -rate * velocity[1], -rate * velocity[2], rate])
    return ti.Struct(acceleration=acceleration, air=air)


@ti.func
def air_velocity(external: ti.template(), body, s, x, number, h, kinds: ti.template()):
    """How fast the air moves at a point [m/s]; arguments as of ``forces_and_air``."""
    total, still = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
    for f in range(external.field_ints.shape[0]):
        share = external.field_weights[body, f] * external.field_floats[s, f, FIELD_WIND_FACTOR]
        if share > 0.0:
            total += share * field_value(external, f, s, x, still, number, h, 1.0, kinds).value.xyz
    return total
