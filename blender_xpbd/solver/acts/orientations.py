# SPDX-License-Identifier: GPL-3.0-or-later
"""The orientations among what moves: prediction from angular velocities, and these from how far they came.

As positions and velocities in ``functions``, with the product of quaternions for the sum (Müller et al. 2020,
"Detailed rigid body simulation with extended position based dynamics", algorithm 2). The inertia is the same about all
axes, so that no gyroscopic torque is left (Kugelstadt & Schömer 2016, "Position and orientation based Cosserat rods",
§4). Quaternions are (w, x, y, z); the fourth component of an angular velocity is the inverse inertia.
"""

import taichi as ti

from ...constraints.quaternions import product
from ...device.apart import apart
from .functions import speed_change


@ti.func
def turned(q, omega, h):
    """A unit quaternion that turns for a time [s] with an angular velocity [rad/s] in the world."""
    angle = 0.5 * h * omega.norm()
    # the sine over its angle
    share = 1.0 - angle * angle / 6.0
    if angle > 1e-3:
        share = ti.sin(angle) / angle
    xyz = (0.5 * h * share) * omega
    result = product(ti.Vector([ti.cos(angle), xyz[0], xyz[1], xyz[2]]), q)
    return result / result.norm()


@ti.func
def turn_between(a, b):
    """The rotation that takes unit quaternion a to b, as an axis times an angle of at most half a turn [rad]."""
    d = product(b, ti.Vector([a[0], -a[1], -a[2], -a[3]]))
    if d[0] < 0.0:
        d = -d
    xyz = ti.Vector([d[1], d[2], d[3]])
    sine = xyz.norm()
    factor = 2.0
    if sine > 1e-3:
        factor = 2.0 * ti.atan2(sine, d[0]) / sine
    return factor * xyz


@apart
def predict_orientations(particles: ti.template(), turn, turns, h, substep):
    """Predict one of ``turns`` equal shares of the orientations; drag slows their turning as it slows motion."""
    bodies, starts = ti.static(particles.bodies, particles.body_starts)
    # the first orientation of each body, after the first particle of each
    own = bodies.shape[0] + 1
    count = starts[own + bodies.shape[0]]
    first, last = count * turn // turns, count * (turn + 1) // turns
    for b in range(bodies.shape[0]):
        begin, end = ti.max(starts[own + b], first), ti.min(starts[own + b + 1], last)
        if begin < end:
            lost = speed_change(particles, b, substep)[3]
            for i in range(begin, end):
                q, omega = particles.orientations[i], particles.angular_velocities[i]
                particles.previous_orientations[i] = q
                if omega[3] > 0.0:
                    spin = omega.xyz - lost * omega.xyz
                    particles.angular_velocities[i] = ti.Vector([spin[0], spin[1], spin[2], omega[3]])
                    particles.orientations[i] = turned(q, spin, h)


@apart
def update_angular_velocities(particles: ti.template(), turn, turns, h):
    """ω ← ω + (turn from the predicted orientation) / h: without rounding where nothing corrected it."""
    count = particles.body_starts[2 * particles.bodies.shape[0] + 1]
    for i in range(count * turn // turns, count * (turn + 1) // turns):
        omega = particles.angular_velocities[i]
        if omega[3] > 0.0:
            predicted = turned(particles.previous_orientations[i], omega.xyz, h)
            spin = omega.xyz + turn_between(predicted, particles.orientations[i]) / h
            particles.angular_velocities[i] = ti.Vector([spin[0], spin[1], spin[2], omega[3]])
