# SPDX-License-Identifier: GPL-3.0-or-later
"""Dihedral bending: C = θ − θ₀ [rad], the angle between neighbouring triangles, compliance α [1/(N·m)].

Gradient as in Bridson, Marino & Fedkiw 2003, §4 (their u₁…u₄ are ∇θ); angle by atan2, which is exact at 0 and π.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import (
    DAMPED,
    SMALL,
    ConstraintBlock,
    ConstraintType,
    Flow,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
    solve_multiplier,
)
from ..flow import permanent_share
from ..lanes import cross, dot, edge
from ..scaling import compliances
from .angle import angle_of

# the fifth power of a length [m⁵]; its inverse is a number in single precision
TINY = 1e-37


@ti.func
def project_dihedral_bending(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one hinge; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    ia, ib, ic, id_ = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    xa, xb, xc, xd = positions[ia], positions[ib], positions[ic], positions[id_]
    e, ca, cb, da, db = edge(xb, xa), edge(xc, xa), edge(xc, xb), edge(xd, xa), edge(xd, xb)
    square = dot(e, e)
    length = ti.max(ti.sqrt(square), SMALL)
    n1, n2 = cross(ca, cb), cross(db, da)
    # (n₂ × n₁)·e = |e|² n₁·da, because n₂ = e × da and n₁ is across e
    value = angle_of(length * dot(n1, da), dot(n1, n2)) - parameters[p]
    if value > ti.math.pi:
        value -= 2.0 * ti.math.pi
    elif value < -ti.math.pi:
        value += 2.0 * ti.math.pi
    # first the vectors, then their lengths: squares of the factors overflow in single precision
    m1 = (1.0 / ti.max(length * dot(n1, n1), TINY)) * n1
    m2 = (1.0 / ti.max(length * dot(n2, n2), TINY)) * n2
    # ∇θ at a, c and d, and its opposite at b; with how far c and d are along the edge from b, times its length
    c_along, d_along = dot(cb, e), dot(db, e)
    ga = c_along * m1 + d_along * m2
    gb = (c_along + square) * m1 + (d_along + square) * m2
    gc, gd = square * m1, square * m2
    weight = xa[3] * dot(ga, ga) + xb[3] * dot(gb, gb) + xc[3] * dot(gc, gc) + xd[3] * dot(gd, gd)
    multiplier = read_multiplier(constraints, m, step, mode)
    rate, gamma = 0.0, 0.0
    if ti.static(mode & DAMPED):
        pa, pb, pc, pd = previous_positions[ia], previous_positions[ib], previous_positions[ic], previous_positions[id_]
        rate = value - reached_before(constraints, m + 1, 1, value, step, mode)
        if ti.abs(rate) > ti.math.pi:
            # a fold that went round
            rate -= 2.0 * ti.math.pi * ti.math.sign(rate)
        gamma = damping_share(0.25 * (pa[3] + pb[3] + pc[3] + pd[3]), step, mode)
    delta = solve_multiplier(value, weight, parameters[p + 1], multiplier, rate, gamma, step, mode)
    keep_multiplier(constraints, m, mode, multiplier + delta)
    if ti.static(mode & DAMPED):
        keep_reached(constraints, m + 1, 1, value + weight * delta, mode)
    positions[ia] = xa + (xa[3] * delta) * ga
    positions[ib] = xb - (xb[3] * delta) * gb
    positions[ic] = xc + (xc[3] * delta) * gc
    positions[id_] = xd + (xd[3] * delta) * gd


@ti.func
def flow_angle(particles: ti.template(), constraints: ti.template(), i, p, given):
    """Let a fold have another rest angle: its first parameter; arguments as in ``Flow``."""
    limit, amount = given[0], given[1]
    positions = ti.static(particles.positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    xa, xb, xc, xd = (
        positions[indices[i]], positions[indices[i + 1]], positions[indices[i + 2]], positions[indices[i + 3]],
    )  # fmt: skip
    e, da = edge(xb, xa), edge(xd, xa)
    n1, n2 = cross(edge(xc, xa), edge(xc, xb)), cross(edge(xd, xb), da)
    rest = parameters[p]
    value = angle_of(e.norm() * dot(n1, da), dot(n1, n2)) - rest
    if value > ti.math.pi:
        value -= 2.0 * ti.math.pi
    elif value < -ti.math.pi:
        value += 2.0 * ti.math.pi
    excess = value - ti.math.clamp(value, -limit, limit)
    if excess != 0.0:
        angle = rest + permanent_share(amount) * excess
        if angle > ti.math.pi:
            angle -= 2.0 * ti.math.pi
        elif angle < -ti.math.pi:
            angle += 2.0 * ti.math.pi
        parameters[p] = angle


def fold_widths(positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """The angle of each hinge per curvature [m], shape (hinges,): the root of ``mean_squared_folds``."""
    widths: npt.NDArray[np.float64] = np.sqrt(mean_squared_folds(positions, hinges))
    return np.where(np.isfinite(widths), widths, 0.0)


def dihedral_angles(positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Angle between the two triangles of each hinge [rad], 0 where they are flat, shape (hinges,)."""
    a, b, c, d = (positions[hinges[:, corner]] for corner in range(4))
    edge = b - a
    axis = edge / np.maximum(np.linalg.norm(edge, axis=1, keepdims=True), 1e-300)
    n1, n2 = np.cross(c - a, c - b), np.cross(d - b, d - a)
    angles: npt.NDArray[np.float64] = np.arctan2((np.cross(n2, n1) * axis).sum(1), (n1 * n2).sum(1))
    return angles


