# SPDX-License-Identifier: GPL-3.0-or-later
"""What the XPBD loop is made of, for particles and for tasks of constraints.

Macklin, Müller & Chentanez 2016 (XPBD), algorithm 1, with the small substeps of Macklin et al. 2019.
"""

import taichi as ti

from ..constraints import CONSTRAINTS
from ..constraints.constraint import BDF2, DAMPED, WARM

# without a type of number: what moves comes in the precision of ``runtime.start_taichi``, what stays in single
VECTORS = ti.types.ndarray(ndim=1)
FLOATS = ti.types.ndarray(ndim=1)
INTS = ti.types.ndarray(dtype=ti.i32, ndim=1)
FLOAT_TABLE = ti.types.ndarray(dtype=ti.f32, ndim=2)
INT_TABLE = ti.types.ndarray(dtype=ti.i32, ndim=2)
MOTION = ti.types.ndarray(dtype=ti.f32, ndim=3)


@ti.func
def keep_previous(i, p, previous_positions: ti.template(), mode: ti.template()):
    """Note where a particle starts the substep; its fourth component is the damping time only where one is read."""
    if ti.static(mode & DAMPED):
        previous_positions[i] = ti.Vector([p[0], p[1], p[2], previous_positions[i][3]])
    else:
        previous_positions[i] = p


@ti.func
def predict_position(
    i,
    h,
    gravity,
    decay,
    positions: ti.template(),
    previous_positions: ti.template(),
    velocities: ti.template(),
    older_positions: ti.template(),
    older_velocities: ti.template(),
    corrections: ti.template(),
    mode: ti.template(),
):
    """Predict velocity and position; the fourth component of velocities and gravity is 0.

    Symplectic Euler: v ← (v + h g) decay, x ← x + h v. BDF2: v ← (4 v − v₋₁)/3 + ⅔ h g, x ← (4 x − x₋₁)/3 + ⅔ h v
    (Small Steps 2019, §5.3, in predictor form). What constraints of the substep before left in ``corrections`` is
    where they begin: it moves the position, and becomes velocity with the rest of what they do.
    """
    p = positions[i]
    keep_previous(i, p, previous_positions, mode)
    if p[3] > 0.0:
        if ti.static(mode & BDF2):
            v = velocities[i]
            predicted = ((4.0 * v - older_velocities[i]) / 3.0 + (2.0 / 3.0) * h * gravity) * decay
            older_velocities[i] = v
            velocities[i] = predicted
            positions[i] = _extrapolated(p, older_positions[i], h, predicted)
        else:
            v = (velocities[i] + h * gravity) * decay
            velocities[i] = v
            if ti.static(mode & WARM):
                positions[i] = p + h * v + corrections[i]
                corrections[i] = ti.Vector([0.0, 0.0, 0.0, 0.0])
            else:
                positions[i] = p + h * v


@ti.func
def _extrapolated(p, older, h, v):
    """Where BDF2 predicts a particle; its fourth component, the inverse mass, stays."""
    x = p + (p - older) / 3.0 + (2.0 / 3.0) * h * v
    x[3] = p[3]
    return x


@ti.func
def place_target(
    k,
    share,
    targets: ti.template(),
    target_starts: ti.template(),
    target_ends: ti.template(),
    positions: ti.template(),
    previous_positions: ti.template(),
    mode: ti.template(),
):
    """Put a pinned particle on its way from one frame to the next."""
    keep_previous(targets[k], positions[targets[k]], previous_positions, mode)
    place = target_starts[k] + share * (target_ends[k] - target_starts[k])
    positions[targets[k]] = ti.Vector([place[0], place[1], place[2], 0.0])


@ti.func
def update_velocity(
    i,
    h,
    positions: ti.template(),
    previous_positions: ti.template(),
    velocities: ti.template(),
    older_positions: ti.template(),
    mode: ti.template(),
):
    """V ← v + (x − x_predicted) / h, which is (x − x_previous) / h without rounding where nothing corrected x.

    BDF2 likewise: v ← v + 3/2 (x − x_predicted) / h, which is (3 x − 4 x_previous + x₋₁) / 2h.
    """
    v = velocities[i]
    if ti.static(mode & BDF2):
        p = previous_positions[i]
        corrected = v + (positions[i] - _extrapolated(p, older_positions[i], h, v)) * (1.5 / h)
        corrected[3] = 0.0
        velocities[i] = corrected
        older_positions[i] = p
    else:
        corrected = v + (positions[i] - (previous_positions[i] + h * v)) * (1.0 / h)
        if ti.static(mode & DAMPED):
            corrected[3] = 0.0
        velocities[i] = corrected


@ti.func
def projection_step(h, iteration, mode: ti.template()):
    """``step`` of the projections: 1/h², whether multipliers hold something, 1/h; BDF2 solves with ⅔ h."""
    inverse_h = 1.0 / h
    if ti.static(mode & BDF2):
        inverse_h = 1.5 / h
    return ti.Vector([inverse_h * inverse_h, ti.cast(iteration > 0, float), inverse_h])


