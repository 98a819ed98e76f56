# SPDX-License-Identifier: GPL-3.0-or-later
"""A patch of a body held by a hand: C = Σ aⱼ xⱼ − x_hand [m], three rows, compliance α [m/N], damping time τ [s].

It is projected once in a substep, after the other constraints, with a multiplier λ that begins at 0 (XPBD 2016, eq. 18;
with γ = τ/h for the damping, eq. 26). Its force λ/h² acts as a field of accelerations around the point that was hit:
particle j moves by dⱼ λ with Σ mⱼ dⱼ = 1, not by aⱼ λ / mⱼ, by which the lightest of a patch would fly out of it. Which
particles it holds changes while a run is played, so it stands beside the schedule: one turn of a stage of its own, in
the order of its particles.
"""

import numpy as np
import taichi as ti

from ...device.apart import apart

# of a patch
MOST_PARTICLES = 2048
# columns of ``grab_weights``: aⱼ, and dⱼ [1/kg]
SEEN, PULLED = range(2)
# rows of ``grab_places``: where the hand is at both ends of the frame, then its greatest force [N], α and τ
START, END, SPRING = range(3)
# τ in periods of the swing over 2π: 1 is twice the critical damping's half, so that what hangs soon hangs still
DAMPING = 1.0
# of the hand's force, per mass of all that it holds [m/s²]: some three times its weight, so that a hand that runs away
# takes it along and does not tear a spike out of it
GREATEST_ACCELERATION = 30.0


def grab_compliance(mass: float, frequency: float) -> tuple[float, float]:
    """Compliance [m/N] and damping time [s] of a hand.

    Args:
        mass: of all that it holds [kg].
        frequency: at which that would swing on it [Hz].
    """
    omega = 2.0 * np.pi * frequency
    return 1.0 / (mass * omega**2), DAMPING / omega


@apart
def hold_grabbed(particles: ti.template(), targets: ti.template(), share, of, step):
    """Pull the patch to the hand, which is ``share`` of the way through the frame of ``of`` substeps."""
    places, held, shares = ti.static(targets.grab_places, targets.grab_particles, targets.grab_weights)
    if places[SPRING, 0] > 0.0:
        difference, way, weight = ti.Vector([0.0, 0.0, 0.0]), ti.Vector([0.0, 0.0, 0.0]), 0.0
        for k in range(held.shape[0]):
            a, d = shares[k, SEEN], shares[k, PULLED]
            if a + d > 0.0:
                p = particles.positions[held[k]]
                difference += a * p.xyz
                way += a * (p.xyz - particles.previous_positions[held[k]].xyz)
                weight += a * d if p[3] > 0.0 else 0.0
        for axis in ti.static(range(3)):
            travel = places[END, axis] - places[START, axis]
            difference[axis] -= places[START, axis] + share * travel
            way[axis] -= travel / of
        gamma = places[SPRING, 2] * step[2]
        divisor = (1.0 + gamma) * weight + places[SPRING, 1] * step[0]
        multiplier = -(difference + gamma * way) / divisor
        multiplier *= ti.min(1.0, places[SPRING, 0] / (step[0] * multiplier.norm() + 1e-30))
        for k in range(held.shape[0]):
            i, d = held[k], shares[k, PULLED]
            p = particles.positions[i]
            if d > 0.0 and p[3] > 0.0:
                moved = p.xyz + d * multiplier
                particles.positions[i] = ti.Vector([moved[0], moved[1], moved[2], p[3]])
