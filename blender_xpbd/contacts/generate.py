# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds contacts of points with colliders, and writes them down as records."""

import taichi as ti

from . import CONTACTS
from .nearest_face import row_of
from .record import contact_record
from .tables import (
    BODY_OFFSET,
    BODY_RESTITUTION,
    COLLIDER_FRICTION,
    COLLIDER_HEADER,
    COLLIDER_RESTITUTION,
    COLLIDER_SHAPE,
    POINT_BODY,
    POINT_FRICTION,
)

# mask of the shapes that ask where a point came from
LOOKING_BACK = sum(1 << shape for shape, contact in enumerate(CONTACTS) if contact.looks_back)
# ... and of those that a point may touch at several faces
MANY_FACED = sum(1 << shape for shape, contact in enumerate(CONTACTS) if contact.most_faces > 1)
# ... and of those that tell how far a point is from touching
TELLING_CLEARANCE = sum(1 << shape for shape, contact in enumerate(CONTACTS) if contact.clearance is not None)
# share of coordinates that distances lose by rounding, and more
ROUNDING = 1e-6


@ti.func
def most_faces(colliders: ti.template(), c, shapes: ti.template()):
    """How many surfaces of collider ``c`` a point may touch at once; ``shapes`` as in ``query_collider``."""
    result = 1
    for shape in ti.static(range(len(CONTACTS))):
        if ti.static((shapes & MANY_FACED) >> shape & 1):
            if colliders.ints[c, COLLIDER_SHAPE] == shape:
                result = CONTACTS[shape].most_faces
    return result


@ti.func
def to_local(motion: ti.template(), s, c, point):
    """World to the collider's frame at the boundary ``s`` of the substeps."""
    offset = ti.Vector([point[k] - motion[s, c, 9 + k] for k in ti.static(range(3))])
    return ti.Vector(
        [
            motion[s, c, k] * offset[0] + motion[s, c, 3 + k] * offset[1] + motion[s, c, 6 + k] * offset[2]
            for k in ti.static(range(3))
        ]
    )


@ti.func
def rotated(motion: ti.template(), s, c, vector):
    """A direction in the collider's frame, in the world."""
    return ti.Vector(
        [
            motion[s, c, 3 * k] * vector[0] + motion[s, c, 3 * k + 1] * vector[1] + motion[s, c, 3 * k + 2] * vector[2]
            for k in ti.static(range(3))
        ]
    )


@ti.func
def to_world(motion: ti.template(), s, c, point):
    """From the collider's frame at the boundary ``s`` of the substeps to the world."""
    return rotated(motion, s, c, point) + ti.Vector([motion[s, c, 9 + k] for k in ti.static(range(3))])


@ti.func
def way_of_surface(motion: ti.template(), s, c, point, displacement):
    """How far a point of a collider's surface goes in substep ``s``, in the world [m].

    The poses are subtracted, not the places: what stands still goes nowhere, and the ways of substeps add up to that
    of the frame, however far from the origin the point is.

    Args:
        motion: rigid frames at the boundaries of the substeps.
        s: number of the substep.
        c: of the collider.
        point: where the point is at the end, in the collider's frame [m].
        displacement: its way within that frame [m].
    """
    way = rotated(motion, s, c, displacement)
    for k in ti.static(range(3)):
        way[k] += motion[s + 1, c, 9 + k] - motion[s, c, 9 + k]
        for j in ti.static(range(3)):
            way[k] += (motion[s + 1, c, 3 * k + j] - motion[s, c, 3 * k + j]) * point[j]
    return way