@ti.func
def forget_history(
    k,
    h,
    positions: ti.template(),
    velocities: ti.template(),
    older_positions: ti.template(),
    older_velocities: ti.template(),
    elements: ti.template(),
    contact_multipliers: ti.template(),
):
    """Where contact point ``k`` was hit, go on as from uniform motion: BDF2 must not look back across the hit."""
    if contact_multipliers[k] > 0.0:
        for j in ti.static(range(4)):
            i = elements[k, j]
            older_velocities[i] = velocities[i]
            older_positions[i] = positions[i] - h * velocities[i]


@ti.func
def damp_internal_motion(first, last, share, positions: ti.template(), velocities: ti.template()):
    """Take a share of the motion that is not rigid (PBD 2007, §3.5): linear and angular momentum stay."""
    mass = 0.0
    centre = ti.Vector([0.0, 0.0, 0.0])
    momentum = ti.Vector([0.0, 0.0, 0.0])
    for i in range(first, last):
        if positions[i][3] > 0.0:
            m = 1.0 / positions[i][3]
            mass += m
            centre += m * positions[i].xyz
            momentum += m * velocities[i].xyz
    if mass > 0.0:
        centre /= mass
        mean = momentum / mass
        spin = ti.Vector([0.0, 0.0, 0.0])
        # rows of the tensor of inertia
        row0, row1, row2 = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0])
        for i in range(first, last):
            if positions[i][3] > 0.0:
                m = 1.0 / positions[i][3]
                r = positions[i].xyz - centre
                spin += m * r.cross(velocities[i].xyz - mean)
                size = m * r.dot(r)
                row0 += ti.Vector([size, 0.0, 0.0]) - (m * r[0]) * r
                row1 += ti.Vector([0.0, size, 0.0]) - (m * r[1]) * r
                row2 += ti.Vector([0.0, 0.0, size]) - (m * r[2]) * r
        omega = ti.Vector([0.0, 0.0, 0.0])
        size = (row0[0] + row1[1] + row2[2]) / 3.0
        # Cramer's rule; Taichi's inverse of a matrix takes a tenth of a second to compile
        column0, column1, column2 = row1.cross(row2), row2.cross(row0), row0.cross(row1)
        determinant = row0.dot(column0)
        # a point or a line cannot be inverted; leaving the rotation out then damps a little of the spin
        if determinant > 1e-6 * size * size * size:
            omega = (spin[0] * column0 + spin[1] * column1 + spin[2] * column2) / determinant
        for i in range(first, last):
            if positions[i][3] > 0.0:
                rigid = mean + omega.cross(positions[i].xyz - centre)
                v = velocities[i]
                for axis in ti.static(range(3)):
                    v[axis] += share * (rigid[axis] - v[axis])
                velocities[i] = v


@ti.func
def project_constraint(
    i,
    p,
    m,
    step,
    positions: ti.template(),
    previous_positions: ti.template(),
    corrections: ti.template(),
    indices: ti.template(),
    parameters: ti.template(),
    lagrange_multipliers: ti.template(),
    mode: ti.template(),
    kind: ti.template(),
):
    """Project one constraint of a type, warm where the mode and the type say so."""
    if ti.static(mode & WARM and CONSTRAINTS[kind].can_start_warm):
        CONSTRAINTS[kind].warm_start.project(
            positions,
            previous_positions,
            corrections,
            indices,
            parameters,
            lagrange_multipliers,
            i,
            p,
            m,
            step,
            mode,
        )
    else:
        CONSTRAINTS[kind].project(
            positions, previous_positions, indices, parameters, lagrange_multipliers, i, p, m, step, mode
        )


@ti.func
def project_task(
    task,
    step,
    positions: ti.template(),
    previous_positions: ti.template(),
    corrections: ti.template(),
    indices: ti.template(),
    parameters: ti.template(),
    lagrange_multipliers: ti.template(),
    table: ti.template(),
    segments: ti.template(),
    segment_starts: ti.template(),
    mode: ti.template(),
    used: ti.template(),
):
    """Project the constraints of one task, type by type; arrays as in ``Schedule``, ``used`` is a mask of types."""
    for kind in ti.static(range(len(CONSTRAINTS))):
        if ti.static((used >> kind) & 1):
            i0, p0, m0 = table[kind, 1], table[kind, 2], table[kind, 3]
            for segment in range(segment_starts[task, kind], segment_starts[task, kind + 1]):
                for k in range(segments[segment, 0], segments[segment, 1]):
                    project_constraint(
                        i0 + k * ti.static(CONSTRAINTS[kind].particle_count),
                        p0 + k * ti.static(len(CONSTRAINTS[kind].parameters)),
                        m0 + k * ti.static(CONSTRAINTS[kind].slots),
                        step,
                        positions,
                        previous_positions,
                        corrections,
                        indices,
                        parameters,
                        lagrange_multipliers,
                        mode,
                        kind,
                    )
