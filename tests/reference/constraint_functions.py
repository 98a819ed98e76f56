# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints as plain functions: positions of their particles in, value and gradient out. Float64, one at a time.

Every function takes positions [m], shape (n, 3), and the parameters before the compliance; it answers C, shape (rows,),
and ∇C, shape (rows, n, 3).
"""

from __future__ import annotations

import numpy as np


def distance(x, rest_length):
    """C = |x₁ − x₂| − d (PBD 2007, eq. 8)."""
    difference = x[0] - x[1]
    length = np.linalg.norm(difference)
    normal = difference / length
    return np.array([length - rest_length]), np.array([[normal, -normal]])


def attachment(x):
    """C = x₁ − x₂, a row for each axis."""
    identity = np.eye(3)
    return x[0] - x[1], np.stack([identity, -identity], axis=1)


def tetrahedron_volume(x, rest_volume):
    """C = (x₁−x₀)·((x₂−x₀)×(x₃−x₀))/6 − V₀ (PBD 2007, eq. 14 over 6)."""
    a, b, c = x[1:] - x[0]
    rows = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)]) / 6.0
    return np.array([a @ np.cross(b, c) / 6.0 - rest_volume]), np.array([[-rows.sum(axis=0), *rows]])


def dihedral_bending(x, rest_angle):
    """C = θ − θ₀ for the edge x₁x₂ and the points x₃, x₄ opposite it.

    θ is the angle between the normals n₁ of (x₁, x₂, x₃) and n₂ of (x₂, x₁, x₄). Moving x₃ by δ turns the first
    triangle by (δ·n₁)/height about the edge, which gives ∇₃θ; ∇₁θ and ∇₂θ follow from the sum of all being 0
    and from the moment about the edge's ends being 0.
    """
    edge = x[1] - x[0]
    length = np.linalg.norm(edge)
    first, second = np.cross(edge, x[2] - x[0]), np.cross(-edge, x[3] - x[1])
    n1, n2 = first / np.linalg.norm(first), second / np.linalg.norm(second)
    angle = np.arctan2(np.cross(n2, n1) @ edge / length, n1 @ n2)
    g3 = n1 * length / np.linalg.norm(first)
    g4 = n2 * length / np.linalg.norm(second)
    # how far along the edge, from x₁ to x₂, the opposite points stand
    share3, share4 = (x[2] - x[0]) @ edge / length**2, (x[3] - x[0]) @ edge / length**2
    g1, g2 = -(1.0 - share3) * g3 - (1.0 - share4) * g4, -share3 * g3 - share4 * g4
    value = (angle - rest_angle + np.pi) % (2.0 * np.pi) - np.pi
    return np.array([value]), np.array([[g1, g2, g3, g4]])


def weighted_sum(x, *coefficients):
    """C = Σ cⱼ xⱼ, a row for each axis."""
    c = np.array(coefficients)
    return c @ x, np.einsum("j,rk->rjk", c, np.eye(3))


def link(x, coefficients, rest_length):
    """C = |Σ cⱼ xⱼ| − d."""
    difference = coefficients @ x
    length = np.linalg.norm(difference)
    return np.array([length - rest_length]), np.outer(coefficients, difference / length)[None]


def membrane(x, u1, v1, u2, v2):
    """C = (E_uu, E_vv, 2 E_uv), E = ½ (FᵀF − 1) with the columns of F along warp and weft."""
    inverse = np.array([[-u1 - u2, -v1 - v2], [u1, v1], [u2, v2]])
    f = x.T @ inverse
    fu, fv = f.T
    value = np.array([0.5 * (fu @ fu - 1.0), 0.5 * (fv @ fv - 1.0), fu @ fv])
    along_u, along_v = np.einsum("j,k->jk", inverse[:, 0], fu), np.einsum("j,k->jk", inverse[:, 1], fv)
    mixed = np.einsum("j,k->jk", inverse[:, 0], fv) + np.einsum("j,k->jk", inverse[:, 1], fu)
    return value, np.stack([along_u, along_v, mixed])


def enclosed_volume(x, triangles, target):
    """C = Σ a·(b × c)/6 − V over the triangles of a closed surface."""
    gradient = np.zeros_like(x)
    volume = 0.0
    for a, b, c in triangles:
        volume += x[a] @ np.cross(x[b], x[c]) / 6.0
        gradient[a] += np.cross(x[b], x[c]) / 6.0
        gradient[b] += np.cross(x[c], x[a]) / 6.0
        gradient[c] += np.cross(x[a], x[b]) / 6.0
    return np.array([volume - target]), gradient[None]


def shape_matching(x, rest, masses):
    """C = √(Σ μ |x − g|²) with the goals of Müller et al. 2005, §3.2 and 3.3."""
    centre, middle = masses @ x / masses.sum(), masses @ rest / masses.sum()
    u, _, vt = np.linalg.svd((masses[:, None] * (x - centre)).T @ (rest - middle))
    rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    offsets = x - centre - (rest - middle) @ rotation.T
    value = np.sqrt((masses * (offsets**2).sum(axis=1)).sum())
    return np.array([value]), (masses[:, None] * offsets / value)[None]


FUNCTIONS = {
    "diagonal": distance,
    "distance": distance,
    "attachment": attachment,
    "tetrahedron_volume": tetrahedron_volume,
    "dihedral_bending": dihedral_bending,
    "isometric_bending": weighted_sum,
    "element_attachment": weighted_sum,
    "membrane": membrane,
    "enclosed_volume": enclosed_volume,
    "shape_matching": shape_matching,
}
