# SPDX-License-Identifier: GPL-3.0-or-later
"""One neo-Hookean projection per substep in matrices, cold or warm, float64, as ``neo_hookean_single`` derives it."""

from __future__ import annotations

import numpy as np

from tests.reference.energies import lame


def cofactors(f):
    """Cof F, also of a singular one."""
    return np.column_stack([np.cross(f[:, 1], f[:, 2]), np.cross(f[:, 2], f[:, 0]), np.cross(f[:, 0], f[:, 1])])


def inner(a, b):
    """A : B."""
    return float((a * b).sum())


def project_once(x, rest, w, h, modulus, ratio):
    """Corners after one projection, as ``project_warm`` from nothing."""
    return project_warm(x, rest, w, h, modulus, ratio, np.zeros((3, 3)))[0]


def warmth(stiffness, fades, cold):
    """Share of an impulse that is given again."""
    return min(0.48 * (1.0 + stiffness) / stiffness, 0.95) * np.clip((cold - stiffness) / (cold - fades), 0.0, 1.0)


def later(stiffness):
    """Share of an impulse that moves velocities a substep later, where the warm start alone lags by less than 0.8."""
    return max(0.8 - 0.95 * stiffness / (1.0 + 0.05 * stiffness), 0.0)


def project_warm(x, rest, w, h, modulus, ratio, given):
    """Corners after one projection, what the tetrahedron gives in the next substep, and how its corners begin it.

    Args:
        x: predicted corners [m], shape (4, 3).
        rest: corners at rest [m], shape (4, 3).
        w: inverse masses [1/kg], shape (4,).
        h: substep [s].
        modulus: Young's [Pa].
        ratio: Poisson's.
        given: impulse β P that the prediction already contains, shape (3, 3).
    """
    mu, lam = lame(modulus, ratio)
    r = (lam + mu) / mu
    rest_edges = (rest[1:] - rest[0]).T
    q = np.linalg.inv(rest_edges)
    q = np.vstack([-q.sum(axis=0), q])
    beta = mu * abs(np.linalg.det(rest_edges)) / 6.0 * h**2
    f = x.T @ q
    n, s, stretch = cofactors(f), np.linalg.det(f) - 1.0, np.sqrt(inner(f, f) / 3.0)
    shape, pressure = min(inner(f, f), 1.0) * f, r * s - 1.0
    shape = shape - given / beta
    line = 1e-3 * max(inner(f, f) ** 2 - 3.0 * inner(n, n), 0.0)
    share = inner(shape, n) / (inner(n, n) + line)
    mobility = q.T @ (w[:, None] * q)
    mean, greatest = np.trace(mobility) / 3.0, np.linalg.norm(mobility, 2)
    # 0 where the masses of a regular tetrahedron are equal, 1 where one corner alone moves
    uneven = np.clip(greatest / mean / 1.5 - 1.0, 0.0, 1.0)
    least = (0.8 + (0.4 + 0.3 / r) * np.sqrt(uneven)) * greatest

    def held(curvature):
        return max(1.0 + beta * mean * curvature, beta * least * curvature)

    along = (r - 1.0 / 3.0) * inner(n, n) + r * abs(s) * stretch
    left = abs(r * s / held(along) - 1.0)
    across = 1.0 + stretch * max(left, 1.0)
    # P₀ along n and across it
    stress = (shape - share * n) / held(across) + (pressure + share) * n / held(along)
    before, given = given, given + beta * stress
    stiffness = held(2.0) - 1.0
    again = warmth(stiffness, 2.0, 6.0)
    volume = warmth(held(along) - 1.0, 6.0, 20.0) * np.clip((6.0 - stiffness) / 4.0, 0.0, 1.0)

    def split(tensor, across, along):
        return across * tensor + (along - across) * inner(tensor, n) / (inner(n, n) + line) * n

    kept = split(given, again, volume)
    change = before / 0.95 - given
    length = abs(inner(change, n)) * np.sqrt(inner(n, n)) / (inner(n, n) + line)
    # nothing where the stress changes by less than 2 μ per second, or along n by less than that times r
    across = max(1.0 - 2.0 * h * beta / (np.sqrt(max(inner(change, change) - length**2, 0.0)) + 1e-30), 0.0)
    along_n = max(1.0 - 2.0 * h * beta * max(r, 1.0) / (length + 1e-30), 0.0)
    shares = across * later(stiffness), along_n * later(held(along) - 1.0)
    further = kept + split(change, *shares)
    return x - beta * w[:, None] * (q @ stress.T), kept, -w[:, None] * (q @ further.T)
