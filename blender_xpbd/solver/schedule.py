# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which Gauss-Seidel visits the constraints: by round, type, layer, colour and part.

Constraints of one colour share no movable particle, so they may run at the same time, and one after the other they
overlap in the processor. Parts are for threads, see ``tasks``. The order depends on the scene alone, never on threads:
same bytes from run to run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..constraints import CONSTRAINTS
from ..constraints.constraint import ConstraintBlock, joined
from ..constraints.groups import colour_groups
from ..geometry.colouring import colour_constraints
from .tasks import ROUNDS, Parts, cut, part_count, segments_of

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Schedule:
    """All constraints of a scene in flat arrays, as the kernels read them.

    A segment is a run of constraints of one type, colour and task.

    Attributes:
        indices: particles, int32, flat; the rows of a type of groups are followed by its pools.
        parameters: float32, flat; likewise.
        multiplier_count: length of the array of multipliers.
        table: per type of ``CONSTRAINTS``: number of constraints, first index, first parameter, first
            multiplier; shape (types, 4), int32.
        colours: per round and type, the boundaries of its colours, shape (colours + 1,).
        blocks: per type, its constraints in scheduled order, float64 (None where there are none).
        parts: who belongs to which part.
        segments: first constraint of a segment and the one after its last, shape (segments, 2).
        segment_starts: first segment of each task and type, shape (tasks, types + 1).
    """

    indices: Ints
    parameters: npt.NDArray[np.float32]
    multiplier_count: int
    table: Ints
    colours: tuple[tuple[Ints, ...], ...]
    blocks: tuple[ConstraintBlock | None, ...]
    parts: Parts
    segments: Ints
    segment_starts: Ints

    def counts(self) -> dict[str, int]:
        """Number of constraints of each type that there is."""
        return {kind.name: int(row[0]) for kind, row in zip(CONSTRAINTS, self.table, strict=True) if row[0]}


def build_schedule(
    blocks: list[ConstraintBlock],
    inverse_masses: npt.NDArray[np.float64],
    positions: npt.NDArray[np.float64],
    parts: int | None = None,
) -> Schedule:
    """Order constraints.

    Args:
        blocks: constraints of all bodies, indices into all particles.
        inverse_masses: [1/kg], shape (particles,); constraints between fixed particles are left out.
        positions: shape (particles, 3), by which particles are cut into parts.
        parts: how many; None for as many as pay.
    """
    movable, layers = [], []
    for mine in _by_type(blocks):
        moving = [_movable_rows(block, inverse_masses) for block in mine]
        movable.append(joined(moving))
        layers.append(np.repeat([block.layer for block in moving], [len(block) for block in moving]))
    owned = cut(movable, positions, inverse_masses, part_count(movable) if parts is None else parts)
    table = np.zeros((len(CONSTRAINTS), 4), np.int32)
    indices, parameters = [], []
    scheduled: list[ConstraintBlock | None] = [None] * len(CONSTRAINTS)
    sort_keys: list[Ints] = [np.zeros((0, 2), np.int32)] * len(CONSTRAINTS)
    offsets = np.zeros(3, np.int64)
    for row, kind in enumerate(CONSTRAINTS):
        table[row, 1:] = offsets
        number = next((n for n, block in enumerate(movable) if block.type is kind and len(block)), None)
        if number is None:
            continue
        ordered, sort_keys[row] = _ordered(
            movable[number], layers[number], owned.tasks[number], owned.count, inverse_masses
        )
        ordered = ordered.prepared(inverse_masses)
        scheduled[row] = ordered
        table[row, 0] = len(ordered)
        indices.append(ordered.flat_indices(int(offsets[0]), int(offsets[1])))
        parameters.append(ordered.flat_parameters())
        offsets += (indices[-1].size, parameters[-1].size, len(ordered) * kind.slots)
    segments, segment_starts = _segments(sort_keys, owned.task_count)
    return Schedule(
        indices=_flat(indices, np.int32),
        parameters=_flat(parameters, np.float32),
        multiplier_count=int(offsets[2]),
        table=table,
        colours=tuple(tuple(_colours(keys, owned.count, number) for keys in sort_keys) for number in range(ROUNDS + 1)),
        blocks=tuple(scheduled),
        parts=owned,
        segments=segments,
        segment_starts=segment_starts,
    )


def _by_type(blocks: list[ConstraintBlock]) -> list[list[ConstraintBlock]]:
    groups = ([block for block in blocks if block.type is kind] for kind in CONSTRAINTS)
    return [mine for mine in groups if mine]


def _movable_rows(block: ConstraintBlock, inverse_masses: npt.NDArray[np.float64]) -> ConstraintBlock:
    return block.rows(_movable(block, inverse_masses))


def _ordered(
    block: ConstraintBlock, layers: Ints, tasks: Ints, parts: int, inverse_masses: npt.NDArray[np.float64]
) -> tuple[ConstraintBlock, Ints]:
    """Constraints by round, layer, colour and part, and (task, colour) of each, shape (constraints, 2)."""
    colours = np.zeros(len(block), np.int32)
    for number in range(ROUNDS + 1):
        first = 0
        for layer in np.unique(layers):
            mine = np.flatnonzero((tasks // parts == number) & (layers == layer))
            if len(mine):
                colours[mine] = first + _coloured(block.rows(mine), inverse_masses)
                first = int(colours[mine].max()) + 1
    order = np.lexsort((tasks, colours, tasks // parts))
    return block.rows(order), np.stack([tasks[order], colours[order]], axis=1)


def _coloured(block: ConstraintBlock, inverse_masses: npt.NDArray[np.float64]) -> Ints:
    if block.groups is not None:
        return colour_groups(block.indices, block.groups, inverse_masses > 0.0)
    return colour_constraints(_movable_particles(block.indices, inverse_masses), len(inverse_masses))


def _colours(keys: Ints, parts: int, number: int) -> Ints:
    """Where the colours of a round begin and end among the constraints of a type, shape (colours + 1,)."""
    mine = np.flatnonzero(keys[:, 0] // parts == number)
    if len(mine) == 0:
        return np.zeros(1, np.int32)
    changes = np.flatnonzero(np.diff(keys[mine, 1])) + 1
    return (mine[0] + np.concatenate([[0], changes, [len(mine)]])).astype(np.int32)


def _segments(sort_keys: list[Ints], task_count: int) -> tuple[Ints, Ints]:
    """Segments and their starts, as ``Schedule`` has them."""
    runs, starts = zip(*(segments_of(keys[:, 0], task_count) for keys in sort_keys), strict=True)
    # from type by type to task by task
    owners = np.concatenate([np.repeat(np.arange(task_count), np.diff(mine)) for mine in starts])
    order = np.argsort(owners, kind="stable")
    ends = np.cumsum(np.stack([np.diff(mine) for mine in starts], axis=1).ravel()).reshape(task_count, len(starts))
    firsts = np.concatenate([[0], ends[:-1, -1]])
    return np.concatenate(runs)[order], np.concatenate([firsts[:, None], ends], axis=1).astype(np.int32)


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
