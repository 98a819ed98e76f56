# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that are to be in a pose at a frame, and the springs by which a ghost force moves them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.kinds import solver_kind
from ...constraints import CONSTRAINTS
from ...constraints.constraint import ConstraintBlock
from ...scene.pose import Pose
from ..order.schedule import Schedule
from .held_particles import HeldParticles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# steps of conjugate gradients by which particles of a cage are put where vertices come out in their places. Chosen by
# hand: a tenth of a per cent of the size is left
_FITTING_STEPS = 30


@dataclass(frozen=True)
class PosedBody:
    """One body with poses.

    Attributes:
        held: its particles and their anchors.
        particles: that are moved, in the whole system, shape (moved,).
        places: where the compliances of their springs stand among the parameters.
        built: these compliances, for a stiffness of (1 rad/s)² times the mass.
        masses: of the particles [kg], shape (moved,).
        poses: of the body, in the order of their frames.
        goals: of each pose where the particles are then, relative to the origin [m], shape (poses, moved, 3).
    """

    held: HeldParticles
    particles: Ints
    places: npt.NDArray[np.int64]
    built: npt.NDArray[np.float32]
    masses: Floats
    poses: tuple[Pose, ...]
    goals: Floats

    def active(self, frame: int) -> int | None:
        """The number of the pose towards which the force acts from a frame to the next one."""
        return next((number for number, pose in enumerate(self.poses) if pose.acts(frame)), None)


@dataclass(frozen=True)
class PosedParticles:
    """All bodies of a system that have poses.

    Attributes:
        bodies: with poses.
        held: what is moved, of each body of the system.
    """

    bodies: tuple[PosedBody, ...]
    held: tuple[HeldParticles, ...]

    def __len__(self) -> int:
        return len(self.bodies)


def pose_blocks(blocks: Sequence[ConstraintBlock], held: Sequence[HeldParticles]) -> tuple[int, ...]:
    """Numbers of the blocks that are springs towards poses, in the order of the bodies."""
    pulls = [pull for one in held for pull in one.pulls]
    return tuple(number for number, block in enumerate(blocks) if any(block is pull for pull in pulls))


def build_posed(
    models: Sequence[BodyModel],
    starts: Ints,
    held: Sequence[HeldParticles],
    schedule: Schedule,
    pulls: Sequence[int],
    origin: Floats,
) -> PosedParticles:
    """Work out where particles are to be.

    Args:
        models: of all bodies.
        starts: first particle of each.
        held: what is moved of each.
        schedule: of all constraints, which has watched the springs.
        pulls: numbers of their blocks, see ``pose_blocks``.
        origin: of the system [m], shape (3,).
    """
    bodies = []
    moved = [number for number, one in enumerate(held) if one.pulls]
    for number, block in zip(moved, pulls, strict=True):
        model, one = models[number], held[number]
        kind = one.pulls[0].type
        width, first = len(kind.parameters), int(schedule.table[CONSTRAINTS.index(kind), 2])
        places = first + schedule.rows[block].astype(np.int64) * width + width - 1
        bodies.append(
            PosedBody(
                held=one,
                particles=(int(starts[number]) + one.anchored).astype(np.int32),
                places=places,
                built=np.asarray(schedule.parameters)[places],
                masses=model.masses[one.anchored],
                poses=model.body.poses,
                goals=np.stack([_placed(model, pose)[one.anchored] for pose in model.body.poses]) - origin,
            )
        )
    return PosedParticles(tuple(bodies), tuple(held))


def _placed(model: BodyModel, pose: Pose) -> Floats:
    """Where all particles of a body are in a pose [m], shape (particles, 3)."""
    everything = np.arange(model.body.vertex_count, dtype=np.int32)
    particles = np.arange(len(model.positions), dtype=np.int32)
    places = solver_kind(model.body).place_pins(model, everything, particles)(pose.positions).copy()
    return _fitted(model, places, pose.positions)


def _fitted(model: BodyModel, places: Floats, vertices: Floats) -> Floats:
    """Move particles as little as will bring the vertices to their places (CGNR, Björck 1996, §7.4)."""
    elements, weights = model.elements, model.weights

    def shown(moves: Floats) -> Floats:
        values: Floats = np.einsum("vj,vjk->vk", weights, moves[elements])
        return values

    def gathered(of_vertices: Floats) -> Floats:
        shares = weights[:, :, None] * of_vertices[:, None]
        return np.stack(
            [np.bincount(elements.ravel(), shares[:, :, axis].ravel(), len(places)) for axis in range(3)], axis=1
        )

    left = vertices - shown(places)
    gradient = gathered(left)
    step, size = gradient, float((gradient**2).sum())
    scale = float(np.ptp(vertices, axis=0).max()) ** 2
    for _ in range(_FITTING_STEPS):
        if size <= 1e-20 * scale:
            break
        seen = shown(step)
        share = size / float((seen**2).sum())
        places = places + share * step
        left = left - share * seen
        gradient = gathered(left)
        before, size = size, float((gradient**2).sum())
        step = gradient + (size / before) * step
    return places
