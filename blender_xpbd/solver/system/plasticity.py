# SPDX-License-Identifier: GPL-3.0-or-later
"""Which constraints take on another rest shape, and beyond what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...constraints import CONSTRAINTS
from ...constraints.constraint import ConstraintBlock
from ...scene.body import Body
from ..order.schedule import Schedule
from .tracks import Tracks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# columns of the limits of a body: strain [1], curvature [1/m], creep rate [1/s]; the first two named as the parameters
LIMITS = ("yield_strain", "yield_curvature")
CREEP = len(LIMITS)
# a strain is given in per cent
_UNITS = {"yield_strain": 0.01, "yield_curvature": 1.0}


@dataclass(frozen=True)
class PlasticRows:
    """Constraints that may flow, type by type.

    Attributes:
        rows: place of the first particle and of the first parameter, body, column of its limits; shape (rows, 4).
        scales: by what the limit is multiplied, shape (rows,).
        starts: first row of each type and the end of the last, shape (types + 1,).
        places: of the parameters that they write, in the flat array, shape (places,).
        kinds: mask of their types.
    """

    rows: Ints
    scales: Floats
    starts: Ints
    places: Ints
    kinds: int

    def __len__(self) -> int:
        return len(self.rows)


def plastic_blocks(blocks: Sequence[ConstraintBlock], owners: Sequence[Body]) -> tuple[int, ...]:
    """Numbers of the blocks that may flow; limits are those from which bodies are built, the greatest of a track.

    Args:
        blocks: constraints.
        owners: the body of each block.
    """
    return tuple(
        number
        for number, (block, owner) in enumerate(zip(blocks, owners, strict=True))
        if block.yields and block.type.flow is not None and getattr(owner.material, block.type.flow.limit) > 0.0
    )


def build_plastic_rows(
    schedule: Schedule,
    blocks: Sequence[ConstraintBlock],
    plastic: Sequence[int],
    body_numbers: Sequence[int],
    positions: Floats,
) -> PlasticRows:
    """List the constraints that may flow.

    Args:
        schedule: of the blocks, which has watched those that may.
        blocks: constraints.
        plastic: numbers of those blocks.
        body_numbers: of each block.
        positions: of all particles at rest [m], shape (particles, 3).
    """
    found, scales, places, starts = [np.zeros((0, 4), np.int64)], [np.zeros(0)], [np.zeros(0, np.int64)], [0]
    for kind, (_, first_index, first_parameter) in zip(CONSTRAINTS, schedule.table.tolist(), strict=True):
        for number in plastic:
            if blocks[number].type is kind and number in schedule.rows and kind.flow is not None:
                mine = schedule.rows[number].astype(np.int64)
                of_index, of_parameter = mine * kind.particle_count, mine * len(kind.parameters)
                rows = np.empty((len(mine), 4), np.int64)
                rows[:, 0], rows[:, 1] = first_index + of_index, first_parameter + of_parameter
                rows[:, 2], rows[:, 3] = body_numbers[number], LIMITS.index(kind.flow.limit)
                particles = schedule.indices[rows[:, :1] + np.arange(kind.particle_count)]
                found.append(rows)
                scales.append(
                    np.ones(len(mine)) if kind.flow.scales is None else kind.flow.scales(positions, particles)
                )
                places.append((rows[:, 1:2] + np.array(kind.flow.columns)).ravel())
        starts.append(sum(len(rows) for rows in found))
    kinds = sum(1 << kind for kind in range(len(CONSTRAINTS)) if starts[kind + 1] > starts[kind])
    return PlasticRows(
        rows=np.concatenate(found).astype(np.int32),
        scales=np.concatenate(scales),
        starts=np.array(starts, np.int32),
        places=np.concatenate(places).astype(np.int32),
        kinds=kinds,
    )


def yield_table(bodies: Sequence[Body], tracks: Tracks, frame_index: int = 0) -> Floats:
    """The limits of each body and its creep rate at a frame, shape (bodies, CREEP + 1); a limit of 0 is none."""
    rows = [
        [
            *(
                _UNITS[name] * tracks.at(body.identifier, name, getattr(body.material, name), frame_index)
                for name in LIMITS
            ),
            tracks.at(body.identifier, "creep", body.material.creep, frame_index),
        ]
        for body in bodies
    ]
    return np.array(rows, np.float64).reshape(-1, CREEP + 1)