@ti.func
def query_collider(colliders: ti.template(), s, c, k, point, start, offset, shapes: ti.template()):
    """Where the surface of collider ``c`` is at a contact point, in its own frame.

    ``k`` is the row of ``nearest_face``.
    ``start`` is read for shapes that look back only; ``shapes`` is a static mask of the shapes that the scene has: code
    for others is not compiled.

    Returns:
        (unit normal, signed distance less ``offset`` [m]), the displacement of the surface point [m], and whether there
        may be another face, as ``ContactType.query`` does.
    """
    motion, ints = ti.static(colliders.motion, colliders.ints)
    local = to_local(motion, s + 1, c, point)
    local_start = local
    if ti.static(shapes & LOOKING_BACK):
        local_start = to_local(motion, s, c, start)
    hit, displacement, is_bent = ti.Vector([0.0, 0.0, 1.0, 1.0e30]), ti.Vector([0.0, 0.0, 0.0]), False
    for shape in ti.static(range(len(CONTACTS))):
        if ti.static((shapes >> shape) & 1):
            if ints[c, COLLIDER_SHAPE] == shape:
                hit, displacement, is_bent = CONTACTS[shape].query(
                    colliders, ints[c, COLLIDER_HEADER], motion[s + 1, c, 12], local, local_start, offset, k
                )
    return hit, displacement, is_bent


@ti.func
def collider_clearance(
    particles: ti.template(),
    contacts: ti.template(),
    colliders: ti.template(),
    k,
    c,
    s,
    point,
    shapes: ti.template(),
):
    """How far contact point ``k`` may go from where it is after a query, until it may touch collider ``c`` [m].

    That is while the collider stands, at whatever depth the point may be now. Arguments as of ``collider_contact``.
    """
    motion, ints = ti.static(colliders.motion, colliders.ints)
    local = to_local(motion, s + 1, c, point)
    offset = particles.bodies[contacts.elements[k, POINT_BODY], BODY_OFFSET]
    row, result = row_of(contacts.elements.shape[0], k, c), 0.0
    for shape in ti.static(range(len(CONTACTS))):
        if ti.static((shapes & TELLING_CLEARANCE) >> shape & 1):
            if ints[c, COLLIDER_SHAPE] == shape:
                header, sizes = ints[c, COLLIDER_HEADER], ti.Vector([motion[s + 1, c, 12], offset])
                result = ti.cast(CONTACTS[shape].clearance(colliders, header, sizes, local, row), float)
    size = ti.abs(point).sum()
    for axis in ti.static(range(3)):
        size += ti.abs(motion[s + 1, c, 9 + axis])
    return result - ROUNDING * size


@ti.func
def collider_contact(
    particles: ti.template(),
    contacts: ti.template(),
    colliders: ti.template(),
    k,
    c,
    s,
    point,
    start,
    allowed,
    shapes: ti.template(),
):
    """The contact of point ``k`` with collider ``c`` in substep ``s``, and whether there may be another one.

    Args:
        particles: the pack.
        contacts: the pack.
        colliders: the pack.
        k: number of the point.
        c: of the collider.
        s: of the substep.
        point: where the point is [m].
        start: where it was when the substep began [m]; read for shapes that look back only.
        allowed: how deep inside it may be [m].
        shapes: as in ``query_collider``.
    """
    body = contacts.elements[k, POINT_BODY]
    offset = particles.bodies[body, BODY_OFFSET] - allowed
    row = row_of(contacts.elements.shape[0], k, c)
    hit, displacement, is_bent = query_collider(colliders, s, c, row, point, start, offset, shapes)
    motion = ti.static(colliders.motion)
    normal = rotated(motion, s + 1, c, hit.xyz)
    carried = ti.Vector([0.0, 0.0, 0.0])
    friction, restitution = 0.0, 0.0
    if hit[3] < 0.0:
        touched = point - hit[3] * normal
        carried = way_of_surface(motion, s, c, to_local(motion, s + 1, c, touched), displacement)
        friction = ti.sqrt(contacts.weights[k, POINT_FRICTION] * colliders.floats[c, COLLIDER_FRICTION])
        restitution = ti.max(particles.bodies[body, BODY_RESTITUTION], colliders.floats[c, COLLIDER_RESTITUTION])
    return contact_record(normal, hit[3], carried, friction, restitution), is_bent