def evaluate_dihedral_bending(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [rad], shape (constraints, 1)."""
    difference = dihedral_angles(positions, block.indices) - block.parameters[:, 0]
    wrapped: npt.NDArray[np.float64] = (difference + np.pi) % (2.0 * np.pi) - np.pi
    return wrapped[:, None]


DIHEDRAL_BENDING = ConstraintType(
    name="dihedral_bending",
    particle_count=4,
    parameters=("rest angle [rad]", "compliance [1/(N·m)]"),
    multiplier_count=1,
    project=project_dihedral_bending,
    flow=Flow(flow_angle, (0,), "yield_curvature", fold_widths),
    evaluate=evaluate_dihedral_bending,
    scales=(*compliances(-1.0, "bending_stiffness"), *compliances(1.0, "bending_compliance")),
    nanoseconds=45,
    memory=1,
)


def build_dihedral_bending(
    positions: npt.NDArray[np.float64],
    hinges: npt.NDArray[np.int32],
    compliance: npt.NDArray[np.float64] | float,
    rest_angles: npt.NDArray[np.float64] | Literal["flat"] | None = None,
) -> ConstraintBlock:
    """Hold the angle of hinges.

    Args:
        positions: rest positions [m], shape (particles, 3).
        hinges: edge and the two opposite particles (a, b, c, d), shape (constraints, 4).
        compliance: [1/(N·m)], one for all or shape (constraints,); hinges of infinite compliance are left out.
        rest_angles: the mesh's own (None), "flat", or given [rad], shape (constraints,).
    """
    if rest_angles is None:
        angles = dihedral_angles(positions, hinges)
    elif isinstance(rest_angles, str):
        angles = np.zeros(len(hinges))
    else:
        angles = np.asarray(rest_angles, np.float64)
    alpha = np.broadcast_to(np.asarray(compliance, np.float64), angles.shape)
    sound = np.isfinite(alpha)
    return ConstraintBlock(DIHEDRAL_BENDING, hinges[sound], np.stack([angles, alpha], axis=1)[sound])


def hinge_shares(positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """The area that each hinge stands for [m²], shape (hinges,): its triangles share theirs among their hinges."""
    triangles = np.concatenate([hinges[:, [0, 1, 2]], hinges[:, [0, 1, 3]]])
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0
    _, which, counts = np.unique(np.sort(triangles, axis=1), axis=0, return_inverse=True, return_counts=True)
    shares: npt.NDArray[np.float64] = (areas / counts[which.reshape(-1)]).reshape(2, -1).sum(axis=0)
    return shares


def hinge_compliance(
    positions: npt.NDArray[np.float64],
    hinges: npt.NDArray[np.int32],
    bending_stiffness: npt.NDArray[np.float64] | float,
) -> npt.NDArray[np.float64]:
    """Compliance of each hinge so that the mesh has the bending stiffness of the material, α = M/(k (A₁/n₁ + A₂/n₂)).

    M is the mean of (θ/κ)² over all directions of a cylinder of curvature κ on whose surface the hinge's four vertices
    lie. The n hinges of a triangle share its area, a third each but at the border of the mesh, so the mesh stores
    ½ k κ² per area in the mean over the directions. With equilateral triangles of side l it does so in every direction,
    and α = (A₁+A₂)/(k l²) (Seung & Nelson 1988 have the same for this lattice); a grid of right-angled triangles is
    stiffer along one diagonal than across it. Grinspun et al. 2003, §3, and Bergou et al. 2006 store about three times
    the energy.

    Args:
        positions: rest positions [m], shape (particles, 3).
        hinges: shape (hinges, 4).
        bending_stiffness: k [N·m], one for all or shape (hinges,).

    Returns:
        compliance [1/(N·m)], shape (hinges,); infinite where k is 0 or a triangle has no area.
    """
    stiffness = np.broadcast_to(np.asarray(bending_stiffness, np.float64), len(hinges))
    squares, shares = mean_squared_folds(positions, hinges), hinge_shares(positions, hinges)
    sound = (stiffness > 0.0) & (shares > 0.0)
    return np.divide(squares, stiffness * shares, out=np.full(len(hinges), np.inf), where=sound)


def free_shares(
    positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32], fixed: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The share of the area beside each hinge that is not clamped, shape (hinges,); 1 where all of it is.

    A triangle whose corners are all fixed does not bend. So a fold at the edge of a clamp stands for the share s of its
    area, in which it is s of the fold that the same curvature makes elsewhere: its compliance is s times as great.

    Args:
        positions: rest positions [m], shape (particles, 3).
        hinges: shape (hinges, 4).
        fixed: which particles are fixed, shape (particles,).
    """
    areas = []
    for opposite in (2, 3):
        a, b, c = (positions[hinges[:, corner]] for corner in (0, 1, opposite))
        is_free = ~fixed[hinges[:, [0, 1, opposite]]].all(axis=1)
        areas.append(np.linalg.norm(np.cross(b - a, c - a), axis=1) * np.stack([is_free, np.ones(len(hinges))]))
    free, whole = areas[0] + areas[1]
    return np.divide(free, whole, out=np.ones(len(hinges)), where=free > 0.0)


def mean_squared_folds(positions: npt.NDArray[np.float64], hinges: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """(θ/κ)² of hinges whose vertices lie on a cylinder of small curvature κ, in the mean over its directions [m²].

    In the plane, with the edge from (0, 0) to (l, 0) and the opposite vertices at (x₁, h₁) and (x₂, −h₂), a surface of
    height ½ κ (u·x)² folds by θ = κ uᵀSu, and the mean of (uᵀSu)² over the directions u is ((tr S)² + 2 tr S²)/8.

    Returns:
        shape (hinges,), infinite where a triangle has no area.
    """
    a, b, c, d = (positions[hinges[:, corner]] for corner in range(4))
    length = np.linalg.norm(b - a, axis=1)
    axis = (b - a) / np.maximum(length, 1e-300)[:, None]
    along, heights = [], []
    for opposite in (c, d):
        x = ((opposite - a) * axis).sum(axis=1)
        along.append(x)
        heights.append(np.linalg.norm(opposite - a - x[:, None] * axis, axis=1))
    sound = np.minimum(*heights) > 1e-9 * np.maximum(length, np.maximum(*heights))
    edge = sum(x * (x - length) / (2.0 * np.where(sound, h, 1.0)) for x, h in zip(along, heights, strict=True))
    across, twist = (heights[0] + heights[1]) / 2.0, (along[0] - along[1]) / 2.0
    means = ((edge + across) ** 2 + 2.0 * (edge**2 + across**2 + 2.0 * twist**2)) / 8.0
    return np.where(sound, means, np.inf)
