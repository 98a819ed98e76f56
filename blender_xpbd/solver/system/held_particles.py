# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that follow a given motion: pinned ones, and the anchors of what is pinned softly or drawn to a goal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.goals import drawn_particles, goal_compliance, goal_follows
from ...bodies.kinds import solver_kind
from ...bodies.pin_motion import Motion
from ...bodies.softness import soft_pin_compliance, softness_follows
from ...constraints.attachments.attachment import LAG, build_attachment
from ...constraints.constraint import ConstraintBlock
from ...scene.body import Pins
from ...scene.settings import SolverSettings
from ...scene.transforms import at_frame, transformed

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class HeldParticles:
    """The particles of one body that follow one motion.

    Attributes:
        particles: that are moved: fixed ones, then the anchors of others; shape (held,).
        sources: the particle of the body whose place each takes, from the body's first, shape (held,).
        anchored: those of them that have anchors.
        pins: the motion.
        rest: where the sources are at rest [m], shape (held, 3).
        motion: from places of the pinned vertices to those of the sources, where no object carries them.
        pulls: what draws particles to their anchors.
    """

    particles: Ints
    sources: Ints
    anchored: Ints
    pins: Pins
    rest: Floats
    motion: Motion
    pulls: tuple[ConstraintBlock, ...]

    def places(self, frame_index: int) -> Floats:
        """Where the particles are at a frame, counted from the start [m], shape (held, 3)."""
        if len(self.pins.vertices) == 0 or len(self.sources) == 0:
            return self.rest
        if self.pins.follows_object:
            return transformed(at_frame(self.pins.matrices, frame_index), self.rest)
        return self.motion(at_frame(self.pins.targets, frame_index))


def pinned_particles(model: BodyModel, start: int, first_anchor: int, settings: SolverSettings) -> HeldParticles:
    """What the pins of a body hold.

    Args:
        model: the body.
        start: its first particle.
        first_anchor: the first free number of a particle.
        settings: of the solver.
    """
    fixed = np.flatnonzero(model.pin_weights >= 1.0).astype(np.int32)
    is_soft = (model.pin_weights > 0.0) & (model.pin_weights < 1.0) & (model.masses > 0.0)
    soft = np.flatnonzero(is_soft).astype(np.int32)
    compliance = soft_pin_compliance(model, soft, settings)
    return _held(model, model.body.pins, start, first_anchor, fixed, soft, (compliance, softness_follows(settings)))


def drawn_to_goal(model: BodyModel, start: int, first_anchor: int, settings: SolverSettings) -> HeldParticles:
    """What draws a body to its goal; arguments as of ``pinned_particles``."""
    particles, weights = drawn_particles(model)
    compliance = goal_compliance(model, particles, weights, settings)
    nothing = np.zeros(0, np.int32)
    return _held(model, model.body.goal, start, first_anchor, nothing, particles, (compliance, goal_follows(settings)))


def drawn_to_poses(model: BodyModel, start: int, first_anchor: int, settings: SolverSettings) -> HeldParticles:
    """What a ghost force moves towards the poses of a body, by springs of (1 rad/s)² times the mass of each particle.

    Arguments as of ``pinned_particles``. What has no place in PBD mode has none here: there a spring has no force.
    """
    nothing = np.zeros(0, np.int32)
    moves = (model.masses > 0.0) & (model.pin_weights < 1.0)
    is_drawn = len(model.body.poses) > 0 and settings.solver_mode != "PBD"
    particles = np.flatnonzero(moves).astype(np.int32) if is_drawn else nothing
    pull = (1.0 / model.masses[particles], ())
    # its force is steered by where the end of a substep is
    return _held(model, Pins(), start, first_anchor, nothing, particles, pull, lag=0.0)


def start_positions(model: BodyModel) -> Floats:
    """Where the particles of a body are when the simulation begins [m], shape (particles, 3)."""
    if len(model.body.start) == 0:
        return model.positions
    everything = np.arange(model.body.vertex_count, dtype=np.int32)
    particles = np.arange(len(model.positions), dtype=np.int32)
    return solver_kind(model.body).place_pins(model, everything, particles)(model.body.start)


def _held(
    model: BodyModel,
    pins: Pins,
    start: int,
    first_anchor: int,
    fixed: Ints,
    soft: Ints,
    pull: tuple[Floats, tuple[str, ...]],
    lag: float = LAG,
) -> HeldParticles:
    """Fixed particles and softly held ones; ``pull``: the last parameter of each pull, and what it follows."""
    anchors = np.arange(first_anchor, first_anchor + len(soft), dtype=np.int32)
    sources = np.concatenate([fixed, soft]).astype(np.int32)
    pulls: tuple[ConstraintBlock, ...] = ()
    if len(soft):
        pairs = np.stack([soft + start, anchors], axis=1).astype(np.int32)
        pulls = (build_attachment(pairs, pull[0], lag).following(*pull[1]),)
    has_places = len(pins.vertices) > 0 and not pins.follows_object and len(sources) > 0
    motion = solver_kind(model.body).place_pins(model, pins.vertices, sources) if has_places else _stay
    rest = model.positions[sources]
    return HeldParticles(np.concatenate([fixed + start, anchors]), sources, soft, pins, rest, motion, pulls)


def _stay(places: Floats) -> Floats:
    return places
