# SPDX-License-Identifier: GPL-3.0-or-later
"""The pieces that nothing holds, whose angular momentum is kept in flight, in chunks that threads share."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...constraints.constraint import ConstraintBlock
from ...geometry.components import connected_components, dense_labels
from .linked_particles import linked_particles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# columns of a chunk: its first member and the one after the last, the number of its piece, the body that it is of, the
# first chunk of the piece and the one after the last, and whether the piece is jelly, whose rolling is held back
CHUNK_FIRST, CHUNK_LAST, CHUNK_PIECE, CHUNK_BODY, CHUNK_OF_FIRST, CHUNK_OF_LAST, CHUNK_ROLLS = range(7)
# members of a chunk at least, and chunks of a piece of one body at most: sums over a piece go over its chunks, for each
# of them. Chosen by hand
LEAST_MEMBERS = 256
MOST_CHUNKS = 64
# fewer particles are a point or a line, which has no spin about itself
LEAST_PARTICLES = 3


@dataclass(frozen=True)
class SpinningPieces:
    """What hangs together and has no particle that follows a given motion.

    Attributes:
        chunks: columns as above, shape (chunks, 7).
        members: particles, chunk by chunk.
        of_particles: the piece of each particle, −1 for none, shape (particles,).
        count: of the pieces.
    """

    chunks: Ints
    members: Ints
    of_particles: Ints
    count: int

    def __len__(self) -> int:
        return self.count


def build_spinning_pieces(
    models: Sequence[BodyModel], starts: Ints, blocks: Iterable[ConstraintBlock], inverse_masses: Floats
) -> SpinningPieces:
    """Find them.

    Args:
        models: the bodies.
        starts: first particle of each body, then the end of the last.
        blocks: constraints, indices into all particles. What they link hangs together, bodies and anchors too.
        inverse_masses: of all particles [1/kg]; where one is 0, something holds the piece.
    """
    count = len(inverse_masses)
    edges = [model.edges.astype(np.int32) + start for model, start in zip(models, starts, strict=False)]
    known = connected_components(count, np.concatenate([np.zeros((0, 2), np.int32), *edges]))
    labels, label_count = dense_labels(linked_particles(count, blocks, known))
    sizes = np.bincount(labels, minlength=label_count)
    is_free = np.bincount(labels, inverse_masses > 0.0, label_count) == sizes
    is_free &= sizes >= LEAST_PARTICLES
    of_particles = np.where(is_free, np.cumsum(is_free) - 1, -1)[labels].astype(np.int32)
    order = np.argsort(of_particles, kind="stable").astype(np.int32)
    members = order[np.searchsorted(of_particles[order], 0) :]
    pieces, bodies = of_particles[members], np.searchsorted(starts, members, side="right") - 1
    rows: list[tuple[int, int, int, int]] = []
    changes = (np.diff(pieces) != 0) | (np.diff(bodies) != 0)
    bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), len(members)] if len(members) else [0]
    for first, last in itertools.pairwise(bounds):
        size = max(LEAST_MEMBERS, -(-(last - first) // MOST_CHUNKS))
        rows += [
            (begin, min(begin + size, last), int(pieces[first]), int(bodies[first]))
            for begin in range(first, last, size)
        ]
    chunks = np.array(rows, np.int32).reshape(-1, 4)
    own = [np.searchsorted(chunks[:, CHUNK_PIECE], chunks[:, CHUNK_PIECE], side) for side in ("left", "right")]
    is_solid = np.array([len(model.tetrahedra) > 0 for model in models], bool)
    rolls = np.ones(int(is_free.sum()), bool)
    np.logical_and.at(rolls, chunks[:, CHUNK_PIECE], is_solid[chunks[:, CHUNK_BODY]])
    table = np.column_stack([chunks, *own, rolls[chunks[:, CHUNK_PIECE]]]).astype(np.int32)
    return SpinningPieces(table, members, of_particles, len(rolls))
