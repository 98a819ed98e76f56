# SPDX-License-Identifier: GPL-3.0-or-later
"""What every constraint has in common: its type, its data, and the solve for the multiplier.

Projections are Taichi functions with one signature::

    project(particles, constraints, i, p, m, step, mode)

``particles`` and ``constraints`` are packs of arrays. ``particles.positions`` are 4-vectors: xyz [m], w inverse mass
[1/kg]. ``particles.previous_positions`` are those at the start of the substep: xyz [m], w the particle's damping time
[s]. ``i``, ``p`` and ``m`` are where this constraint's particle indices, parameters and multipliers begin in the flat
``constraints.indices``, ``constraints.parameters`` and ``constraints.lagrange_multipliers``. ``step`` is (1/h² [1/s²],
1 after the first iteration of a substep, 1/h [1/s], number of the substep in its frame). ``mode`` is static, a sum of

- ``PBD``: the last parameter is not a compliance but the share of C that one projection takes away;
- ``ACCUMULATE``: multipliers are kept over the iterations of a substep, which a single iteration does not need;
- ``DAMPED``: constraints resist the change of C (XPBD 2016, §5.2, with β = τ/α: stiffness-proportional Rayleigh
  damping of the damping time τ, so γ = α̃β̃/h = τ/h). The change is that since the same constraint was projected in the
  substep before (``reached_before``). Since the start of the substep C also changes by what other constraints have
  not corrected yet: what rests would be held up by its damping, and the softer the longer τ is. Elastic tetrahedra are
  damped after their projection, see ``RateDamping``;
- ``BDF2``: how the solver integrates; projections do not look at it, their h is then 2/3 of the substep;
- ``WARM``: constraints that can begin where the substep before ended do, see ``WarmStart``;
- ``RATES``: not a projection, but the damping of velocities after it, see ``RateDamping``; ``step`` is then (h [s], 0
  where kept impulses are given and 1 where they are mended, 0, 0);
- ``MIXED``: some constraints take shares away, as in the mode PBD, the others have compliances; projections do not
  look at it, each is compiled for both;
- ``FORCED``: forces besides gravity act from outside; projections do not look at it;
- ``SWEPT``: types that say so are projected several times in a substep of one iteration, and keep multipliers
  meanwhile; ``step`` then tells sweeps as it tells iterations.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from .pools import FIRST_EXTRA, FIRST_MEMBER, FIRST_VALUE, MEMBERS, Pools, joined_pools
from .scaling import Scaling


@dataclass(frozen=True)
class WarmStart:
    """How constraints of a type begin with what the substep before found, where each is projected once.

    Attributes:
        project: the Taichi function, as that of the type. In ``particles.corrections``, 4-vectors, it adds up for each
            particle by how much the next substep is to begin further on than predicted (xyz [m], 0). It keeps what it
            needs for that where the multipliers of the constraint are.
        slots: numbers it keeps there.
        hardness: how stiff the constraints of a prepared block are for a substep (block, h [s]): what elasticity asks
            of a projection per what inertia does, along the shape and along the volume. It goes with h².
    """

    project: Callable[..., Any]
    slots: int
    hardness: Callable[["ConstraintBlock", float], tuple[float, float]]


@dataclass(frozen=True)
class SideBySide:
    """How several constraints of a type are projected at once, with the same bytes, where each is projected once.

    Attributes:
        project: a Taichi function (particles, constraints, first, slots, count, step, mode). ``first`` are the places
            (i, p, m) of the first of ``count`` constraints, at most ``side_by_side.LANES``, whose rows lie one after
            the other and which share no movable particle; ``slots`` is how many multipliers lie from one to the next.
            The rest is as of a projection, or of a ``WarmStart`` in the mode WARM.
    """

    project: Callable[..., Any]


@dataclass(frozen=True)
class RateDamping:
    """How constraints of a type are damped in the velocities, after their projection.

    Attributes:
        project: a Taichi function as a projection, with the mode RATES. It takes what motion there is against the
            constraint from ``particles.velocities``, by the damping times of its particles.
        slots: numbers that it keeps among the multipliers; ``m`` is where they begin.
    """

    project: Callable[..., Any]
    slots: int


@dataclass(frozen=True)
class Flow:
    """How constraints of a type take on another rest shape, see ``flow``.

    Attributes:
        project: a Taichi function (particles, constraints, i, p, given): packs and places as of a projection, and what
            is given: the limit in the unit that it compares, and the creep rate times the duration [1].
        columns: of the parameters, that it writes.
        limit: the material parameter that is the limit.
        scales: by what that is multiplied for each constraint (positions [m], shape (particles, 3); indices), shape
            (constraints,); None for 1.
    """

    project: Callable[..., Any]
    columns: tuple[int, ...]
    limit: str = "yield_strain"
    scales: Callable[[npt.NDArray[np.float64], npt.NDArray[np.int32]], npt.NDArray[np.float64]] | None = None


@dataclass(frozen=True)
class ConstraintType:
    """A kind of constraint.

    Attributes:
        name: the field's name for it; keys in results and statistics.
        particle_count: particles that one constraint touches, which is the width of its row of indices; for any
            number of particles ``POOLED_ROW``, see ``pools``.
        parameters: names and units of its float parameters; the last is the compliance.
        multiplier_count: rows of C.
        project: the Taichi function, see the module's text.
        evaluate: NumPy C of all constraints in float64 (positions (particles, 3), block), shape
            (constraints, multiplier_count): for residuals and tests.
        nanoseconds: about what one projection takes one core, by which the solver decides how to run [ns].
        warm_start: how to begin where the substep before ended, if it can.
        prepare: parameters of a block, once the inverse masses [1/kg] of the particles are known, where they count.
        scales: how its parameters follow material values, see ``scaling``.
        memory: numbers that it keeps of where it came to, where it is damped.
        rate_damping: how it is damped, where its projection does not do it.
        is_real: whether it needs parameters and working space in the precision of what moves.
        is_large: whether its projection takes long to compile.
        flow: how it takes on another rest shape, if it can.
        side_by_side: how several are projected at once, if they can.
        is_swept: whether it is projected again where springs are swept several times in a substep: springs, and what
            must hold against them.
    """

    name: str
    particle_count: int
    parameters: tuple[str, ...]
    multiplier_count: int
    project: Callable[..., Any]
    evaluate: Callable[[npt.NDArray[np.float64], "ConstraintBlock"], npt.NDArray[np.float64]]
    nanoseconds: float
    warm_start: WarmStart | None = None
    prepare: Callable[["ConstraintBlock", npt.NDArray[np.float64]], npt.NDArray[np.float64]] | None = None
    scales: tuple[Scaling, ...] = ()
    memory: int = 0
    rate_damping: RateDamping | None = None
    is_real: bool = False
    is_large: bool = False
    flow: Flow | None = None
    side_by_side: SideBySide | None = None
    is_swept: bool = False

    @property
    def can_start_warm(self) -> bool:
        """Whether it can begin where the substep before ended."""
        return self.warm_start is not None

    def goes_side_by_side(self, mode: int) -> bool:
        """Whether several of its constraints are projected at once on a processor."""
        return self.side_by_side is not None and not mode & (PBD | ACCUMULATE | MIXED | RATES)

    @property
    def memory_slot(self) -> int:
        """The first of the numbers of a constraint that are its memory, after multipliers and kept impulses."""
        return max(self.multiplier_count, 0 if self.warm_start is None else self.warm_start.slots)

    def widths(self, mode: int) -> tuple[int, int, int]:
        """Indices, parameters, and numbers among the multipliers that one constraint has."""
        return self.particle_count, len(self.parameters), self.slots(mode)

    def slots(self, mode: int) -> int:
        """Numbers that one constraint has among the multipliers."""
        if not mode & DAMPED:
            return self.memory_slot
        copies = 2 if mode & REPEATED else 1
        kept = 0 if self.rate_damping is None else self.rate_damping.slots
        return self.memory_slot + copies * self.memory + kept


@dataclass(frozen=True)
class ConstraintBlock:
    """Constraints of one type.

    Attributes:
        type: what they are.
        indices: particles, shape (constraints, type.particle_count), int32.
        parameters: shape (constraints, len(type.parameters)), in the type's units; float64 as built, float32 in a
            schedule.
        pools: what the rows of a pooled type point into; None for all others.
        layer: Gauss-Seidel visits the constraints of a type by layer, the lowest first: what comes last holds best.
        follows: names of the material values that its rows follow by the laws of ``type.scales``. A body's blocks of
            one type and layer follow the same; of blocks put together from several nothing is said.
        yields: whether they are of what takes on another rest shape where the material says so.
    """

    type: ConstraintType
    indices: npt.NDArray[np.int32]
    parameters: npt.NDArray[np.float64]
    pools: Pools | None = None
    layer: int = 0
    follows: tuple[str, ...] = ()
    yields: bool = False

    def __len__(self) -> int:
        return len(self.indices)

    def following(self, *values: str) -> "ConstraintBlock":
        """The same constraints, built from these material values."""
        return replace(self, follows=values)

    def shifted(self, first: int) -> "ConstraintBlock":
        """The same constraints between particles that are ``first`` later."""
        if self.pools is None:
            return replace(self, indices=self.indices + first)
        pools = Pools(self.pools.members + first, self.pools.extras, self.pools.values)
        return replace(self, pools=pools)

    def rows(self, chosen: npt.NDArray[Any]) -> "ConstraintBlock":
        """Some of the constraints, in this order: numbers or a mask; pools are kept whole."""
        return replace(self, indices=self.indices[chosen], parameters=self.parameters[chosen])

    def prepared(self, inverse_masses: npt.NDArray[np.float64]) -> "ConstraintBlock":
        """The constraints between particles of these inverse masses [1/kg], shape (particles,)."""
        if self.type.prepare is None:
            return self
        return replace(self, parameters=self.type.prepare(self, inverse_masses))

    def members(self, number: int) -> npt.NDArray[np.int32]:
        """The particles of one constraint."""
        row = self.indices[number]
        if self.pools is None:
            return row
        return self.pools.members[row[FIRST_MEMBER] : row[FIRST_MEMBER] + row[MEMBERS]]

    def flat_indices(self, first_index: int, first_parameter: int) -> npt.NDArray[np.int32]:
        """Rows and pools of integers as the kernels read them.

        Args:
            first_index: where this block begins in the flat indices.
            first_parameter: where it begins in the flat parameters.
        """
        if self.pools is None:
            return self.indices.astype(np.int32).ravel()
        rows = self.indices.astype(np.int64)
        rows[:, FIRST_MEMBER] += first_index + rows.size
        rows[:, FIRST_EXTRA] += first_index + rows.size + len(self.pools.members)
        rows[:, FIRST_VALUE] += first_parameter + self.parameters.size
        return np.concatenate([rows.ravel(), self.pools.members, self.pools.extras]).astype(np.int32)

    def flat_parameters(self) -> npt.NDArray[np.float64]:
        """Parameters and values as the kernels read them."""
        if self.pools is None:
            return self.parameters.ravel()
        return np.concatenate([self.parameters.ravel(), self.pools.values])


def joined(blocks: list[ConstraintBlock]) -> ConstraintBlock:
    """Blocks of one type as one, of no layer."""
    parameters = np.concatenate([block.parameters for block in blocks])
    rows = [block.indices for block in blocks]
    pools = [block.pools for block in blocks if block.pools is not None]
    if not pools:
        return ConstraintBlock(blocks[0].type, np.concatenate(rows).astype(np.int32), parameters)
    indices, joined_pool = joined_pools(rows, pools)
    return ConstraintBlock(blocks[0].type, indices, parameters, joined_pool)


SMALL = 1e-30
# what a memory holds before the first substep
UNKNOWN = 1e30
PBD = 1
ACCUMULATE = 2
DAMPED = 4
BDF2 = 8
WARM = 16
RATES = 32
FORCED = 64
MIXED = 128
SWEPT = 256
# what is projected several times in a substep keeps its multipliers in between
REPEATED = ACCUMULATE | SWEPT
# what BDF2 takes as the time step, per substep, and its inverse (Small Steps 2019, §5.3)
BDF2_STEP = 2.0 / 3.0
BDF2_RATE = 1.5


@ti.func
def solve_multiplier(value, weight, compliance, multiplier, rate, gamma, step, mode: ti.template()):
    """The step of the multiplier (XPBD 2016, eq. 18 and 26).

    Δλ = (−C − α̃ λ − γ (C − C_before)) / ((1 + γ) Σ wᵢ|∇ᵢC|² + α̃), α̃ = α/h². In PBD mode
    ``compliance`` is the stiffness k of one projection: Δλ = −k C / Σ wᵢ|∇ᵢC|² (PBD 2007, §3.3).

    Args:
        value: C.
        weight: Σ wᵢ|∇ᵢC|².
        compliance: the last parameter.
        multiplier: λ so far.
        rate: by how much C has changed since the substep before, 0 without damping.
        gamma: γ, 0 without damping.
        step: as for a projection.
        mode: as for a projection.
    """
    delta = 0.0
    if ti.static(mode & PBD):
        delta = -compliance * value / (weight + SMALL)
    else:
        alpha_tilde = compliance * step[0]
        force = value
        if ti.static(mode & REPEATED):
            force += alpha_tilde * multiplier
        if ti.static(mode & DAMPED):
            force += gamma * rate
            weight *= 1.0 + gamma
        delta = -force / (weight + alpha_tilde + SMALL)
    return delta


@ti.func
def read_multiplier(constraints: ti.template(), m, step, mode: ti.template()):
    """λ so far in this substep; 0 in its first iteration, without reading what an earlier substep left."""
    multiplier = 0.0
    if ti.static(mode & REPEATED):
        if step[1] > 0.0:
            multiplier = constraints.lagrange_multipliers[m]
    return multiplier


@ti.func
def keep_multiplier(constraints: ti.template(), m, mode: ti.template(), multiplier):
    """Store λ for the next iteration."""
    if ti.static(mode & REPEATED):
        constraints.lagrange_multipliers[m] = multiplier


@ti.func
def damping_share(damping_time, step, mode: ti.template()):
    """γ = τ/h."""
    gamma = damping_time * step[2]
    if ti.static(mode & BDF2):
        # of the h that BDF2 solves with
        gamma /= BDF2_RATE
    return gamma


@ti.func
def reached_before(constraints: ti.template(), place, count: ti.template(), value, step, mode: ti.template()):
    """What a number of a constraint's memory was when it was last projected in the substep before.

    Args:
        constraints: the pack.
        place: of the number in the memory.
        count: numbers in the memory.
        value: what it is now, which counts in the first substep of all.
        step: as for a projection.
        mode: as for a projection. With several iterations, what the last one came to is kept apart.
    """
    before = constraints.lagrange_multipliers[place]
    if ti.static(mode & REPEATED):
        if step[1] == 0.0:
            before = constraints.lagrange_multipliers[place + count]
            constraints.lagrange_multipliers[place] = before
    if before >= UNKNOWN:
        before = value
    return before


@ti.func
def keep_reached(constraints: ti.template(), place, count: ti.template(), value, mode: ti.template()):
    """Keep what a number is after a projection; arguments as of ``reached_before``."""
    slot = place
    if ti.static(mode & REPEATED):
        slot += count
    constraints.lagrange_multipliers[slot] = value


@ti.func
def moved(p, correction):
    """The particle moved by w times the correction: Δx = w ∇C Δλ (XPBD 2016, eq. 17)."""
    return ti.Vector([p[0] + p[3] * correction[0], p[1] + p[3] * correction[1], p[2] + p[3] * correction[2], p[3]])
