# SPDX-License-Identifier: GPL-3.0-or-later
"""What the XPBD loop is made of, for particles and for tasks of constraints; packs as in ``packs``.

Macklin, Müller & Chentanez 2016 (XPBD), algorithm 1, with the small substeps of Macklin et al. 2019.
"""

import taichi as ti

from ...constraints import CONSTRAINTS
from ...constraints.constraint import BDF2, BDF2_RATE, BDF2_STEP, DAMPED, FORCED, MIXED, PBD, RATES, SWEPT, WARM
from ...constraints.side_by_side import LANES
from ...device.apart import apart


@ti.func
def keep_previous(particles: ti.template(), i, p, mode: ti.template()):
    """Note where a particle starts the substep; its fourth component is the damping time only where one is read."""
    if ti.static(mode & DAMPED):
        particles.previous_positions[i] = ti.Vector([p[0], p[1], p[2], particles.previous_positions[i][3]])
    else:
        particles.previous_positions[i] = p


@ti.func
def speed_change(particles: ti.template(), body, substep):
    """How gravity and drag change the velocities of a body in a substep of a frame, see ``speed_changes``."""
    row = body
    if substep > 0:
        row += particles.bodies.shape[0]
    return particles.speed_changes[row]


@ti.func
def pushed(push, before, v):
    """A velocity that was ``before`` and is to be ``v`` without pushes, see ``external_functions.push_particle``."""
    change = v - before
    return before + ti.Vector([change[0] + push[0], change[1] + push[1], change[2] + push[2], 0.0]) / push[3]


@ti.func
def resting_speed(particles: ti.template(), contacts: ti.template(), k, h, variant: ti.template()):
    """What gravity, and what else acts from outside, adds to the speed of contact point ``k`` in a substep [m/s]."""
    speed = particles.gravity[contacts.elements[k, 0]].norm() * h
    if ti.static(variant.is_forced):
        speed += particles.pushes[contacts.elements[k, 0]].xyz.norm() / variant.step_share
    return speed


@ti.func
def predict_position(particles: ti.template(), i, h, change, mode: ti.template()):
    """Predict velocity and position; the fourth component of velocities is 0, ``change`` as in ``speed_changes``.

    Symplectic Euler: v ← v − lost v + gained, x ← x + h v. BDF2: v ← e (4 v − e v₋₁)/3 + gained with e = 1 − lost,
    x ← (4 x − x₋₁)/3 + ⅔ h v (Small Steps 2019, §5.3, in predictor form and for v e^(kt), so that drag is exact). The
    previous position is where a particle would be now without its velocity, so that (x − x_previous) is the velocity
    over ``step[2]`` of ``projection_step``: x, or (4 x − x₋₁)/3 with BDF2, which keeps x itself in
    ``older_positions``. What constraints of the substep before left in ``corrections`` is where they begin: it moves
    the position, and becomes velocity with the rest of what they do.
    """
    lost, gained = change[3], ti.Vector([change[0], change[1], change[2], 0.0])
    p = particles.positions[i]
    if ti.static(mode & BDF2):
        reference = p + (p - particles.older_positions[i]) / 3.0
        keep_previous(particles, i, reference, mode)
        particles.older_positions[i] = p
        if p[3] > 0.0:
            v = particles.velocities[i]
            predicted = (1.0 - lost) * (4.0 * v - (1.0 - lost) * particles.older_velocities[i]) / 3.0 + gained
            if ti.static(mode & FORCED):
                predicted = pushed(particles.pushes[i], v, predicted)
            particles.older_velocities[i] = v
            particles.velocities[i] = predicted
            place = reference + BDF2_STEP * h * predicted
            particles.positions[i] = ti.Vector([place[0], place[1], place[2], p[3]])
    else:
        keep_previous(particles, i, p, mode)
        if p[3] > 0.0:
            v = particles.velocities[i]
            before = v
            v += gained - lost * v
            if ti.static(mode & FORCED):
                v = pushed(particles.pushes[i], before, v)
            particles.velocities[i] = v
            if ti.static(mode & WARM):
                particles.positions[i] = p + h * v + particles.corrections[i]
                particles.corrections[i] = ti.Vector([0.0, 0.0, 0.0, 0.0])
            else:
                particles.positions[i] = p + h * v


@ti.func
def place_target(particles: ti.template(), targets: ti.template(), k, share, mode: ti.template()):
    """Put a pinned particle on its way from one frame to the next; BDF2 takes it to move uniformly."""
    i = targets.particles[k]
    place = targets.starts[k] + share * (targets.ends[k] - targets.starts[k])
    p = particles.positions[i]
    if ti.static(mode & BDF2):
        p += (place - p) / 3.0
    keep_previous(particles, i, p, mode)
    particles.positions[i] = ti.Vector([place[0], place[1], place[2], 0.0])


@ti.func
def update_velocity(particles: ti.template(), i, h, mode: ti.template()):
    """V ← v + (x − x_predicted) / h, which is (x − x_previous) / h without rounding where nothing corrected x.

    BDF2 likewise: v ← v + 3/2 (x − x_predicted) / h, which is (3 x − 4 x₀ + x₋₁) / 2h for a substep that began at x₀.
    """
    v, p = particles.velocities[i], particles.previous_positions[i]
    if ti.static(mode & BDF2):
        corrected = v + (particles.positions[i] - (p + BDF2_STEP * h * v)) * (BDF2_RATE / h)
        corrected[3] = 0.0
        particles.velocities[i] = corrected
    else:
        corrected = v + (particles.positions[i] - (p + h * v)) * (1.0 / h)
        if ti.static(mode & DAMPED):
            corrected[3] = 0.0
        particles.velocities[i] = corrected


