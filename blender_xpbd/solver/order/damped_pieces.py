# SPDX-License-Identifier: GPL-3.0-or-later
"""The loose pieces of bodies, whose internal motion is damped, and what holds each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...geometry.components import connected_components, dense_labels
from .linked_particles import linked_particles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# how a piece may turn: in any way, about the point or the line that it is held at, or not against what holds it
FREE, POINT, LINE, FIXED = range(4)
# columns of a piece: its first movable particle among the members, the first of those that hold it, its body and how
# it may turn; a last row ends the lists
MOVABLE, HOLDERS, BODY, HOLD = range(4)
# pins that reach less far than this share of a piece hold it as a point or a line. Chosen by hand: a piece turns about
# pins of a hundredth of its size nearly as freely as about none
LEAST_REACH = 0.01


@dataclass(frozen=True)
class DampedPieces:
    """What hangs together of each body with internal damping.

    Attributes:
        rows: columns as above, shape (pieces + 1, 4).
        members: particles, piece by piece: those that move, then those that follow a given motion.
    """

    rows: Ints
    members: Ints

    def __len__(self) -> int:
        return len(self.rows) - 1


def build_damped_pieces(
    models: Sequence[BodyModel], starts: Ints, inverse_masses: Floats, pinned: Sequence[tuple[Ints, Ints]]
) -> DampedPieces:
    """Find the pieces that may move within themselves.

    Args:
        models: the bodies, with their blocks.
        starts: first particle of each body.
        inverse_masses: of all particles [1/kg].
        pinned: of each body, the particles that follow a given motion, and the particle of the body that each holds.
    """
    rows: list[tuple[int, int, int, int]] = []
    members: list[Ints] = []
    count = 0
    for body, (model, start, (holders, sources)) in enumerate(zip(models, starts, pinned, strict=False)):
        # grains hang together with nothing
        if model.body.material.internal_damping <= 0.0 or len(model.radii):
            continue
        labels, piece_count = _labels(model)
        is_movable = inverse_masses[start : start + len(labels)] > 0.0
        movable = _by_piece(np.flatnonzero(is_movable) + start, labels[is_movable], piece_count)
        holding = _by_piece(holders, labels[sources], piece_count)
        pins = _by_piece(model.body.pins.vertices, labels[_heaviest(model)[model.body.pins.vertices]], piece_count)
        for piece in range(piece_count):
            mine, its = movable[piece], holding[piece]
            if len(mine) == 0 or len(mine) + len(its) == 1:
                continue
            hold = FREE
            if len(its):
                hold = _hold(model.body.positions[pins[piece]], model.positions[mine - start])
            rows.append((count, count + len(mine), body, hold))
            members += [mine, its]
            count += len(mine) + len(its)
    rows.append((count, count, 0, FREE))
    return DampedPieces(np.array(rows, np.int32), np.concatenate([np.zeros(0), *members]).astype(np.int32))


def _labels(model: BodyModel) -> tuple[Ints, int]:
    """Piece of each particle of a body, and how many there are: by its edges, and else by all that links particles."""
    count = len(model.positions)
    labels = connected_components(count, model.edges)
    if labels.any():
        labels = linked_particles(count, model.blocks, labels)
    return dense_labels(labels)


def _heaviest(model: BodyModel) -> Ints:
    """For each vertex of the mesh the particle that counts the most for its place."""
    own: Ints = model.elements[np.arange(len(model.elements)), np.argmax(model.weights, axis=1)]
    return own


def _by_piece(values: Ints, labels: Ints, piece_count: int) -> list[Ints]:
    order = np.argsort(labels, kind="stable")
    return np.split(values[order], np.searchsorted(labels[order], np.arange(1, piece_count)))


def _hold(pins: Floats, places: Floats) -> int:
    """How what is pinned at some points may turn, told from how far these reach.

    Args:
        pins: the pinned vertices [m], shape (pins, 3).
        places: what they hold [m], shape (particles, 3).
    """
    spread = pins - pins.mean(axis=0)
    reaches = np.ptp(spread @ np.linalg.svd(spread, full_matrices=False)[2].T, axis=0)
    whole = float(np.ptp(np.concatenate([pins, places]), axis=0).max())
    return (POINT, LINE, FIXED)[min(int(np.count_nonzero(reaches > LEAST_REACH * whole)), 2)]
