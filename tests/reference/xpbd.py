# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD in plain NumPy, float64, written from the papers; clear before fast.

XPBD 2016: Macklin, Müller & Chentanez, "XPBD: Position-Based Simulation of Compliant Constrained Dynamics".
Small Steps 2019: Macklin et al., "Small Steps in Physics Simulation": the loop runs once per substep.
PBD 2007: Müller et al., "Position Based Dynamics".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass
class Constraint:
    """One constraint.

    Attributes:
        particles: that it touches, shape (n,).
        function: positions (n, 3) to C (rows,) and ∇C (rows, n, 3).
        compliance: α, one for all rows or a matrix (rows, rows); in PBD mode the stiffness k of one projection.
        damping_time: τ = β/α [s] (XPBD 2016, §5.2).
        bounds: least and greatest force λ/h² of an inequality.
        reached: C after its last projection, which damping looks back to; None before the first.
        lag: of the force behind the end of the step, where it is soft [steps]: the share of the step's change of C that
            it does not feel yet, times α̃/(α̃ + (1 + γ) ∇C W ∇Cᵀ).
        softness: by how much its compliance is greater while C is negative.
    """

    particles: np.ndarray
    function: Callable
    compliance: float | np.ndarray
    damping_time: float = 0.0
    bounds: tuple[float, float] = (-np.inf, np.inf)
    reached: np.ndarray | None = None
    lag: float = 0.0
    softness: float = 1.0


def solve(constraint, multipliers, x, before, w, h, is_pbd=False, start=None):
    """One projection, in place of x and of the constraint's multipliers λ (XPBD 2016, eq. 17, 18 and 26).

    All rows at once: ((1 + γ) ∇C W ∇Cᵀ + α̃) Δλ = −C − α̃ λ − γ (C − C_before).

    Args:
        constraint: to be projected.
        multipliers: λ of its rows so far in this step.
        x: positions of all particles [m], shape (particles, 3).
        before: C when it was last projected in the step before, shape (rows,); None in the first step.
        w: inverse masses [1/kg], shape (particles,).
        h: step [s].
        is_pbd: PBD 2007 instead: Δλ = −k (∇C W ∇Cᵀ)⁻¹ C.
        start: positions at the start of the step, which only a constraint with a lag asks for.
    """
    mine = constraint.particles
    values, gradients = constraint.function(x[mine])
    flat, weights = gradients.reshape(len(values), -1), np.repeat(w[mine], 3)
    system = change_of = flat * weights @ flat.T
    if is_pbd:
        share = constraint.compliance if np.ndim(constraint.compliance) == 0 else constraint.compliance[0, 0]
        right = -share * values
    else:
        alpha_tilde = constraint.compliance / h**2 * np.eye(len(values))
        if np.ndim(constraint.compliance) == 2:
            alpha_tilde = constraint.compliance / h**2
        if values[0] < 0.0:
            alpha_tilde = constraint.softness * alpha_tilde
        # γ = α̃ β̃ / h with α̃ = α/h², β̃ = h² β and β = τ/α
        gamma = constraint.damping_time / h
        if constraint.lag:
            hardness = (1.0 + gamma) * system[0, 0] / (alpha_tilde[0, 0] + 1e-30)
            late = constraint.lag / (1.0 + hardness)
            values = values - late * (values - constraint.function(start[mine])[0])
            system = change_of = (1.0 - late) * system
        change = 0.0 if before is None else values - before
        right = -values - alpha_tilde @ multipliers - gamma * change
        system = (1.0 + gamma) * system + alpha_tilde
    if not system.any():
        return
    reached = multipliers + np.linalg.solve(system, right)
    low, high = (bound * h**2 if bound else 0.0 for bound in constraint.bounds)
    if is_pbd:
        # no forces, and no greatest one
        low, high = (np.copysign(np.inf, bound) if bound else 0.0 for bound in constraint.bounds)
    reached = np.clip(reached, low, high)
    constraint.reached = values + change_of @ (reached - multipliers)
    x[mine] += (weights * ((reached - multipliers) @ flat)).reshape(-1, 3)
    multipliers[:] = reached


def step(x, v, w, constraints, h, gravity, iterations=1, is_pbd=False, drag=0.0, place=None, begins=False):
    """One (sub)step: XPBD 2016, algorithm 1, with Gauss-Seidel in the order given.

    Args:
        x, v: positions [m] and velocities [m/s], shape (particles, 3).
        w: inverse masses [1/kg]; 0 holds a particle.
        constraints: in their order.
        h: step [s].
        gravity: [m/s²], shape (3,).
        iterations: over all constraints.
        is_pbd: see ``solve``.
        drag: rate of linear damping [1/s].
        place: positions of the held particles at the end of the step, by index.
        begins: whether v is that at the start of the step, and not the mean over the step before.

    Returns:
        positions and velocities after the step, and the multipliers of every constraint.
    """
    held = w == 0.0
    # v' = g − k v; its mean over a step follows the same law
    kept, fallen = np.exp(-drag * h), -np.expm1(-drag * h) / drag if drag else h
    if begins:
        kept, fallen = fallen / h, (1.0 - fallen / h) / drag if drag else h / 2.0
    v = np.where(held[:, None], 0.0, kept * v + fallen * np.asarray(gravity))
    start, x = x, x + h * v
    for particle, target in (place or {}).items():
        x[particle] = target
    rows = [len(c.function(x[c.particles])[0]) for c in constraints]
    multipliers = [np.zeros(count) for count in rows]
    before = [constraint.reached for constraint in constraints]
    for _ in range(iterations):
        for constraint, own, reached in zip(constraints, multipliers, before, strict=True):
            solve(constraint, own, x, reached, w, h, is_pbd, start)
    return x, (x - start) / h, multipliers


def damp_internal_motion(x, v, w, share, held=()):
    """Take a share of the motion of the free particles that is not rigid (PBD 2007, §3.5).

    What is rigid goes with the particles ``held``, and where these leave it free is nearest to the motion: by least
    squares in which they are the heaviest.
    """
    free = w > 0.0
    weights = np.where(free, 1.0 / np.where(free, w, 1.0), 0.0)
    weights[list(held)] = 1e8 * weights.sum()
    centre = weights @ x / weights.sum()
    # v = velocity + omega × r, of all particles, for the six unknowns
    cross = np.array([np.cross(np.eye(3), r).T for r in x - centre])
    motion = np.concatenate([np.tile(np.eye(3), (len(x), 1, 1)), cross], axis=2)
    root = np.sqrt(weights)[:, None]
    unknowns = np.linalg.lstsq((root[..., None] * motion).reshape(-1, 6), (root * v).ravel(), rcond=1e-9)[0]
    damped = v.copy()
    damped[free] += share * ((motion @ unknowns)[free] - v[free])
    return damped
