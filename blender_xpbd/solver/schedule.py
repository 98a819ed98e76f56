# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which Gauss-Seidel visits the constraints: by type, then by colour.

Constraints of one colour share no movable particle, so they may run at the same time, and one after the other they
overlap in the processor. The order depends on the mesh alone, never on threads: same bytes from run to run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..constraints import CONSTRAINTS
from ..constraints.constraint import ConstraintBlock, joined
from ..constraints.groups import colour_groups
from ..geometry.colouring import colour_constraints, colour_order


@dataclass(frozen=True)
class Schedule:
    """All constraints of a scene in flat arrays, as the kernels read them.

    Attributes:
        indices: particles, int32, flat; the rows of a type of groups are followed by its pools.
        parameters: float32, flat; likewise.
        multiplier_count: length of the array of multipliers.
        table: per type of ``CONSTRAINTS``: number of constraints, first index, first parameter, first
            multiplier; shape (types, 4), int32.
        colours: per type, the boundaries of its colours, shape (colours + 1,).
        blocks: per type, its constraints in scheduled order, float64 (None where there are none).
    """

    indices: npt.NDArray[np.int32]
    parameters: npt.NDArray[np.float32]
    multiplier_count: int
    table: npt.NDArray[np.int32]
    colours: tuple[npt.NDArray[np.int32], ...]
    blocks: tuple[ConstraintBlock | None, ...]

    def counts(self) -> dict[str, int]:
        """Number of constraints of each type that there is."""
        return {kind.name: int(row[0]) for kind, row in zip(CONSTRAINTS, self.table, strict=True) if row[0]}


def build_schedule(blocks: list[ConstraintBlock], inverse_masses: npt.NDArray[np.float64]) -> Schedule:
    """Order constraints.

    Args:
        blocks: constraints of all bodies, indices into all particles.
        inverse_masses: [1/kg], shape (particles,); constraints between fixed particles are left out.
    """
    table = np.zeros((len(CONSTRAINTS), 4), np.int32)
    indices, parameters, colours = [], [], []
    scheduled: list[ConstraintBlock | None] = []
    offsets = np.zeros(3, np.int64)
    for row, kind in enumerate(CONSTRAINTS):
        mine = [block for block in blocks if block.type is kind]
        table[row, 1:] = offsets
        ordered, boundaries = _ordered(mine, inverse_masses) if mine else (None, np.zeros(1, np.int32))
        scheduled.append(ordered)
        colours.append(boundaries)
        if ordered is None:
            continue
        table[row, 0] = len(ordered)
        indices.append(ordered.flat_indices(int(offsets[0]), int(offsets[1])))
        parameters.append(ordered.flat_parameters())
        offsets += (indices[-1].size, parameters[-1].size, len(ordered) * kind.multiplier_count)
    return Schedule(
        indices=_flat(indices, np.int32),
        parameters=_flat(parameters, np.float32),
        multiplier_count=int(offsets[2]),
        table=table,
        colours=tuple(colours),
        blocks=tuple(scheduled),
    )


def _ordered(
    blocks: list[ConstraintBlock], inverse_masses: npt.NDArray[np.float64]
) -> tuple[ConstraintBlock | None, npt.NDArray[np.int32]]:
    block = joined(blocks)
    block = block.rows(_movable(block, inverse_masses))
    if len(block) == 0:
        return None, np.zeros(1, np.int32)
    if block.groups is None:
        colours = colour_constraints(_movable_particles(block.indices, inverse_masses), len(inverse_masses))
    else:
        colours = colour_groups(block.indices, block.groups, inverse_masses > 0.0)
    order, boundaries = colour_order(colours)
    return block.rows(order), boundaries.astype(np.int32)


def _movable(block: ConstraintBlock, inverse_masses: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which constraints touch a particle that can move."""
    if block.groups is None:
        movable: npt.NDArray[np.bool_] = (inverse_masses[block.indices] > 0.0).any(axis=1)
        return movable
    return np.array([(inverse_masses[block.members(k)] > 0.0).any() for k in range(len(block))], np.bool_)


def _movable_particles(
    indices: npt.NDArray[np.int32], inverse_masses: npt.NDArray[np.float64]
) -> npt.NDArray[np.int32]:
    """The rows with one of their movable particles in place of every fixed one.

    A projection writes to a fixed particle what it has read, so a thousand tethers to one pin do not get into each
    other's way.
    """
    movable = inverse_masses[indices] > 0.0
    stand_in = np.take_along_axis(indices, movable.argmax(axis=1)[:, None], axis=1)
    return np.where(movable, indices, stand_in)


def _flat(arrays: list[npt.NDArray[np.generic]], dtype: type[np.generic]) -> npt.NDArray[np.generic]:
    return np.concatenate(arrays).astype(dtype) if arrays else np.zeros(0, dtype)
