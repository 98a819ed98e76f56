# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a surface point with a collider: non-penetration, Coulomb friction, restitution.

A contact point lies in an element: x = Σ wⱼ xⱼ over up to four particles (the embedded surface of a jelly, a
vertex of a cloth). C = n·x − offset ≥ 0, Δxⱼ = wⱼ mⱼ⁻¹ / Σ wₖ² mₖ⁻¹ · n Δλ (PBD 2007, §3.4; embedding as in
Müller & Gross 2004). Friction takes back the tangential motion relative to the collider, at most μ times the normal
correction (Macklin et al. 2014, §6.1). Restitution is a velocity step after the substep, as in
Müller et al. 2020, "Detailed Rigid Body Simulation", eq. 34.
"""

import taichi as ti

from . import CONTACTS

# columns of the bodies' float table
BODY_DAMPING, BODY_INTERNAL_DAMPING, BODY_RESTITUTION, BODY_OFFSET = range(4)
# columns of the colliders' tables
COLLIDER_SHAPE, COLLIDER_HEADER = range(2)
COLLIDER_FRICTION, COLLIDER_RESTITUTION = range(2)
# one row of the colliders' motion: rotation (row by row), translation, radius
MOTION_WIDTH = 13
# speeds below this many times g h are resting contact and do not bounce
RESTING = 2.0
# mask of the shapes that ask where a point came from
LOOKING_BACK = sum(1 << shape for shape, contact in enumerate(CONTACTS) if contact.looks_back)


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
def query_collider(colliders: ti.template(), s, c, point, previous_point, offset, shapes: ti.template()):
    """Normal in the world and signed distance less offset, as one 4-vector.

    ``previous_point`` is read for shapes that look back only.
    """
    motion, ints = ti.static(colliders.motion, colliders.ints)
    local = to_local(motion, s + 1, c, point)
    local_previous = local
    if ti.static(shapes & LOOKING_BACK):
        local_previous = to_local(motion, s, c, previous_point)
    hit = ti.Vector([0.0, 0.0, 1.0, 1.0e30])
    for shape in ti.static(range(len(CONTACTS))):
        if ti.static((shapes >> shape) & 1):
            if ints[c, COLLIDER_SHAPE] == shape:
                hit = CONTACTS[shape].query(
                    colliders, ints[c, COLLIDER_HEADER], motion[s + 1, c, 12], local, local_previous, offset
                )
    normal = rotated(motion, s + 1, c, ti.Vector([hit[0], hit[1], hit[2]]))
    return ti.Vector([normal[0], normal[1], normal[2], hit[3]])


@ti.func
def element_point(vectors: ti.template(), contacts: ti.template(), k):
    """Σ wⱼ vⱼ of the element of contact point ``k``."""
    elements, weights = ti.static(contacts.elements, contacts.weights)
    total = ti.Vector([0.0, 0.0, 0.0])
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            total += weights[k, j] * vectors[elements[k, j]].xyz
    return total


@ti.func
def element_inverse_mass(particles: ti.template(), contacts: ti.template(), k):
    """Σ wⱼ² mⱼ⁻¹ [1/kg]."""
    elements, weights = ti.static(contacts.elements, contacts.weights)
    total = 0.0
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            total += weights[k, j] * weights[k, j] * particles.positions[elements[k, j]][3]
    return total


@ti.func
def push_element(vectors: ti.template(), particles: ti.template(), contacts: ti.template(), k, push):
    """Move the point of an element by ``push`` with momentum shared by inverse mass; positions or velocities."""
    elements, weights = ti.static(contacts.elements, contacts.weights)
    scale = 1.0 / element_inverse_mass(particles, contacts, k)
    for j in ti.static(range(4)):
        if weights[k, j] != 0.0:
            particle = elements[k, j]
            share = weights[k, j] * particles.positions[particle][3] * scale
            moved = vectors[particle]
            for axis in ti.static(range(3)):
                moved[axis] += share * push[axis]
            vectors[particle] = moved


@ti.func
def project_contact(
    particles: ti.template(),
    contacts: ti.template(),
    colliders: ti.template(),
    k,
    s,
    h,
    gravity_speed,
    is_first_iteration,
    shapes: ti.template(),
):
    """Project contact point ``k`` against every collider in substep ``s``; remember what the velocity step needs.

    ``shapes`` is a static mask of the shapes that the scene has: code for others is not compiled.
    """
    multipliers, bodies, floats = ti.static(contacts.multipliers, particles.bodies, colliders.floats)
    if is_first_iteration:
        multipliers[k] = 0.0
    if element_inverse_mass(particles, contacts, k) > 0.0:
        body = contacts.elements[k, 4]
        point = element_point(particles.positions, contacts, k)
        # most points touch nothing: without a shape that looks back, these do not need to know where they were
        previous_point = point
        if ti.static(shapes & LOOKING_BACK):
            previous_point = element_point(particles.previous_positions, contacts, k)
        for c in range(colliders.ints.shape[0]):
            hit = query_collider(colliders, s, c, point, previous_point, bodies[body, BODY_OFFSET], shapes)
            if hit[3] < 0.0:
                if ti.static(not shapes & LOOKING_BACK):
                    previous_point = element_point(particles.previous_positions, contacts, k)
                normal = ti.Vector([hit[0], hit[1], hit[2]])
                depth = -hit[3]
                multipliers[k] = multipliers[k] + depth
                push = depth * normal
                touched = point + push
                carried = touched - to_world(colliders.motion, s, c, to_local(colliders.motion, s + 1, c, touched))
                slide = touched - previous_point - carried
                slide -= slide.dot(normal) * normal
                friction = ti.sqrt(contacts.frictions[k] * floats[c, COLLIDER_FRICTION])
                push -= slide * ti.min(1.0, friction * multipliers[k] / ti.max(slide.norm(), 1e-30))
                push_element(particles.positions, particles, contacts, k, push)
                point += push
                collider_speed = carried.dot(normal) / h
                approach = element_point(particles.velocities, contacts, k).dot(normal) - collider_speed
                rebound = 0.0
                if approach < -RESTING * gravity_speed:
                    rebound = -approach * ti.max(bodies[body, BODY_RESTITUTION], floats[c, COLLIDER_RESTITUTION])
                contacts.states[k] = ti.Vector([normal[0], normal[1], normal[2], collider_speed + rebound])


@ti.func
def apply_restitution(particles: ti.template(), contacts: ti.template(), k):
    """Give contact point ``k`` the normal speed after the hit: n·v = collider's speed + e · approach."""
    if contacts.multipliers[k] > 0.0:
        state = contacts.states[k]
        speed = element_point(particles.velocities, contacts, k).dot(state.xyz)
        push_element(particles.velocities, particles, contacts, k, (state[3] - speed) * state.xyz)
