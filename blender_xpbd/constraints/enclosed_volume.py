# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume of a closed surface: C = V − V* [m³], compliance α [m³/Pa], over any number of particles.

V = Σ x₁·(x₂ × x₃)/6 over the triangles and ∇ᵢV is a third of the area vectors around a vertex (PBD 2007, §4.4, eq. 14,
which has V times six). Two models share the projection:

- **Target volume**: V* = ratio · V₀ and a constant compliance, U = C²/(2α). With α = 0 an incompressible filling.
- **Gas** (isothermal, p V = nRT): the gauge pressure is p(V) = p_amb (V*/V − 1) = −C/α(V) with α(V) = V/p_amb, where V*
  is the volume at which the gas is as dense as the ambient air. Its energy is U = p_amb (V − V* − V* ln(V/V*)) [J].
  Since λ/h² is the pressure, C + α̃(V) λ = 0 is the gas law itself, and every step of the multiplier ends between the
  free volume and V*, so the secant α(V) needs no care where Newton's tangent would overshoot. A surface that is all but
  empty or inside out is taken as one of ``EMPTIEST`` V*, so it is blown up again.

A factor fᵢ per particle scales the force on it, fᵢ λ ∇ᵢV, so that one side of a skin is blown up more than another; one
step then solves for Σ wᵢ fᵢ |∇ᵢV|². Such forces have no energy, and those on a closed surface no longer sum to 0.
"""

import numpy as np
import numpy.typing as npt
import taichi as ti

from ..geometry.components import connected_components, dense_labels
from ..geometry.surface.surface_volume import examine_surface
from ..scene.gas import ATMOSPHERE
from .constraint import (
    DAMPED,
    PBD,
    ConstraintBlock,
    ConstraintType,
    damping_share,
    keep_multiplier,
    keep_reached,
    reached_before,
    read_multiplier,
    solve_multiplier,
)
from .lanes import SIXTH, dot, place
from .pools import EXTRAS, FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, MEMBERS, POOLED_ROW, Pools, pooled_rows
from .scaling import Scaling

# a gas is never taken to be denser than this share of V* allows: against an endless pressure where a surface is crushed
# or inside out; chosen by hand
EMPTIEST = 0.01
# of the ball of its area: what a surface holds by rounding alone, where its two sides lie on each other
_LEAST_FULLNESS = 1e-9
# of each member: working space for its gradient, and the factor on the force that acts on it
VALUES = 4


@ti.func
def project_enclosed_volume(particles: ti.template(), constraints: ti.template(), i, p, m, step, mode: ti.template()):
    """Project one surface, triangle after triangle; arguments as in ``constraint``."""
    positions, previous_positions = ti.static(particles.positions, particles.previous_positions)
    indices, parameters = ti.static(constraints.indices, constraints.parameters)
    first, count, values = indices[i + FIRST_MEMBER], indices[i + MEMBERS], indices[i + FIRST_VALUE]
    corners = indices[i + FIRST_EXTRA]
    for k in range(count):
        for axis in ti.static(range(3)):
            parameters[place(values + VALUES * k) + axis] = 0.0
    start = positions[indices[first]].xyz
    volume, lost = 0.0, 0.0
    for t in range(indices[i + EXTRAS] // 3):
        j = place(corners + 3 * t)
        ka, kb, kc = indices[j], indices[j + 1], indices[j + 2]
        a, b, c = (
            positions[indices[first + ka]].xyz,
            positions[indices[first + kb]].xyz,
            positions[indices[first + kc]].xyz,
        )
        # twice the area vector, and six times the volume of its pyramid over the start, which is summed up
        # compensated (Kahan): the pressure of a gas is in the last digits
        normal = (b - a).cross(c - a)
        part = normal.dot(a - start) - lost
        total = volume + part
        lost = (total - volume) - part
        volume = total
        # a third of the area vector, for each of the corners; on a closed surface that sums up to ∇V
        pull = ti.cast(SIXTH * normal, ti.f32)
        va, vb, vc = place(values + VALUES * ka), place(values + VALUES * kb), place(values + VALUES * kc)
        # all are read before one is written, and so three at once
        ga = pull + _gradient(parameters, va).xyz
        gb = pull + _gradient(parameters, vb).xyz
        gc = pull + _gradient(parameters, vc).xyz
        for v, gradient in ti.static(((va, ga), (vb, gb), (vc, gc))):
            for axis in ti.static(range(3)):
                parameters[v + axis] = gradient[axis]
    volume *= SIXTH
    weight, rate, gamma, damping_time = 0.0, 0.0, 0.0, 0.0
    for k in range(count):
        v = place(values + VALUES * k)
        gradient = _gradient(parameters, v)
        x = positions[indices[first + k]]
        weight += x[3] * parameters[v + 3] * dot(gradient, gradient)
        if ti.static(mode & DAMPED):
            damping_time += previous_positions[indices[first + k]][3] / count
    target, compliance = parameters[p], parameters[p + 2]
    value = volume - target
    if ti.static(not mode & PBD):
        # α(V) = α(V*) V/V* for a gas (1), α for a target volume (0)
        compliance *= 1.0 + parameters[p + 1] * (ti.max(volume / target, EMPTIEST) - 1.0)
    multiplier = read_multiplier(constraints, m, step, mode)
    if ti.static(mode & DAMPED):
        rate = value - reached_before(constraints, m + 1, 1, value, step, mode)
        gamma = damping_share(damping_time, step, mode)
    delta = solve_multiplier(value, weight, compliance, multiplier, rate, gamma, step, mode)
    keep_multiplier(constraints, m, mode, multiplier + delta)
    if ti.static(mode & DAMPED):
        keep_reached(constraints, m + 1, 1, value + weight * delta, mode)
    for k in range(count):
        v = place(values + VALUES * k)
        x = positions[indices[first + k]]
        positions[indices[first + k]] = x + (delta * parameters[v + 3] * x[3]) * _gradient(parameters, v)


@ti.func
def _gradient(parameters: ti.template(), v):
    """What is summed up of ∇V for a member [m²]."""
    return ti.Vector([parameters[v], parameters[v + 1], parameters[v + 2], 0.0])


def evaluate_enclosed_volume(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """C of all constraints [m³], shape (constraints, 1)."""
    volumes = np.array([_volume(positions[block.members(k)], _triangles(block, k)) for k in range(len(block))])
    return (volumes - block.parameters[:, 0])[:, None]


ENCLOSED_VOLUME = ConstraintType(
    name="enclosed_volume",
    particle_count=POOLED_ROW,
    parameters=("target volume [m³]", "gas, 0 or 1", "compliance (of a gas: at its target volume) [m³/Pa]"),
    multiplier_count=1,
    project=project_enclosed_volume,
    evaluate=evaluate_enclosed_volume,
    memory=1,
    scales=(
        Scaling("volume_ratio", 0, 1.0),
        Scaling("pressure", 0, 1.0, ATMOSPHERE),
        Scaling("pressure", 2, 1.0, ATMOSPHERE),
    ),
    nanoseconds=20000,
    is_swept=True,
)


def build_enclosed_volume(
    positions: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.int32],
    ratio: float = 1.0,
    compliance: float = 0.0,
    factors: npt.NDArray[np.float64] | None = None,
) -> ConstraintBlock:
    """Hold the volume in closed surfaces at a ratio of what it is at rest, one constraint per connected shell.

    Args:
        positions: rest positions [m], shape (particles, 3).
        triangles: closed, shape (triangles, 3); a shell whose normals point inwards is turned.
        ratio: of the target to the volume at rest, positive.
        compliance: [m³/Pa]; in PBD mode the share of one projection.
        factors: on the force on each particle, not negative, shape (particles,); None for 1.

    Raises:
        ValueError: a shell is open, or its normals do not agree, so that it has no volume.
    """
    shells = [_Shell(positions, part) for part in _shells(triangles, len(positions))]
    parameters = [(ratio * shell.volume, 0.0, compliance) for shell in shells]
    return _block(shells, parameters, factors)


def build_gas(
    positions: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.int32],
    pressure: float,
    ambient_pressure: float = ATMOSPHERE,
    pbd_stiffness: float | None = None,
    factors: npt.NDArray[np.float64] | None = None,
) -> ConstraintBlock:
    """Fill closed surfaces with a gas at constant temperature, one constraint per connected shell.

    Args:
        positions: rest positions [m], shape (particles, 3).
        triangles: closed, shape (triangles, 3); a shell whose normals point inwards is turned.
        pressure: gauge pressure at the volume at rest [Pa], above −ambient_pressure; negative sucks.
        ambient_pressure: of the air around [Pa], positive. A low one makes a gas that gives more.
        pbd_stiffness: in PBD mode, the share of one projection.
        factors: on the pressure at each particle, not negative, shape (particles,); None for 1.

    Raises:
        ValueError: a shell is open, or its normals do not agree, or the pressures leave no gas.
    """
    if ambient_pressure <= 0.0 or pressure <= -ambient_pressure:
        raise ValueError("a gas needs a positive ambient pressure, and more pressure than a vacuum")
    shells = [_Shell(positions, part) for part in _shells(triangles, len(positions))]
    parameters = []
    for shell in shells:
        target = shell.volume * (1.0 + pressure / ambient_pressure)
        parameters.append((target, 1.0, target / ambient_pressure if pbd_stiffness is None else pbd_stiffness))
    return _block(shells, parameters, factors)


def fullness(positions: npt.NDArray[np.float64], block: ConstraintBlock) -> npt.NDArray[np.float64]:
    """How far the target volume of each shell would fill the ball that has its area; shape (constraints,).

    Args:
        positions: rest positions [m], shape (particles, 3).
        block: as it was built.
    """
    balls = [_volume_of_ball(positions[block.members(k)], _triangles(block, k)) for k in range(len(block))]
    return block.parameters[:, 0] / np.array(balls)


def _volume_of_ball(positions: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]) -> float:
    """The volume of the ball whose surface has the triangles' area, V² = A³ / 36π: nothing of that area holds more."""
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    return float(np.sqrt(area**3 / (36.0 * np.pi)))


