# SPDX-License-Identifier: GPL-3.0-or-later
"""What is compiled into the kernels of a scene, and what is left out."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...constraints.constraint import ACCUMULATE, BDF2, BDF2_STEP, DAMPED, PBD, WARM
from .system import System

# a warm start costs a third more per projection and takes damping from a hard hit: it is worth that for stiff bodies.
# Chosen by hand: of the cubes of docs/experiments.md, Jelly, that of 20³ cells and 1 MPa is warm at 20 substeps, not 40
LEAST_GAIN = 0.16


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

    @property
    def has_history(self) -> bool:
        """Whether the integration looks back to the substep before."""
        return bool(self.mode & BDF2)

    @property
    def step_share(self) -> float:
        """What of a substep a velocity acts for."""
        return BDF2_STEP if self.has_history else 1.0

    @property
    def keeps_friction(self) -> bool:
        """Whether the multipliers of friction are read again: by further iterations, or after the substep."""
        return keeps_friction(self.mode, bounces=self.bounces)


def keeps_friction(mode: int, *, bounces: bool) -> bool:
    """Whether the multipliers of friction are kept: the kernels that read them and their array go by this rule."""
    return bool(mode & ACCUMULATE) or bounces


def static_mode(system: System) -> int:
    """The static mode of the projections, see ``constraints.constraint``."""
    settings = system.scene.settings
    mode = PBD if settings.solver_mode == "PBD" else 0
    if settings.iterations > 1 or settings.measure_residual:
        mode |= ACCUMULATE
    if settings.time_integration == "BDF2":
        mode |= BDF2
    if not mode & PBD and any(model.body.material.damping_time > 0.0 for model in system.models):
        mode |= DAMPED
    if not mode & (PBD | ACCUMULATE | BDF2) and _warm_gain(system) > LEAST_GAIN:
        mode |= WARM
    return mode


# κ = gain/(1 − gain) up to which a jelly moves within a tenth of its material's stiffness: read off the
# arm of scripts/validate (docs/validation.md, Resolution: jelly arm)
STIFF_ENOUGH = 0.5


def substeps_for_stiffness(system: System) -> int:
    """From how many substeps on one iteration shows jelly as stiff as it is: κ goes with 1/substeps²."""
    gain = _warm_gain(system)
    return math.ceil(system.scene.settings.substeps * math.sqrt(gain / (1.0 - gain) / STIFF_ENOUGH))


def _warm_gain(system: System) -> float:
    """How much a warm start would correct, at most among the types."""
    h = system.scene.frames.frame_duration / system.scene.settings.substeps
    return max(
        (
            block.type.warm_start.gain(block, h)
            for block in system.schedule.blocks
            if block is not None and block.type.warm_start is not None
        ),
        default=0.0,
    )
