# SPDX-License-Identifier: GPL-3.0-or-later
"""A body as particles and constraints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..geometry.cage.fragments import Fragments
from ..geometry.edges import edge_lengths
from ..scene.body import Body
from ..scene.errors import Notice
from ..scene.settings import SolverSettings
from .hierarchy import Hierarchy
from .orientations import Orientations
from .plate import Plate
from .rods import Rods
from .vertex_factors import SMALLEST_FACTOR

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of what is given as rigid where a group makes it limp
LIMP_COMPLIANCE = 1e12


@dataclass(frozen=True)
class Joints:
    """Fixed particles of a solid in the places of pinned vertices, and of points on edges between these.

    Attributes:
        particles: shape (joints,).
        ends, shares: the vertices between which each lies, as of ``geometry.solid.joints.points_between``; one vertex
            twice where it lies at that.
    """

    particles: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    ends: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    shares: Floats = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class BodyModel:
    """A body ready for the solver; indices count from its own first particle.

    Attributes:
        body: what it is made from.
        positions: of the particles [m], shape (particles, 3).
        masses: [kg], shape (particles,); 0 where nothing moves a particle (loose vertices).
        blocks: constraints.
        elements, weights: of each vertex of the mesh, shape (vertices, 4): x = Σ wⱼ xⱼ.
        pin_weights: per particle, 0 = free, 1 = fixed.
        edges: along which strain is measured, shape (edges, 2).
        tetrahedra: shape (n, 4), empty for cloth.
        damping_times: of the material around each particle [s], shape (particles,); empty for none.
        surface_elements, surface_weights: of points between the vertices that meet colliders too, shape (points, 4).
        frictions: of the vertices of the mesh, then of those points; empty where all are the material's.
        gap: to colliders [m]; None for the material's.
        thickness_share: of ``contact_offset``: what an automatic thickness is.
        hierarchy: coarse levels that speed up the solve; None without.
        plate: what of it bends as a whole, solved at once; None without.
        rods: what of it bends as strands, each solved at once; None without.
        orientations: of what turns by itself.
        radii: of grains [m], shape (particles,); empty where particles are no balls.
        notices: warnings.
        shown: of each vertex of the mesh, the vertex at whose place it is shown; empty where it is its own.
        joined: of each particle, the one that moves in its place; empty where it moves by itself.
        fragments: the pieces that it may tear into; None where it is no solid that tears.
        joints: about which it turns.
        held: of jelly, whether each particle hangs on pins or a goal, see ``goals``; empty for other kinds.
    """

    body: Body
    positions: Floats
    masses: Floats
    blocks: tuple[ConstraintBlock, ...]
    elements: Ints
    weights: Floats
    pin_weights: Floats
    edges: Ints
    tetrahedra: Ints = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    damping_times: Floats = field(default_factory=lambda: np.zeros(0))
    surface_elements: Ints = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    surface_weights: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    frictions: Floats = field(default_factory=lambda: np.zeros(0))
    gap: float | None = None
    thickness_share: float = 1.0
    hierarchy: Hierarchy | None = None
    plate: Plate | None = None
    rods: Rods | None = None
    orientations: Orientations = field(default_factory=Orientations)
    radii: Floats = field(default_factory=lambda: np.zeros(0))
    notices: tuple[Notice, ...] = ()
    shown: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    joined: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    fragments: Fragments | None = None
    joints: Joints = field(default_factory=Joints)
    held: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    @property
    def extent(self) -> float:
        """The greatest side of its box [m]."""
        return float(np.ptp(self.positions, axis=0).max()) + self.body.point_size

    @property
    def contact_offset(self) -> float:
        """The gap to colliders [m]: its own, that of grains, or the material's, at most a quarter of the mean edge."""
        if self.gap is not None:
            return self.gap
        if len(self.radii):
            return float(self.radii.max())
        mean_edge = float(edge_lengths(self.positions, self.edges).mean()) if len(self.edges) else 0.0
        return min(self.body.material.contact_offset, mean_edge / 4.0)

    @property
    def thickness(self) -> float:
        """How thick the surface is where bodies meet [m]: as given, or a share of the gap to colliders."""
        return self.body.contact.thickness or self.thickness_share * self.contact_offset


def have_own_particles(elements: Ints) -> npt.NDArray[np.bool_]:
    """Which points are a particle each, not a place within a tetrahedron, shape (points,).

    Args:
        elements: of the points, shape (points, 4); one particle four times where it is the point.
    """
    own: npt.NDArray[np.bool_] = (elements == elements[:, :1]).all(axis=1)
    return own


def is_direct(body: Body, settings: SolverSettings) -> bool:
    """Whether constraints take one given number each, not one that follows from SI values."""
    return body.material.stiffness_input == "COMPLIANCE" or settings.solver_mode == "PBD"


def followed(body: Body, settings: SolverSettings, value: str, compliance: str) -> tuple[str, ...]:
    """The material value that the compliance of constraints is built from, if any; see ``constraints.scaling``.

    Args:
        body: whose material tells.
        settings: of the solver.
        value: that counts where stiffness is given in SI units.
        compliance: that counts where it is given by constraint.
    """
    if settings.solver_mode == "PBD":
        return ()
    return (compliance,) if body.material.stiffness_input == "COMPLIANCE" else (value,)


def last_parameter(settings: SolverSettings, compliance: float, pbd_stiffness: float) -> float:
    """What the last parameter of a constraint holds: its compliance, or in PBD mode k' = 1 − (1 − k)^(1/n).

    The correction makes the stiffness per substep independent of the n iterations (PBD 2007, §3.3).
    """
    if settings.solver_mode == "PBD":
        return float(1.0 - (1.0 - pbd_stiffness) ** (1.0 / settings.iterations))
    return compliance


def scaled_parameter(
    settings: SolverSettings, compliance: float, pbd_stiffness: float, factors: Floats | float
) -> Floats | float:
    """As ``last_parameter``, with a stiffness that a vertex group scales from constraint to constraint.

    A compliance α becomes α/f, a stiffness k of PBD becomes k f, at most 1. A compliance of 0 stays rigid, but where
    the group says limp.

    Args:
        settings: of the solver.
        compliance: α where the factor is 1.
        pbd_stiffness: k where the factor is 1.
        factors: f, shape (constraints,), as ``constraint_factors`` returns them; 1.0 for no group.
    """
    if isinstance(factors, float):
        return last_parameter(settings, compliance, pbd_stiffness * factors)
    if settings.solver_mode == "PBD":
        shares: Floats = 1.0 - (1.0 - np.minimum(pbd_stiffness * factors, 1.0)) ** (1.0 / settings.iterations)
        return shares
    if compliance == 0.0:
        return np.where(factors > SMALLEST_FACTOR, 0.0, LIMP_COMPLIANCE)
    return compliance / factors
