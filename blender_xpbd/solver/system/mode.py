# SPDX-License-Identifier: GPL-3.0-or-later
"""What is compiled into the kernels of a scene, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...bodies.body_model import BodyModel, is_direct
from ...bodies.own_settings import is_pbd, own_settings
from ...constraints import CONSTRAINTS
from ...constraints.constraint import ACCUMULATE, BDF2, BDF2_STEP, DAMPED, FORCED, MIXED, PBD, SWEPT, WARM
from ...scene.body import Body
from ...scene.settings import SolverSettings
from ..order.contact_points import ContactPoints
from .system import System


class Variant(NamedTuple):
    """What is compiled into a kernel, as one static argument.

    Attributes:
        mode: of the projections, see ``constraints.constraint``.
        constraints: mask of the types that there are.
        shapes: mask of the shapes of colliders that there are.
        bounces: whether there are compact pieces that bounce as a whole.
        has_levels: whether a cloth has coarse levels.
        damps_bodies: whether a body's internal motion is damped.
        keeps_spins: whether there are pieces that nothing holds, whose spin is kept.
        has_orientations: whether something turns by itself.
        has_pairs: whether surfaces of bodies may touch each other or a mesh collider's.
        embeds: whether a point of these is carried by several particles.
        chooses: whether a body passes through a collider that it does not see.
        starts_inside: whether a contact point is inside a collider when the simulation starts.
        strikes: whether there are hard pieces that other surfaces may meet.
        rebounds: whether surfaces rebound from each other.
        fields: mask of the kinds of force fields that there are.
        has_air: whether air acts on surfaces.
        has_grains: whether there are grains.
        grains_stick: whether some hold on to each other.
        flows: mask of the types of constraints that take on another rest shape.
        takes_grabs: whether a hand may hold a patch of particles.
        attracts: whether bodies attract each other.
        has_anchors: whether colliders hold points of tetrahedra by anchors of friction.
    """

    mode: int
    constraints: int
    shapes: int
    bounces: bool
    has_levels: bool
    damps_bodies: bool
    keeps_spins: bool = False
    has_orientations: bool = False
    has_pairs: bool = False
    embeds: bool = False
    chooses: bool = False
    starts_inside: bool = False
    strikes: bool = False
    rebounds: bool = False
    fields: int = 0
    has_air: bool = False
    has_grains: bool = False
    grains_stick: bool = False
    flows: int = 0
    takes_grabs: bool = False
    attracts: bool = False
    has_anchors: bool = False

    @property
    def is_forced(self) -> bool:
        """Whether something besides gravity acts from outside: fields, air or pushes."""
        return bool(self.mode & FORCED)

    @property
    def damped_constraints(self) -> int:
        """Mask of the types that are damped in the velocities."""
        return self.constraints & rate_damped_types(self.mode)

    @property
    def has_history(self) -> bool:
        """Whether the integration looks back to the substep before."""
        return bool(self.mode & BDF2)

    @property
    def step_share(self) -> float:
        """What of a substep a velocity acts for."""
        return BDF2_STEP if self.has_history else 1.0

    @property
    def touches_early(self) -> bool:
        """Whether colliders push before the first projection too, as a warm start needs it."""
        return bool(self.mode & WARM)

    @property
    def keeps_friction(self) -> bool:
        """Whether the multipliers of friction are read again: by another touch, or after the substep."""
        touches_often = self.has_pairs or self.has_grains
        asks_later = self.bounces or self.has_anchors
        return keeps_friction(self.mode, asks_later=asks_later, touches_often=touches_often)


def keeps_friction(mode: int, *, asks_later: bool, touches_often: bool) -> bool:
    """Whether the multipliers of friction are kept: the kernels that read them and their array go by this rule.

    Args:
        mode: of the projections.
        asks_later: whether pieces bounce as a whole, or there are anchors.
        touches_often: whether colliders push several times in a substep, between pushes of bodies.
    """
    return bool(mode & (ACCUMULATE | WARM)) or asks_later or touches_often


def has_anchors(mode: int, points: ContactPoints) -> bool:
    """Whether colliders hold what sticks by anchors of friction, see ``contacts.collider_anchors``."""
    return points.share_particles and not mode & BDF2


def used_types(system: System) -> int:
    """Mask of the types of constraints that there are."""
    return sum(1 << kind for kind, row in enumerate(system.schedule.table) if row[0])


def rate_damped_types(mode: int) -> int:
    """Mask of the types that are damped in the velocities, where there are any."""
    if not mode & DAMPED:
        return 0
    return sum(1 << number for number, kind in enumerate(CONSTRAINTS) if kind.rate_damping is not None)


def static_mode(system: System) -> int:
    """The static mode of the projections, see ``constraints.constraint``."""
    settings = system.scene.settings
    physical = [model for model in system.models if not is_pbd(model.body, settings)]
    mode = 0 if physical else PBD
    if physical and len(physical) < len(system.models):
        mode |= MIXED
    if settings.iterations > 1 or settings.measure_residual:
        mode |= ACCUMULATE
    if settings.time_integration == "BDF2":
        mode |= BDF2
    if any(model.body.material.damping_time > 0.0 for model in physical):
        mode |= DAMPED
    if system.external:
        mode |= FORCED
    if system.spring_sweeps > 1:
        mode |= SWEPT
    if physical and starts_warm(system.models, settings):
        mode |= WARM
    return mode


def starts_warm(models: Sequence[BodyModel], settings: SolverSettings) -> bool:
    """Whether jelly that XPBD simulates begins a substep with the impulses of the last one, however soft it is."""
    if settings.iterations > 1 or settings.measure_residual or settings.time_integration == "BDF2":
        return False
    return any(len(model.tetrahedra) and _may_start_warm(model.body, settings) for model in models)


def _may_start_warm(body: Body, settings: SolverSettings) -> bool:
    return body.material.solid_model == "NEO_HOOKEAN" and not is_direct(body, own_settings(body, settings))


def hardness(system: System) -> tuple[float, float]:
    """How stiff jelly is for a substep along its shape and its volume, as ``WarmStart``: the hardest of the types."""
    h = system.scene.frames.frame_duration / system.scene.settings.substeps
    found = [
        block.type.warm_start.hardness(block, h)
        for block in system.schedule.blocks
        if block is not None and block.type.warm_start is not None
    ]
    return max((shape for shape, _ in found), default=0.0), max((volume for _, volume in found), default=0.0)
