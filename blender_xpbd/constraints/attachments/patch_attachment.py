# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachment of a patch of a body to a point of another: C = x̄ + R o − Σ bⱼ yⱼ [m], three rows, compliance α [m/N].

Where a strand, a cloth or a pin bears a jelly by one of its vertices, all of the weight would go through the few
tetrahedra there, which no elasticity bears. So a patch of particles around the vertex is held. x̄ is its centre of mass,
R the rotation nearest to how it has turned (``shape_matching``), and o leads from the one to the vertex at rest; yⱼ are
the corners of a triangle, the ends of an edge, or a particle.

A pull λ at the end of the lever l = Σ bⱼ yⱼ − x̄ moves the patch as it would a rigid body: by λ/M, and by the turn
ω = J⁻¹ (l × λ) about x̄. So it turns about the point freely, both momenta are kept, and no particle is moved much more
than its neighbours. The rows hang together by K = 1/M − [l]ₓ J⁻¹ [l]ₓ, and are solved at once. It is exact for a rigid
patch where C is small: ∂R/∂x of what is bent, and R o − l, are neglected.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..constraint import (
    DAMPED,
    PBD,
    REPEATED,
    ConstraintBlock,
    ConstraintType,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
)
from ..lanes import place
from ..pools import FIRST_MEMBER, FIRST_VALUE, MEMBERS, POOLED_ROW, Pools, pooled_rows
from ..rotation import nearest_rotation
from ..scaling import compliances

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of each member of the patch: its place at rest about the centre of mass, and its mass; of each corner of what holds it
# its share in the fourth
VALUES = 4
# members that are corners of what holds the patch, the last ones: a triangle, an edge or a point; some may be the same
ENDS = 3
# of the moments of inertia, what is added to all: a patch may be a line
_LEAST_INERTIA = 1e-6
# of the mass times the square of the lever at rest, the spread of what is a point but for rounding
_POINT = 1e-9
# trace of a matrix that is 0 but for rounding: a patch of a jelly of 1 µm has moments of inertia of 1e-30 kg m²
_NOTHING = 1e-36


