# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape matching: C = √(Σ μᵢ |xᵢ − gᵢ|²) [kg^½·m], compliance α [s²], over any number of particles.

The goals gᵢ = R qᵢ + x̄ are the rest shape, moved and turned to fit best (Müller et al. 2005, "Meshless deformations
based on shape matching", §3.2–3.3): x̄ is the centre of mass, R the rotation nearest to A = Σ μᵢ (xᵢ − x̄) qᵢᵀ. Since
x̄ and R minimise C, they add nothing to its gradient: ∇ᵢC = μᵢ (xᵢ − gᵢ)/C. U = C²/(2α) = ½ (2πf)² Σ μᵢ |xᵢ − gᵢ|² with
α = 1/(2πf)²: every particle swings around its goal with the frequency f, whatever its mass. With μᵢ the particles' own
masses Σ w|∇C|² = 1, so PBD mode is exactly the source's Δx = k (g − x).
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from .constraint import (
    DAMPED,
    ConstraintBlock,
    ConstraintType,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
    solve_multiplier,
)
from .lanes import dot, edge, place
from .pools import FIRST_MEMBER, FIRST_VALUE, MEMBERS, POOLED_ROW, Pools, pooled_rows
from .rotation import nearest_rotation
from .scaling import compliances

# of each member: its rest position about the centre of mass, and its matching mass
VALUES = 4


@ti.func
def project_shape_matching(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one cluster, member after member; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, count, values = indices[i + FIRST_MEMBER], indices[i + MEMBERS], indices[i + FIRST_VALUE]
    # relative to one member, so that float32 is as fine as the cluster is small; what comes of the inverse masses in
    # the fourth components is not used
    start = positions[indices[first]]
    total = ti.Vector([0.0, 0.0, 0.0, 0.0])
    mass = 0.0
    for k in range(count):
        mu = parameters[values + VALUES * k + 3]
        total += mu * (positions[indices[first + k]] - start)
        mass += mu
    centre = start + (1.0 / mass) * total
    a0, a1, a2 = ti.Vector([0.0] * 4), ti.Vector([0.0] * 4), ti.Vector([0.0] * 4)
    for k in range(count):
        v = place(values + VALUES * k)
        arm = parameters[v + 3] * (positions[indices[first + k]] - centre)
        a0 += parameters[v] * arm
        a1 += parameters[v + 1] * arm
        a2 += parameters[v + 2] * arm
    rotation = nearest_rotation(ti.Matrix.cols([a0.xyz, a1.xyz, a2.xyz]))
    r0 = ti.Vector([rotation[0, 0], rotation[1, 0], rotation[2, 0], 0.0])
    r1 = ti.Vector([rotation[0, 1], rotation[1, 1], rotation[2, 1], 0.0])
    r2 = ti.Vector([rotation[0, 2], rotation[1, 2], rotation[2, 2], 0.0])
    square, weight, damping_time = 0.0, 0.0, 0.0
    for k in range(count):
        v = place(values + VALUES * k)
        x = positions[indices[first + k]]
        offset = x - centre - (parameters[v] * r0 + parameters[v + 1] * r1 + parameters[v + 2] * r2)
        mu = parameters[v + 3]
        share = mu * dot(offset, offset)
        square += share
        weight += x[3] * mu * share
        if ti.static(mode & DAMPED):
            damping_time += previous_positions[indices[first + k]][3] / count
    if square > 0.0:
        value = ti.sqrt(square)
        rate, gamma = 0.0, 0.0
        if ti.static(mode & DAMPED):
            rate = value - reached_before(constraints, m + 1, 1, value, step, mode)
            gamma = damping_share(damping_time, step, mode)
        multiplier = read_multiplier(constraints, m, step, mode)
        delta = solve_multiplier(value, weight / square, parameters[p], multiplier, rate, gamma, step, mode)
        keep_multiplier(constraints, m, mode, multiplier + delta)
        if ti.static(mode & DAMPED):
            keep_reached(constraints, m + 1, 1, value + weight / square * delta, mode)
        delta /= value
        for k in range(count):
            v = place(values + VALUES * k)
            x = positions[indices[first + k]]
            offset = edge(x, centre) - (parameters[v] * r0 + parameters[v + 1] * r1 + parameters[v + 2] * r2)
            positions[indices[first + k]] = x + (delta * parameters[v + 3] * x[3]) * offset


def evaluate_shape_matching(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [kg^½·m], shape (constraints, 1)."""
    values = np.zeros((len(block), 1))
    for number in range(len(block)):
        rest, masses = _rest_shape(block, number)
        mine = positions[block.members(number)]
        mine = mine - masses @ mine / masses.sum()
        u, _, vt = np.linalg.svd((masses[:, None] * mine).T @ rest)
        rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
        values[number] = np.sqrt((masses * ((mine - rest @ rotation.T) ** 2).sum(axis=1)).sum())
    return values


SHAPE_MATCHING = ConstraintType(
    name="shape_matching",
    particle_count=POOLED_ROW,
    parameters=("compliance [s²]",),
    multiplier_count=1,
    project=project_shape_matching,
    evaluate=evaluate_shape_matching,
    scales=compliances(-2.0, "shape_frequency"),
    nanoseconds=2000,
    memory=1,
)


def build_shape_matching(
    positions: npt.NDArray[np.float64],
    masses: npt.NDArray[np.float64],
    clusters: list[npt.NDArray[np.int32]],
    compliance: npt.NDArray[np.float64] | float,
) -> ConstraintBlock:
    """Hold the shape of clusters of particles.

    A particle in several clusters gives each an equal part of its mass, so that overlapping clusters together are as
    stiff as one.

    Args:
        positions: rest positions [m], shape (particles, 3).
        masses: of the particles, of pinned ones too [kg], shape (particles,); members of no mass are left out.
        clusters: members of each one, see ``geometry.solid.clusters``; with fewer than two masses left out.
        compliance: [s²], one for all or shape (clusters,), see ``frequency_compliance`` and ``cluster_compliance``;
            infinite ones are left out.
    """
    alpha = np.broadcast_to(np.asarray(compliance, np.float64), len(clusters))
    shares = _mass_shares(masses, clusters)
    solid = [cluster[shares[cluster] > 0.0] for cluster in clusters]
    used = [k for k, cluster in enumerate(solid) if len(cluster) > 1 and np.isfinite(alpha[k])]
    members = [np.asarray(solid[k], np.int32) for k in used]
    counts = np.array([len(cluster) for cluster in members], np.int64)
    values = [np.zeros(0)]
    for cluster in members:
        weights, places = shares[cluster], positions[cluster]
        rest = places - weights @ places / weights.sum()
        values.append(np.concatenate([rest, weights[:, None]], axis=1).ravel())
    pools = Pools(np.concatenate([np.zeros(0, np.int32), *members]), np.zeros(0, np.int32), np.concatenate(values))
    rows = pooled_rows(counts, np.zeros_like(counts), VALUES * counts)
    return ConstraintBlock(SHAPE_MATCHING, rows, alpha[used][:, None], pools)


def frequency_compliance(frequency: npt.NDArray[np.float64] | float) -> npt.NDArray[np.float64]:
    """Compliance of particles that swing around their goals, α = 1/(2πf)² [s²].

    Args:
        frequency: f [Hz], any shape; 0 gives infinite compliance.
    """
    given = np.asarray(frequency, np.float64)
    return np.divide(1.0, (2.0 * np.pi * given) ** 2, out=np.full(given.shape, np.inf), where=given > 0.0)


def cluster_compliance(
    positions: npt.NDArray[np.float64],
    masses: npt.NDArray[np.float64],
    clusters: list[npt.NDArray[np.int32]],
    youngs_modulus: npt.NDArray[np.float64] | float,
    density: float,
) -> npt.NDArray[np.float64]:
    """Compliance of clusters so that a body of them has the modulus of the material, α = ρ r²/E [s²].

    A uniform strain ε moves a member by ε q off its goal, so a cluster stores ½ Σ μ |εq|²/α, which is ½ ρ r² ε:ε/α per
    volume where r² is the mean of q² along one axis. That is a solid without lateral contraction, E = ρ r²/α.

    Args:
        positions: rest positions [m], shape (particles, 3).
        masses: [kg], shape (particles,).
        clusters: members of each.
        youngs_modulus: E [Pa], one for all or shape (clusters,).
        density: ρ [kg/m³].

    Returns:
        compliance [s²], shape (clusters,); infinite where E is 0.
    """
    shares = _mass_shares(masses, clusters)
    squares = np.zeros(len(clusters))
    for k, cluster in enumerate(clusters):
        weights = shares[cluster]
        total = max(float(weights.sum()), 1e-300)
        places = positions[cluster] - weights @ positions[cluster] / total
        squares[k] = weights @ (places**2).sum(axis=1) / total / 3.0
    modulus = np.broadcast_to(np.asarray(youngs_modulus, np.float64), len(clusters))
    return np.divide(density * squares, modulus, out=np.full(len(clusters), np.inf), where=modulus > 0.0)


def _mass_shares(masses: npt.NDArray[np.float64], clusters: list[npt.NDArray[np.int32]]) -> npt.NDArray[np.float64]:
    """The mass of each particle over the number of clusters that it is in [kg], shape (particles,)."""
    together = np.concatenate([np.zeros(0, np.int32), *clusters])
    return masses / np.maximum(np.bincount(together, minlength=len(masses)), 1)


def _rest_shape(block: ConstraintBlock, number: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Rest positions about the centre of mass, shape (members, 3), and matching masses, of one cluster."""
    if block.pools is None:
        raise ValueError("shape matching without its pools")
    row = block.indices[number]
    table = block.pools.values[row[FIRST_VALUE] : row[FIRST_VALUE] + VALUES * row[MEMBERS]].reshape(-1, VALUES)
    return table[:, :3], table[:, 3]