@ti.func
def projection_step(h, iteration, substep, mode: ti.template()):
    """``step`` of the projections: 1/h², whether multipliers hold something, 1/h, number of the substep in its frame.

    BDF2 solves with ⅔ h.
    """
    inverse_h = 1.0 / h
    if ti.static(mode & BDF2):
        inverse_h = BDF2_RATE / h
    return ti.Vector([inverse_h * inverse_h, ti.cast(iteration > 0, float), inverse_h, ti.cast(substep, float)])


@ti.func
def damping_step(h, sweep, mode: ti.template()):
    """``step`` of the damping of velocities: for how long it acts [s], and whether kept impulses are mended."""
    return ti.Vector([1.0 / projection_step(h, 0, 0, mode)[2], ti.cast(sweep > 0, float), 0.0, 0.0])


@ti.func
def forget_history(particles: ti.template(), contacts: ti.template(), k, h, mode: ti.template()):
    """Let BDF2 not look back across a hit: where contact point ``k`` was hit, it goes on as after a step of Euler's.

    The older velocity is the one before gravity and what else acts from outside. From an equal one the next step would
    have 2/3 of it, and so would every step of what rests or slides. The older position is that of uniform motion: what
    rests then comes as deep as the impulse is that holds it, by which its friction is measured.
    """
    if contacts.touches[k] > 0:
        for j in ti.static(range(4)):
            i = contacts.elements[k, j]
            v = particles.velocities[i]
            older = v - h * particles.gravity[i]
            if ti.static(mode & FORCED):
                push = particles.pushes[i] / BDF2_STEP
                older -= ti.Vector([push[0], push[1], push[2], 0.0])
            particles.older_velocities[i] = older
            particles.older_positions[i] = particles.positions[i] - h * v


@ti.func
def project_constraint(
    particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template(), kind: ti.template()
):
    """Project one constraint of a type, warm where the mode and the type say so, or damp its rate."""
    if ti.static(mode & RATES):
        first = m + ti.static(CONSTRAINTS[kind].slots(mode) - CONSTRAINTS[kind].rate_damping.slots)
        CONSTRAINTS[kind].rate_damping.project(particles, constraints, i, p, first, step, mode)
    elif ti.static(mode & WARM and CONSTRAINTS[kind].can_start_warm):
        CONSTRAINTS[kind].warm_start.project(particles, constraints, i, p, m, step, mode)
    elif ti.static(mode & MIXED):
        # elements of solids, which start warm, are never projected by shares
        k = (i - constraints.table[kind, 1]) // ti.static(CONSTRAINTS[kind].particle_count)
        if constraints.by_share[constraints.table[kind, 4] + k] == 1:
            by_share = ti.static((mode | PBD) & ~(DAMPED | MIXED))
            CONSTRAINTS[kind].project(particles, constraints, i, p, m, step, by_share)
        else:
            CONSTRAINTS[kind].project(particles, constraints, i, p, m, step, ti.static(mode & ~MIXED))
    else:
        CONSTRAINTS[kind].project(particles, constraints, i, p, m, step, mode)


@ti.func
def project_task(
    particles: ti.template(),
    constraints: ti.template(),
    order: ti.template(),
    task,
    step,
    mode: ti.template(),
    used: ti.template(),
):
    """Project the constraints of one task, type by type; ``used`` is a mask of types.

    After the first of several sweeps only those that are swept.
    """
    for kind in ti.static(range(len(CONSTRAINTS))):
        if ti.static((used >> kind) & 1):
            last = order.segment_starts[task, kind + 1]
            if ti.static(mode & SWEPT and not mode & RATES and not CONSTRAINTS[kind].is_swept):
                if step[1] > 0.0:
                    last = order.segment_starts[task, kind]
            if order.segment_starts[task, kind] < last:
                project_type(particles, constraints, order, order.segment_starts[task, kind], last, step, mode, kind)


@apart
def project_type(
    particles: ti.template(),
    constraints: ti.template(),
    order: ti.template(),
    first,
    last,
    step,
    mode: ti.template(),
    kind: ti.template(),
):
    """Project the constraints of a type in the segments from ``first`` to before ``last``."""
    segments = ti.static(order.segments)
    # where indices, parameters and multipliers begin, and how many of them a constraint has
    firsts = ti.Vector([constraints.table[kind, 1 + n] for n in ti.static(range(3))])
    widths = ti.Vector(ti.static(CONSTRAINTS[kind].widths(mode)))
    for segment in range(first, last):
        count = segments[segment, 1] - segments[segment, 0]
        if ti.static(CONSTRAINTS[kind].goes_side_by_side(mode)):
            for bundle in range((count + LANES - 1) // LANES):
                k = segments[segment, 0] + bundle * LANES
                CONSTRAINTS[kind].side_by_side.project(
                    particles,
                    constraints,
                    firsts + k * widths,
                    ti.static(CONSTRAINTS[kind].slots(mode)),
                    ti.min(count - bundle * LANES, LANES),
                    step,
                    mode,
                )
        else:
            for n in range(count):
                at = firsts + (segments[segment, 0] + n) * widths
                project_constraint(particles, constraints, at[0], at[1], at[2], step, mode, kind)