@ti.func
def project_patch_attachment(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one attachment; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, count, values = indices[i + FIRST_MEMBER], indices[i + MEMBERS], indices[i + FIRST_VALUE]
    own = count - ENDS
    start = positions[indices[first]].xyz
    total, mass = ti.Vector([0.0, 0.0, 0.0]), 0.0
    for k in range(own):
        mu = parameters[values + VALUES * k + 3]
        total += mu * (positions[indices[first + k]].xyz - start)
        mass += mu
    centre = start + (1.0 / mass) * total
    turn, spread = ti.Matrix.zero(float, 3, 3), ti.Matrix.zero(float, 3, 3)
    answer = 0.0
    for k in range(own):
        v = place(values + VALUES * k)
        x, mu = positions[indices[first + k]], parameters[v + 3]
        arm = x.xyz - centre
        turn += mu * arm.outer_product(ti.Vector([parameters[v], parameters[v + 1], parameters[v + 2]]))
        spread += mu * arm.outer_product(arm)
        # not mu first: its square has no room in single precision where masses are tiny
        answer += (mu * x[3]) * mu / mass
    trace = spread.trace()
    unit = ti.Matrix.identity(float, 3)
    # by their own size: those of a jelly of 1 µm are 1e-30 kg m²
    o = nearest_rotation((1.0 / ti.max(trace, _NOTHING)) * turn) @ ti.Vector(
        [parameters[p], parameters[p + 1], parameters[p + 2]]
    )
    turned = ti.Matrix.zero(float, 3, 3)
    # what has shrunk to a point does not turn
    if trace > _POINT * mass * o.norm_sqr():
        turned = _inverse((1.0 + _LEAST_INERTIA) * trace * unit - spread)
    way, damping_time, answer_of_ends = -centre, 0.0, 0.0
    for k in ti.static(range(ENDS)):
        y, b = positions[indices[first + own + k]], parameters[values + VALUES * (own + k) + 3]
        way += b * y.xyz
        answer_of_ends += b * b * y[3]
        if ti.static(mode & DAMPED):
            damping_time += b * previous_positions[indices[first + own + k]][3]
    value = o - way
    lever = ti.Matrix([[0.0, -way[2], way[1]], [way[2], 0.0, -way[0]], [-way[1], way[0], 0.0]])
    weight = (answer / mass + answer_of_ends) * unit - answer * (lever @ turned @ lever)
    delta = ti.Vector([0.0, 0.0, 0.0])
    if ti.static(mode & PBD):
        delta = -parameters[p + 3] * (_inverse(weight) @ value)
    else:
        alpha_tilde = parameters[p + 3] * step[0]
        force, size = value, weight
        if ti.static(mode & REPEATED):
            for row in ti.static(range(3)):
                force[row] += alpha_tilde * read_multiplier(constraints, m + row, step, mode)
        if ti.static(mode & DAMPED):
            gamma = damping_share(damping_time, step, mode)
            for row in ti.static(range(3)):
                force[row] += gamma * (value[row] - reached_before(constraints, m + 3 + row, 3, value[row], step, mode))
            size *= 1.0 + gamma
        delta = -(_inverse(size + alpha_tilde * unit) @ force)
        reached = value + weight @ delta
        for row in ti.static(range(3)):
            multiplier = read_multiplier(constraints, m + row, step, mode)
            keep_multiplier(constraints, m + row, mode, multiplier + delta[row])
            if ti.static(mode & DAMPED):
                keep_reached(constraints, m + 3 + row, 3, reached[row], mode)
    omega = turned @ (lever @ delta)
    for k in range(own):
        x = positions[indices[first + k]]
        share = parameters[values + VALUES * k + 3] * x[3]
        move = share * ((1.0 / mass) * delta + omega.cross(x.xyz - centre))
        positions[indices[first + k]] = x + ti.Vector([move[0], move[1], move[2], 0.0])
    for k in ti.static(range(ENDS)):
        y = positions[indices[first + own + k]]
        move = parameters[values + VALUES * (own + k) + 3] * y[3] * delta
        positions[indices[first + own + k]] = y - ti.Vector([move[0], move[1], move[2], 0.0])


@ti.func
def _inverse(a):
    """Of a symmetric matrix without negative eigenvalues; 0 of none. Scaled, so that nothing under- or overflows."""
    result, trace = ti.Matrix.zero(float, 3, 3), a.trace()
    if trace > _NOTHING:
        result = (1.0 / trace) * ((1.0 / trace) * a).inverse()
    return result


def evaluate_patch_attachment(positions: Floats, block: ConstraintBlock) -> Floats:
    """C of all constraints [m], shape (constraints, 3)."""
    values = np.zeros((len(block), 3))
    if block.pools is None:
        raise ValueError("a patch without its pools")
    for number, row in enumerate(block.indices):
        rest = block.pools.values[row[FIRST_VALUE] :][: VALUES * row[MEMBERS]].reshape(-1, VALUES)
        places, masses = positions[block.members(number)], rest[:-ENDS, 3]
        centre = masses @ places[:-ENDS] / masses.sum()
        u, _, vt = np.linalg.svd((masses[:, None] * (places[:-ENDS] - centre)).T @ rest[:-ENDS, :3])
        rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
        values[number] = centre + rotation @ block.parameters[number, :3] - rest[-ENDS:, 3] @ places[-ENDS:]
    return values


PATCH_ATTACHMENT = ConstraintType(
    name="patch_attachment",
    particle_count=POOLED_ROW,
    parameters=("x of the point from the centre [m]", "y", "z", "compliance [m/N]"),
    multiplier_count=3,
    project=project_patch_attachment,
    evaluate=evaluate_patch_attachment,
    scales=compliances(-2.0, "pin_frequency"),
    nanoseconds=2000,
    memory=3,
    is_swept=True,
)


def build_patch_attachment(
    patch: Ints, positions: Floats, masses: Floats, point: Floats, ends: Ints, shares: Floats, compliance: float
) -> ConstraintBlock:
    """Attach a patch to a point of a triangle or an edge, or to a particle.

    Args:
        patch: its particles, at least one.
        positions: of these at rest [m], shape (patch, 3).
        masses: of these [kg], above 0.
        point: of the patch, that is held, at rest [m], shape (3,).
        ends: other particles, ``ENDS`` at most: of a triangle, of an edge, or one.
        shares: of these in the point that holds the patch, which sum to 1.
        compliance: [m/N].
    """
    centre = masses @ positions / masses.sum()
    unused = ENDS - len(ends)
    ends, shares = np.append(ends, np.repeat(ends[:1], unused)), np.append(shares, np.zeros(unused))
    rest = np.zeros((len(patch) + ENDS, VALUES))
    rest[:-ENDS, :3], rest[:-ENDS, 3], rest[-ENDS:, 3] = positions - centre, masses, shares
    pools = Pools(np.concatenate([patch, ends]).astype(np.int32), np.zeros(0, np.int32), rest.ravel())
    count = np.array([len(rest)], np.int64)
    rows = pooled_rows(count, np.zeros_like(count), VALUES * count)
    return ConstraintBlock(PATCH_ATTACHMENT, rows, np.array([[*(point - centre), compliance]]), pools)
