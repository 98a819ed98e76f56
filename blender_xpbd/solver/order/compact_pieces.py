# SPDX-License-Identifier: GPL-3.0-or-later
"""The compact pieces of bodies, which bounce as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.kinds import solver_kind
from ...bodies.own_settings import is_pbd
from ...constraints.constraint import ConstraintBlock
from ...geometry.components import dense_labels
from ...scene.body import Body
from ...scene.scene import Scene
from ...scene.settings import SolverSettings
from .contact_points import ContactPoints
from .linked_particles import linked_particles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# Young's modulus from which on a body counts as hard, as wood, plastics and metal do: it rebounds by its restitution
# alone, for what its elasticity gives back is the solver's more than the material's. Chosen by hand between the rubber
# of 1.5 MPa and the cube of 1 GPa of docs/experiments.md, Restitution of whole bodies [Pa]
HARD = 1e8


@dataclass(frozen=True)
class CompactPieces:
    """What hangs together of solids that nothing holds.

    Attributes:
        starts: first member of each piece and the end of the last one, shape (pieces + 1,).
        members: particles, piece by piece.
        point_starts, points: likewise, the contact points of each piece.
        are_hard: 1 where a piece is of a hard material, shape (pieces,).
        of_points: piece of each contact point, −1 for none, shape (points,).
    """

    starts: Ints
    members: Ints
    point_starts: Ints
    points: Ints
    are_hard: Ints
    of_points: Ints

    def __len__(self) -> int:
        return len(self.are_hard)


def build_compact_pieces(
    scene: Scene,
    models: Sequence[BodyModel],
    starts: Ints,
    blocks: Iterable[ConstraintBlock],
    inverse_masses: Floats,
    contacts: ContactPoints,
) -> CompactPieces:
    """Find the pieces that are to bounce: of solids with restitution, or hard.

    Args:
        scene: bodies and colliders.
        models: the bodies.
        starts: first particle of each body.
        blocks: constraints, indices into all particles. What they link hangs together, bodies and anchors too.
        inverse_masses: of all particles [1/kg]; where one is 0, something holds the piece.
        contacts: the contact points.
    """
    bouncing = _bouncing(scene, models)
    if not bouncing.any():
        none = np.zeros(0, np.int32)
        no_pieces = np.zeros(1, np.int32)
        return CompactPieces(no_pieces, none, no_pieces, none, none, none)
    count = len(inverse_masses)
    body_of = np.searchsorted(starts, np.arange(count), side="right") - 1
    labels, piece_count = dense_labels(linked_particles(count, blocks))
    is_free = (inverse_masses > 0.0) & (body_of < len(models))
    is_free[is_free] = np.array([solver_kind(model.body).is_compact for model in models])[body_of[is_free]]
    is_compact = np.bincount(labels, is_free, piece_count) == np.bincount(labels, minlength=piece_count)
    bounces = np.zeros(count, np.bool_)
    bounces[is_free] = bouncing[body_of[is_free]]
    is_compact &= np.bincount(labels, bounces, piece_count) > 0
    number = np.where(is_compact, np.cumsum(is_compact) - 1, -1)
    of_particles = number[labels].astype(np.int32)
    heaviest = np.argmax(contacts.weights[:, :4], axis=1)
    of_points = of_particles[contacts.elements[np.arange(len(contacts)), heaviest]]
    piece_count = int(is_compact.sum())
    piece_starts, members = listed(of_particles, piece_count)
    point_starts, points = listed(of_points, piece_count)
    are_hard = np.array([is_hard(model.body, scene.settings) for model in models])[body_of[members[piece_starts[:-1]]]]
    return CompactPieces(piece_starts, members, point_starts, points, are_hard.astype(np.int32), of_points)


def _bouncing(scene: Scene, models: Sequence[BodyModel]) -> npt.NDArray[np.bool_]:
    """Which bodies have pieces that may bounce as a whole, shape (bodies,)."""
    greatest = max((collider.restitution for collider in scene.colliders), default=0.0)
    return np.array(
        [
            len(scene.colliders) > 0
            and solver_kind(model.body).is_compact
            and (max(model.body.material.restitution, greatest) > 0.0 or is_hard(model.body, scene.settings))
            for model in models
        ],
        np.bool_,
    )


def is_hard(body: Body, settings: SolverSettings) -> bool:
    """Whether a body rebounds by its restitution alone."""
    material = body.material
    if is_pbd(body, settings):
        return False
    if material.stiffness_input == "COMPLIANCE":
        return material.stretch_compliance == 0.0
    return material.youngs_modulus >= HARD


def listed(owners: Ints, count: int) -> tuple[Ints, Ints]:
    """First entry of each owner, shape (count + 1,), and who belongs to it, in order; −1 owns nothing."""
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(count + 1))
    first = int(starts[0])
    return (starts - first).astype(np.int32), order[first:].astype(np.int32)
