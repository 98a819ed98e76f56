# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic energies of single elements in float64, written from the papers, with gradients by central differences."""

from __future__ import annotations

import numpy as np


def lame(youngs_modulus, poissons_ratio):
    """Lamé's λ and μ [Pa]."""
    mu = youngs_modulus / (2.0 * (1.0 + poissons_ratio))
    return 2.0 * mu * poissons_ratio / (1.0 - 2.0 * poissons_ratio), mu


def stable_neo_hookean(f, youngs_modulus, poissons_ratio):
    """Energy per volume [J/m³] (Macklin & Müller 2021), with λ̂ = λ + μ for consistency with linear elasticity.

    Below tr(FᵀF) = 1, which is a third of that at rest, its first term goes on as (1 + tr²(FᵀF)) / 2.
    """
    lam, mu = lame(youngs_modulus, poissons_ratio)
    hydrostatic = np.linalg.det(f) - 1.0 - mu / (lam + mu)
    squares = (f**2).sum()
    return 0.5 * mu * (squares if squares > 1.0 else 0.5 + 0.5 * squares**2) + 0.5 * (lam + mu) * hydrostatic**2


def corotated(f, youngs_modulus, poissons_ratio):
    """Energy per volume [J/m³]: linear elasticity of the singular values, the last negative for inverted elements."""
    lam, mu = lame(youngs_modulus, poissons_ratio)
    stretches = np.linalg.svd(f, compute_uv=False)
    stretches[2] *= np.sign(np.linalg.det(f))
    return mu * ((stretches - 1.0) ** 2).sum() + 0.5 * lam * (stretches.sum() - 3.0) ** 2


ENERGIES = {"neo_hookean": stable_neo_hookean, "corotated": corotated}


def tetrahedron_energy(name, x, rest, youngs_modulus, poissons_ratio):
    """Energy [J] of one tetrahedron, positions and rest positions of shape (4, 3)."""
    edges, rest_edges = (x[1:] - x[0]).T, (rest[1:] - rest[0]).T
    f = edges @ np.linalg.inv(rest_edges)
    return abs(np.linalg.det(rest_edges)) / 6.0 * ENERGIES[name](f, youngs_modulus, poissons_ratio)


def slope(function, x, size=1e-5):
    """Gradient of a scalar function of positions by central differences, shape of x."""
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        shift = np.zeros_like(x)
        shift[place] = size
        gradient[place] = (function(x + shift) - function(x - shift)) / (2.0 * size)
    return gradient


def traction_forces(stress, rest):
    """Forces [N] on the corners of a tetrahedron that bears a uniform first Piola stress [Pa], shape (4, 3)."""
    rest_edges = (rest[1:] - rest[0]).T
    pulls = abs(np.linalg.det(rest_edges)) / 6.0 * (stress @ np.linalg.inv(rest_edges).T).T
    return np.concatenate([-pulls.sum(axis=0, keepdims=True), pulls])
