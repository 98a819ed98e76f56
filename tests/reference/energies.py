# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic energies of a tetrahedron, and an implicit step that minimises them. Float64."""

from __future__ import annotations

import numpy as np


def lame(modulus, ratio):
    """μ and λ [Pa]."""
    return modulus / (2.0 * (1.0 + ratio)), modulus * ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio))


def neo_hookean(f, mu, lam):
    """Energy density of Macklin & Müller 2021 with λ̂ = λ + μ, and its derivative by F."""
    hat = lam + mu
    volume = np.linalg.det(f) - 1.0 - mu / hat
    cofactor = np.column_stack([np.cross(f[:, 1], f[:, 2]), np.cross(f[:, 2], f[:, 0]), np.cross(f[:, 0], f[:, 1])])
    return mu / 2.0 * (f**2).sum() + hat / 2.0 * volume**2, mu * f + hat * volume * cofactor


def corotated(f, mu, lam):
    """Energy density μ |F − R|² + λ/2 tr²(RᵀF − 1), and its derivative by F (Sifakis & Barbič 2012, ch. 3.4)."""
    u, _, vt = np.linalg.svd(f)
    rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    trace = np.trace(rotation.T @ f) - 3.0
    return mu * ((f - rotation) ** 2).sum() + lam / 2.0 * trace**2, 2.0 * mu * (f - rotation) + lam * trace * rotation


ENERGIES = {"neo_hookean": neo_hookean, "corotated": corotated}


def energy(x, rest, name, modulus, ratio):
    """Energy [J] of a tetrahedron and its gradient by the positions, shape (4, 3)."""
    edges = (rest[1:] - rest[0]).T
    inverse, volume = np.linalg.inv(edges), np.linalg.det(edges) / 6.0
    density, stress = ENERGIES[name]((x[1:] - x[0]).T @ inverse, *lame(modulus, ratio))
    gradient = volume * (stress @ inverse.T).T
    return volume * density, np.vstack([-gradient.sum(axis=0), gradient])


def implicit_step(predicted, masses, h, function):
    """The x that minimises ½ (x − x̃)ᵀ M (x − x̃)/h² + U(x), by Newton's method with a differenced Hessian."""

    def slope(flat):
        x = flat.reshape(predicted.shape)
        return (masses[:, None] * (x - predicted) / h**2 + function(x)[1]).ravel()

    x = predicted.ravel().copy()
    for _ in range(60):
        residual = slope(x)
        hessian = np.array([(slope(x + 1e-6 * e) - slope(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])
        values, vectors = np.linalg.eigh((hessian + hessian.T) / 2.0)
        step = -vectors @ ((vectors.T @ residual) / np.maximum(np.abs(values), 1e-6))
        size = 1.0
        while size > 1e-6 and np.linalg.norm(slope(x + size * step)) > np.linalg.norm(residual):
            size /= 2.0
        x = x + size * step
    return x.reshape(predicted.shape)
