# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables of force fields and of what stands in the wind: triangles, then segments of strands."""

# of a field, whole numbers; the seeds are those of noise, another in each frame, and of eddies
FIELD_KIND, FIELD_SHAPE, FIELD_FALLOFF, FIELD_SIDE, FIELD_INVERSE_SQUARE, FIELD_SEED, FIELD_EDDY_SEED = range(7)
FIELD_INTS = 7
# of a field in a substep: where its origin is, and from where noise counts, both relative to the system's [m], its Z
# axis, the length in which all that follows is given [m], then as in ``scene.force``, but with an end for all
FIELD_ORIGIN, FIELD_AXIS, FIELD_NOISE_ORIGIN = range(0, 9, 3)
(
    FIELD_UNIT,
    FIELD_STRENGTH,
    FIELD_DAMPING,
    FIELD_FLOW,
    FIELD_WIND_FACTOR,
    FIELD_NOISE,
    FIELD_SIZE,
    FIELD_REST_LENGTH,
    FIELD_POWER,
    FIELD_LEAST,
    FIELD_GREATEST,
    FIELD_RADIAL_POWER,
    FIELD_LEAST_RADIUS,
    FIELD_GREATEST_RADIUS,
) = range(9, 23)
FIELD_WIDTH = 23
# of a triangle: the points at its corners, its body, and what it is; a segment has its second end twice
AIR_CORNERS, AIR_BODY, AIR_SHAPE = 0, 3, 4
# a closed surface has an inside that the wind does not reach
AIR_OPEN, AIR_CLOSED, AIR_SEGMENT = range(3)
# of a body in a substep: for how long fields and forces change its velocity [s], by what share fields act on it, its
# push [m/s²], and half of the air's density times its coefficients of drag and lift [kg/m³]
ACTS_FIELD, ACTS_FORCE, ACTS_WEIGHT, ACTS_PUSH, ACTS_DRAG, ACTS_LIFT = 0, 1, 2, 3, 6, 7
ACTS_WIDTH = 8
