# SPDX-License-Identifier: GPL-3.0-or-later
"""What points and triangles have to do with each other at one moment. A triangle is a, b − a and c − a."""

import taichi as ti

# a distance that is none
NO_CONTACT = 1e30


@ti.func
def triple(floats: ti.template(), at):
    """Three numbers of an array as a vector."""
    return ti.math.vec3(floats[at], floats[at + 1], floats[at + 2])


@ti.func
def is_finite(number):
    """Whether a number is, by its bits: compilers that assume finite arithmetic remove comparisons."""
    return (ti.bit_cast(ti.cast(number, ti.f32), ti.i32) & 0x7F800000) != 0x7F800000


@ti.func
def barycentric(normal, inverse_norm, ab, ac, offset):
    """Weights of b and c at ``offset`` from a. By cross products: dot products cancel out in slivers.

    Args:
        normal: unit normal.
        inverse_norm: of (b − a) × (c − a) [1/m²].
        ab: b − a [m].
        ac: c − a [m].
        offset: from a [m].
    """
    v = normal.dot(offset.cross(ac)) * inverse_norm
    w = normal.dot(ab.cross(offset)) * inverse_norm
    return v, w


@ti.func
def _clamped_part(along, square):
    return ti.math.clamp(along / square, 0.0, 1.0)


@ti.func
def closest_on_triangle(normal, inverse_norm, ab, ac, offset):
    """Closest point of a triangle and the feature it is on; arguments as of ``barycentric``.

    Returns:
        (vector from the closest point to the point at ``offset`` from a [m], feature); features are the face, the edges
        ab, bc, ca, and the vertices a, b, c.
    """
    v, w = barycentric(normal, inverse_norm, ab, ac, offset)
    nearest, feature = ti.math.vec3(0.0), 0
    if v >= 0.0 and w >= 0.0 and v + w <= 1.0:
        nearest = normal.dot(offset) * normal
    else:
        part = _clamped_part(ab.dot(offset), ab.dot(ab))
        nearest = offset - part * ab
        feature = 1 if part > 0.0 and part < 1.0 else (4 if part <= 0.0 else 5)
        part = _clamped_part(ac.dot(offset), ac.dot(ac))
        other = offset - part * ac
        if other.norm_sqr() < nearest.norm_sqr():
            nearest = other
            feature = 3 if part > 0.0 and part < 1.0 else (4 if part <= 0.0 else 6)
        bc, from_b = ac - ab, offset - ab
        part = _clamped_part(bc.dot(from_b), bc.dot(bc))
        other = from_b - part * bc
        if other.norm_sqr() < nearest.norm_sqr():
            nearest = other
            feature = 2 if part > 0.0 and part < 1.0 else (5 if part <= 0.0 else 6)
    return ti.math.vec4(nearest.x, nearest.y, nearest.z, ti.cast(feature, ti.f32))
