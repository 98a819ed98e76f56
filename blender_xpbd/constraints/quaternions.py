# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic on quaternions (w, x, y, z)."""

import taichi as ti


@ti.func
def product(a, b):
    """The quaternion of the rotation b, then a."""
    u, v = ti.Vector([a[1], a[2], a[3]]), ti.Vector([b[1], b[2], b[3]])
    w = a[0] * b[0] - u.dot(v)
    xyz = a[0] * v + b[0] * u + u.cross(v)
    return ti.Vector([w, xyz[0], xyz[1], xyz[2]])


@ti.func
def conjugate(q):
    """The inverse of a unit quaternion."""
    return ti.Vector([q[0], -q[1], -q[2], -q[3]])


@ti.func
def rotated(q, v):
    """A 3-vector rotated by a unit quaternion."""
    u = ti.Vector([q[1], q[2], q[3]])
    doubled = 2.0 * u.cross(v)
    return v + q[0] * doubled + u.cross(doubled)


@ti.func
def carried(q, old, new):
    """A unit quaternion turned by the least rotation that takes one unit vector to another (parallel transport)."""
    cosine = old.dot(new)
    axis = old.cross(new)
    if cosine < -0.999999:
        # half a turn, about any axis across
        other = ti.Vector([1.0, 0.0, 0.0])
        if ti.abs(old[0]) > 0.7:
            other = ti.Vector([0.0, 1.0, 0.0])
        axis = old.cross(other).normalized()
        cosine = -1.0
    turn = ti.Vector([1.0 + cosine, axis[0], axis[1], axis[2]])
    result = product(turn, q)
    return result / result.norm()


@ti.func
def turned_about(q, axis, angle):
    """A unit quaternion turned about a unit vector by an angle [rad]."""
    sine = ti.sin(0.5 * angle)
    turn = ti.Vector([ti.cos(0.5 * angle), sine * axis[0], sine * axis[1], sine * axis[2]])
    result = product(turn, q)
    return result / result.norm()


@ti.func
def turned_along(q, axis, angle):
    """A unit quaternion turned about a unit vector by a small angle [rad]; by less than half a turn if it is large."""
    turn = ti.Vector([1.0, 0.5 * angle * axis[0], 0.5 * angle * axis[1], 0.5 * angle * axis[2]])
    result = product(turn, q)
    return result / result.norm()
