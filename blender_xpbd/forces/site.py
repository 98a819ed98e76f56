# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a point is in a field, and what of the field reaches it: as ``get_effector_data`` and ``effector_falloff`` of
Blender's ``effect.cc``.
"""

import taichi as ti

from ..scene.force import FALLOFF_KINDS, FORCE_SHAPES, FORCE_SIDES
from .tables import (
    FIELD_AXIS,
    FIELD_EDDY_SEED,
    FIELD_FALLOFF,
    FIELD_GREATEST,
    FIELD_GREATEST_RADIUS,
    FIELD_INVERSE_SQUARE,
    FIELD_LEAST,
    FIELD_LEAST_RADIUS,
    FIELD_NOISE_ORIGIN,
    FIELD_ORIGIN,
    FIELD_POWER,
    FIELD_RADIAL_POWER,
    FIELD_REST_LENGTH,
    FIELD_SHAPE,
    FIELD_SIDE,
    FIELD_SIZE,
    FIELD_UNIT,
)

POINT, LINE, PLANE = range(len(FORCE_SHAPES))
SPHERE, TUBE, CONE = range(len(FALLOFF_KINDS))
BOTH, POSITIVE, NEGATIVE = range(len(FORCE_SIDES))


@ti.func
def column_vector(floats: ti.template(), s, f, column: ti.template()):
    """Three columns of field ``f`` in substep ``s``."""
    return ti.Vector([floats[s, f, column], floats[s, f, column + 1], floats[s, f, column + 2]])


@ti.func
def faded(distance, least, greatest, power):
    """What is left of a field at a distance."""
    share = 1.0
    if distance > greatest:
        share = 0.0
    elif distance >= least and power != 0.0:
        share = ti.pow(1.0 + distance - least, -power)
    return share


@ti.func
def field_site(ints: ti.template(), floats: ti.template(), s, f, x):
    """Where a point is in field ``f`` in substep ``s``, in the field's unit of length.

    Args:
        ints: of the fields, columns as in ``tables``.
        floats: likewise, of each substep.
        s: substep.
        f: field.
        x: of the point, relative to the system's origin [m].

    Returns:
        ``axis``, a unit vector; ``to_point`` from the point, line or plane that distances are measured from, and
        ``distance`` along it; ``from_origin``; ``falloff``, the share of the field that is left; its ``shape``,
        ``rest_length`` and ``inverse_square``; ``noise_place``, of turbulence, and its ``seed``.
    """
    scale = 1.0 / floats[s, f, FIELD_UNIT]
    shape = ints[f, FIELD_SHAPE]
    axis = column_vector(floats, s, f, FIELD_AXIS)
    from_origin = (x - column_vector(floats, s, f, FIELD_ORIGIN)) * scale
    along = from_origin.dot(axis)
    to_point = from_origin
    if shape == PLANE:
        to_point = along * axis
    elif shape == LINE:
        to_point = from_origin - along * axis
    distance = to_point.norm()
    side, falloff = ints[f, FIELD_SIDE], 1.0
    if (side == POSITIVE and along < 0.0) or (side == NEGATIVE and along > 0.0):
        falloff = 0.0
    else:
        kind = ints[f, FIELD_FALLOFF]
        reach = distance
        if kind != SPHERE:
            reach = ti.abs(along)
        falloff = faded(reach, floats[s, f, FIELD_LEAST], floats[s, f, FIELD_GREATEST], floats[s, f, FIELD_POWER])
        radius = 0.0
        if kind == TUBE:
            radius = (from_origin - along * axis).norm()
        if kind == CONE:
            cosine = ti.math.clamp(along / ti.max(from_origin.norm(), 1e-20), -1.0, 1.0)
            radius = ti.acos(cosine) * ti.static(180.0 / ti.math.pi)
        if kind != SPHERE:
            least, greatest = floats[s, f, FIELD_LEAST_RADIUS], floats[s, f, FIELD_GREATEST_RADIUS]
            falloff *= faded(radius, least, greatest, floats[s, f, FIELD_RADIAL_POWER])
    size = floats[s, f, FIELD_SIZE]
    place = (x - column_vector(floats, s, f, FIELD_NOISE_ORIGIN)) * (scale / ti.select(size > 0.0, size, 1.0))
    return ti.Struct(
        axis=axis,
        to_point=to_point,
        distance=distance,
        from_origin=from_origin,
        falloff=falloff,
        shape=shape,
        rest_length=floats[s, f, FIELD_REST_LENGTH],
        inverse_square=ints[f, FIELD_INVERSE_SQUARE],
        noise_place=place,
        seed=ints[f, FIELD_EDDY_SEED],
    )


@ti.func
def unit(vector):
    """A vector of length 1, or 0 where there is none."""
    return vector / ti.max(vector.norm(), 1e-20)


@ti.func
def with_rate(vector, rate):
    """An acceleration and the rate at which it takes motion away, as ``ForceType.acceleration`` returns them."""
    return ti.Vector([vector[0], vector[1], vector[2], rate])