class _Shell:
    """A closed surface: its particles, its triangles as numbers among them, its volume [m³]."""

    def __init__(self, positions: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]) -> None:
        members, corners = np.unique(triangles, return_inverse=True)
        self.members = members.astype(np.int32)
        self.corners = corners.reshape(-1).astype(np.int32)
        report = examine_surface(positions[members], self.corners.reshape(-1, 3))
        self.volume = abs(report.signed_volume)
        if not report.is_closed:
            raise ValueError(f"the surface is not closed: {', '.join(report.faults())}")
        if self.volume <= _LEAST_FULLNESS * _volume_of_ball(positions, triangles):
            raise ValueError("the surface is flat and encloses no volume, give it a thickness")
        if report.signed_volume < 0.0:
            self.corners = self.corners.reshape(-1, 3)[:, ::-1].reshape(-1)


def _shells(triangles: npt.NDArray[np.int32], particle_count: int) -> list[npt.NDArray[np.int32]]:
    """The triangles of each connected piece of surface."""
    pairs = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    labels, _ = dense_labels(connected_components(particle_count, pairs))
    piece = labels[triangles[:, 0]]
    return [triangles[piece == label] for label in np.unique(piece)]


def _block(
    shells: list[_Shell],
    parameters: list[tuple[float, float, float]],
    factors: npt.NDArray[np.float64] | None,
) -> ConstraintBlock:
    members = np.array([len(shell.members) for shell in shells], np.int64)
    extras = np.array([len(shell.corners) for shell in shells], np.int64)
    none = np.zeros(0, np.int32)
    particles = np.concatenate([none, *(shell.members for shell in shells)])
    values = np.zeros((len(particles), VALUES))
    values[:, 3] = 1.0 if factors is None else factors[particles]
    pools = Pools(
        members=particles,
        extras=np.concatenate([none, *(shell.corners for shell in shells)]),
        values=values.ravel(),
    )
    rows = pooled_rows(members, extras, VALUES * members)
    return ConstraintBlock(ENCLOSED_VOLUME, rows, np.array(parameters).reshape(-1, 3), pools)


def _triangles(block: ConstraintBlock, number: int) -> npt.NDArray[np.int32]:
    if block.pools is None:
        raise ValueError("an enclosed volume without its pools")
    row = block.indices[number]
    return block.pools.extras[row[FIRST_EXTRA] : row[FIRST_EXTRA] + row[EXTRAS]].reshape(-1, 3)


def _volume(positions: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]) -> float:
    a, b, c = (positions[triangles[:, corner]] - positions[0] for corner in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
