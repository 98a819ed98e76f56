# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane of triangles: C = (E_uu, E_vv, 2 E_uv) [1], the Green strain along warp u and weft v, in one 3×3 solve.

With E = ½ (FᵀF − 1), F = (f_u f_v) the 3×2 deformation gradient, U = ½ Cᵀ α⁻¹ C is the energy A/2 Cᵀ K C of a St
Venant-Kirchhoff membrane of the area A. K is orthotropic; its inverse is the compliance

    α = 1/A · [1/k_u, −ν/√(k_u k_v), 0;  −ν/√(k_u k_v), 1/k_v, 0;  0, 0, 1/k_s]   [1/(N·m)]

with the tensile stiffness k_u of warp and k_v of weft, the shear stiffness k_s [N/m = Pa times thickness], and ν the
geometric mean of the two Poisson's ratios, for which α is positive for every |ν| < 1. The multiplier is a vector:
(∇C W ∇Cᵀ + α/h²) Δλ = −C − α/h² λ (XPBD 2016, eq. 18). Müller et al. 2014, "Strain based dynamics", have such strains
as constraints, one after the other; together, stretch and shear do not undo each other in slanted triangles.

The stress pulls along F times a symmetric matrix, so there is no torque. A triangle that is all but collapsed is solved
with the weight that it has at half its size, because there ∇C vanishes but C does not, and Newton's step is unbounded.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    DAMPED,
    PBD,
    REPEATED,
    SMALL,
    ConstraintBlock,
    ConstraintType,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
)
from .flow import FLOWING_TRIANGLE
from .lanes import dot, edge
from .scaling import Scaling, compliances

# squares of the stretch and of the sine between warp and weft below which a triangle counts as collapsed: half
# its size, and 18°. Chosen by hand: more softens compressed cloth, less lets Newton's step throw vertices far
LEAST_STRETCH = 0.25
LEAST_SINE = 0.1


