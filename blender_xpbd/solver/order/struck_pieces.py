# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard pieces of solids, which part from each other and from what is held as rigid bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.kinds import solver_kind
from ...constraints.constraint import ConstraintBlock
from ...contacts.pairs.tables import PIECE_HELD, PIECE_NONE
from ...geometry.components import dense_labels
from ...scene.scene import Scene
from .compact_pieces import is_hard, listed
from .linked_particles import linked_particles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class StruckPieces:
    """What hangs together of hard solids that nothing holds.

    Attributes:
        rows: first member of each piece, the one after the last, and 1 where it is hard, shape (pieces, 3).
        members: particles, piece by piece.
        of_particles: the piece of each particle, or ``PIECE_HELD`` or ``PIECE_NONE``, shape (particles,).
    """

    rows: Ints
    members: Ints
    of_particles: Ints

    def __len__(self) -> int:
        return len(self.rows)


def build_struck_pieces(
    scene: Scene,
    models: Sequence[BodyModel],
    starts: Ints,
    blocks: Iterable[ConstraintBlock],
    inverse_masses: Floats,
    vertex_count: int,
) -> StruckPieces:
    """Find them; none where nothing is hard, or time is integrated by BDF2.

    Args:
        scene: bodies, and how they are solved.
        models: the bodies.
        starts: first particle of each body, then the end of the last.
        blocks: constraints, indices into all particles. What they link hangs together, bodies and anchors too.
        inverse_masses: of all particles but colliders' vertices [1/kg]; where one is 0, something holds the piece.
        vertex_count: vertices of colliders, which come after all other particles.
    """
    count = len(inverse_masses)
    solids = np.array([solver_kind(model.body).is_compact for model in models], np.bool_)
    hard = np.array([is_hard(model.body, scene.settings) for model in models], np.bool_)
    if not (solids & hard).any() or scene.settings.time_integration == "BDF2":
        none = np.zeros(0, np.int32)
        return StruckPieces(np.zeros((0, 3), np.int32), none, none)
    labels, label_count = dense_labels(linked_particles(count, blocks))
    body_of = np.searchsorted(starts, np.arange(count), side="right") - 1
    is_solid = np.zeros(count, np.bool_)
    is_body = body_of < len(models)
    is_solid[is_body] = solids[body_of[is_body]]
    sizes = np.bincount(labels, minlength=label_count)
    is_piece = np.bincount(labels, is_solid & (inverse_masses > 0.0), label_count) == sizes
    # softer ones that are free are pushed particle by particle
    is_hard_piece = is_piece & (np.bincount(labels[is_body], hard[body_of[is_body]], label_count) > 0)
    number = np.where(is_piece, PIECE_NONE, PIECE_HELD)
    number[is_hard_piece] = np.arange(is_hard_piece.sum())
    of_particles = np.where(is_solid, number[labels], PIECE_NONE)
    piece_starts, members = listed(of_particles, int(is_hard_piece.sum()))
    are_hard = hard[body_of[members[piece_starts[:-1]]]]
    rows = np.stack([piece_starts[:-1], piece_starts[1:], are_hard], axis=1)
    # those of colliders are met as a whole by ``contacts.impact``
    of_vertices = np.full(vertex_count, PIECE_NONE)
    return StruckPieces(rows.astype(np.int32), members, np.append(of_particles, of_vertices).astype(np.int32))