@ti.func
def project_membrane(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one triangle; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    i0, i1, i2 = indices[i], indices[i + 1], indices[i + 2]
    x0, x1, x2 = positions[i0], positions[i1], positions[i2]
    u1, v1, u2, v2 = parameters[p], parameters[p + 1], parameters[p + 2], parameters[p + 3]
    u0, v0 = -(u1 + u2), -(v1 + v2)
    d1, d2 = edge(x1, x0), edge(x2, x0)
    fu, fv = u1 * d1 + u2 * d2, v1 * d1 + v2 * d2
    uu, vv, uv = dot(fu, fu), dot(fv, fv), dot(fu, fv)
    strain = ti.Vector([0.5 * (uu - 1.0), 0.5 * (vv - 1.0), uv])
    force = strain
    # ∇C W ∇Cᵀ, from the weights along warp, weft and both
    w0u, w1u, w2u = x0[3] * u0, x1[3] * u1, x2[3] * u2
    a, c = w0u * u0 + w1u * u1 + w2u * u2, w0u * v0 + w1u * v1 + w2u * v2
    b = x0[3] * v0 * v0 + x1[3] * v1 * v1 + x2[3] * v2 * v2
    safe_u, safe_v = ti.max(uu, LEAST_STRETCH), ti.max(vv, LEAST_STRETCH)
    shear, areas = b * safe_u + a * safe_v, uu * vv + SMALL
    if uv * uv > (1.0 - LEAST_SINE) * areas:
        shear *= LEAST_SINE + uv * uv / areas
    k11, k22, k12 = a * safe_u + SMALL, b * safe_v + SMALL, c * uv
    k13, k23 = c * uu + a * uv, b * uv + c * vv
    k33 = shear + 2.0 * k12 + SMALL
    w1, w2, w3 = ti.Vector([k11, k12, k13]), ti.Vector([k12, k22, k23]), ti.Vector([k13, k23, k33])
    multiplier = ti.Vector([0.0, 0.0, 0.0])
    share = 1.0
    if ti.static(mode & PBD):
        share = parameters[p + 7]
    else:
        alpha_tilde = parameters[p + 7] * step[0]
        if ti.static(mode & DAMPED):
            times = previous_positions[i0][3] + previous_positions[i1][3] + previous_positions[i2][3]
            gamma = damping_share(times / 3.0, step, mode)
            for row in ti.static(range(3)):
                before = reached_before(constraints, m + 3 + row, 3, strain[row], step, mode)
                force[row] += gamma * (strain[row] - before)
            more = 1.0 + gamma
            k11, k22, k33, k12, k13, k23 = k11 * more, k22 * more, k33 * more, k12 * more, k13 * more, k23 * more
        s22, s33 = alpha_tilde * parameters[p + 4], alpha_tilde * parameters[p + 6]
        s12 = -alpha_tilde * parameters[p + 5]
        if ti.static(mode & REPEATED):
            for row in ti.static(range(3)):
                multiplier[row] = read_multiplier(constraints, m + row, step, mode)
            force[0] += alpha_tilde * multiplier[0] + s12 * multiplier[1]
            force[1] += s12 * multiplier[0] + s22 * multiplier[1]
            force[2] += s33 * multiplier[2]
        k11, k22, k12, k33 = k11 + alpha_tilde, k22 + s22, k12 + s12, k33 + s33
    # L D Lᵀ of a matrix that is positive up to rounding, D by its inverse
    d1_inverse = 1.0 / k11
    l21, l31 = k12 * d1_inverse, k13 * d1_inverse
    e2 = ti.max(k22 - l21 * k12, 1e-6 * k22)
    d2_inverse = 1.0 / e2
    l32 = (k23 - l21 * k13) * d2_inverse
    e3 = ti.max(k33 - l31 * k13 - l32 * l32 * e2, 1e-6 * k33)
    y1 = force[0]
    y2 = force[1] - l21 * y1
    z3 = (force[2] - l31 * y1 - l32 * y2) / e3
    z2 = y2 * d2_inverse - l32 * z3
    z1 = y1 * d1_inverse - l21 * z2 - l31 * z3
    delta = -share * ti.Vector([z1, z2, z3])
    if ti.static(not mode & PBD):
        for row in ti.static(range(3)):
            keep_multiplier(constraints, m + row, mode, multiplier[row] + delta[row])
    if ti.static(mode & DAMPED and not mode & PBD):
        change = delta[0] * w1 + delta[1] * w2 + delta[2] * w3
        for row in ti.static(range(3)):
            keep_reached(constraints, m + 3 + row, 3, strain[row] + change[row], mode)
    along_u, along_v = delta[0] * fu + delta[2] * fv, delta[1] * fv + delta[2] * fu
    positions[i0] = x0 + x0[3] * (u0 * along_u + v0 * along_v)
    positions[i1] = x1 + x1[3] * (u1 * along_u + v1 * along_v)
    positions[i2] = x2 + x2[3] * (u2 * along_u + v2 * along_v)


def evaluate_membrane(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [1], shape (constraints, 3)."""
    corners = positions[block.indices]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    gradients = edges @ block.parameters[:, :4].reshape(-1, 2, 2)
    fu, fv = gradients[:, :, 0], gradients[:, :, 1]
    return np.stack(
        [0.5 * ((fu * fu).sum(axis=1) - 1.0), 0.5 * ((fv * fv).sum(axis=1) - 1.0), (fu * fv).sum(axis=1)], axis=1
    )


MEMBRANE = ConstraintType(
    name="membrane",
    particle_count=3,
    parameters=(
        "inverse rest edges 1u [1/m]",
        "inverse rest edges 1v [1/m]",
        "inverse rest edges 2u [1/m]",
        "inverse rest edges 2v [1/m]",
        "k_u/k_v [1]",
        "ν √(k_u/k_v) [1]",
        "k_u/k_s [1]",
        "compliance [1/(N·m)]",
    ),
    multiplier_count=3,
    project=project_membrane,
    flow=FLOWING_TRIANGLE,
    evaluate=evaluate_membrane,
    memory=3,
    scales=(
        *compliances(-1.0, "stretch_stiffness", "warp_stiffness"),
        Scaling("warp_stiffness", 4, 1.0),
        Scaling("warp_stiffness", 5, 0.5),
        Scaling("warp_stiffness", 6, 1.0),
        Scaling("weft_stiffness", 4, -1.0),
        Scaling("weft_stiffness", 5, -0.5),
        Scaling("shear_stiffness", 6, -1.0),
    ),
    nanoseconds=30,
    is_swept=True,
)


def build_membrane(
    positions: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.int32],
    warp_stiffness: npt.ArrayLike,
    weft_stiffness: npt.ArrayLike | None = None,
    shear_stiffness: npt.ArrayLike | None = None,
    poissons_ratio: npt.ArrayLike = 0.0,
    warp_directions: npt.NDArray[np.float64] | None = None,
) -> ConstraintBlock:
    """Make triangles an elastic membrane.

    Args:
        positions: rest positions [m], shape (particles, 3).
        triangles: shape (triangles, 3); those without area are left out.
        warp_stiffness: k_u [N/m], positive, one for all or shape (triangles,).
        weft_stiffness: k_v [N/m], likewise; None for that of the warp.
        shear_stiffness: k_s [N/m], likewise; None for that of an isotropic membrane, √(k_u k_v) / (2 (1 + ν)).
        poissons_ratio: ν, above −1 and below 1, one for all or shape (triangles,).
        warp_directions: direction of the warp at each triangle, of any length, shape (triangles, 3). None, or a
            direction across the triangle, means its first edge.

    Raises:
        ValueError: a stiffness that is not positive, or ν out of range.
    """
    nu, warp = np.asarray(poissons_ratio, np.float64), np.asarray(warp_stiffness, np.float64)
    weft = warp if weft_stiffness is None else np.asarray(weft_stiffness, np.float64)
    shear = np.sqrt(warp * weft) / (2.0 * (1.0 + nu)) if shear_stiffness is None else np.asarray(shear_stiffness)
    if not (np.abs(nu) < 1.0).all():
        raise ValueError("Poisson's ratio of a membrane must be between -1 and 1")
    if not all((stiffness > 0.0).all() for stiffness in (warp, weft, shear)):
        raise ValueError("the stiffness of a membrane must be positive")
    edges = positions[triangles[:, 1:]] - positions[triangles[:, :1]]
    normals = np.cross(edges[:, 0], edges[:, 1])
    doubled_areas = np.linalg.norm(normals, axis=1)
    solid = doubled_areas > 1e-6 * (edges**2).sum(axis=(1, 2))
    edges, doubled_areas = edges[solid], doubled_areas[solid]
    frames = _material_frames(
        edges, normals[solid] / doubled_areas[:, None], None if warp_directions is None else warp_directions[solid]
    )
    # rest edges as columns, in material coordinates
    flat = np.einsum("tkx,tcx->tck", edges, frames)
    columns = (warp / weft, nu * np.sqrt(warp / weft), warp / shear, 2.0 / warp)
    ratios = [np.broadcast_to(values, solid.shape)[solid] for values in columns]
    ratios[3] = ratios[3] / doubled_areas
    return ConstraintBlock(MEMBRANE, triangles[solid], np.column_stack([np.linalg.inv(flat).reshape(-1, 4), *ratios]))


def _material_frames(
    edges: npt.NDArray[np.float64], normals: npt.NDArray[np.float64], directions: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.float64]:
    """Unit vectors along warp and weft in the plane of each triangle, shape (triangles, 2, 3)."""
    first = edges[:, 0] / np.linalg.norm(edges[:, 0], axis=1, keepdims=True)
    warp = first
    if directions is not None:
        given = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
        inside = given - (given * normals).sum(axis=1, keepdims=True) * normals
        lengths = np.linalg.norm(inside, axis=1, keepdims=True)
        warp = np.where(lengths > 1e-6, inside / np.maximum(lengths, 1e-300), first)
    return np.stack([warp, np.cross(normals, warp)], axis=1)


def warp_directions_from_uv(
    positions: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32], uv: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The direction in which u grows and v does not.

    Args:
        positions: rest positions [m], shape (particles, 3).
        triangles: shape (triangles, 3).
        uv: coordinates at the corners of each triangle, shape (triangles, 3, 2).

    Returns:
        directions, not normalized, shape (triangles, 3); 0 where the map collapses a triangle.
    """
    edges = positions[triangles[:, 1:]] - positions[triangles[:, :1]]
    steps = uv[:, 1:] - uv[:, :1]
    areas = steps[:, 0, 0] * steps[:, 1, 1] - steps[:, 1, 0] * steps[:, 0, 1]
    # u = 1, v = 0 is the edge sum (v₂ e₁ − v₁ e₂) / area
    direction = steps[:, 1, 1, None] * edges[:, 0] - steps[:, 0, 1, None] * edges[:, 1]
    directions: npt.NDArray[np.float64] = direction * np.sign(areas)[:, None]
    return directions
