# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which Gauss-Seidel visits the constraints: by round, type, layer, colour and part.

Constraints of one colour share no movable particle, so they may run at the same time, and one after the other they
overlap in the processor. Parts are for threads, see ``tasks``. The order depends on the scene alone, never on threads:
same bytes from run to run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...constraints import CONSTRAINTS
from ...constraints.constraint import ConstraintBlock
from ...constraints.deferred import DeferredBlock, together
from ...constraints.pools import colour_pooled
from ...geometry.chunks import chunks
from ...geometry.colouring import colour_constraints
from .tasks import ROUNDS, Parts, cut, part_count, segments_of

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Schedule:
    """All constraints of a scene in flat arrays, as the kernels read them.

    A segment is a run of constraints of one type, colour and task.

    Attributes:
        indices: particles, int32, flat; the rows of a pooled type are followed by its pools.
        parameters: float32, flat; likewise.
        table: per type of ``CONSTRAINTS``: number of constraints, first index, first parameter; shape (types, 3),
            int32.
        colours: per round and type, the boundaries of its colours, shape (colours + 1,).
        blocks: per type, its constraints in scheduled order (None where there are none); views of the flat arrays, in
            single precision, but for pooled types.
        parts: who belongs to which part.
        segments: first constraint of a segment and the one after its last, shape (segments, 2).
        segment_starts: first segment of each task and type, shape (tasks, types + 1).
        rows: of each watched block, by its number, which constraints of its type are its own, in ascending order.
    """

    indices: Ints
    parameters: npt.NDArray[np.float32]
    table: Ints
    colours: tuple[tuple[Ints, ...], ...]
    blocks: tuple[ConstraintBlock | None, ...]
    parts: Parts
    segments: Ints
    segment_starts: Ints
    rows: Mapping[int, Ints]

    def counts(self) -> dict[str, int]:
        """Number of constraints of each type that there is."""
        return {kind.name: int(row[0]) for kind, row in zip(CONSTRAINTS, self.table, strict=True) if row[0]}


def build_schedule(
    blocks: list[ConstraintBlock],
    inverse_masses: npt.NDArray[np.float64],
    positions: npt.NDArray[np.float64],
    parts: int | None = None,
    watched: Collection[int] = (),
) -> Schedule:
    """Order constraints.

    Args:
        blocks: constraints of all bodies, indices into all particles.
        inverse_masses: [1/kg], shape (particles,); constraints between fixed particles are left out.
        positions: shape (particles, 3), by which particles are cut into parts.
        parts: how many; None for as many as pay.
        watched: numbers of the blocks whose rows are to be found again.
    """
    is_movable = inverse_masses > 0.0
    movable, layers, ranges = [], [], []
    for mine in _by_type(blocks):
        moving = [_movable_rows(blocks[number], is_movable) for number in mine]
        layers.append(_layers(moving))
        ranges.append(_ranges(mine, moving, watched))
        movable.append(together(moving))
        del moving
    owned = cut(movable, positions, is_movable, part_count(movable) if parts is None else parts)
    places = {block.type.name: number for number, block in enumerate(movable) if len(block)}
    rows = [movable[places[kind.name]] if kind.name in places else None for kind in CONSTRAINTS]
    del movable
    table = _table(rows)
    indices = np.empty(sum(_flat_sizes(block)[0] for block in rows), np.int32)
    parameters = np.empty(sum(_flat_sizes(block)[1] for block in rows), np.float32)
    sort_keys: list[Ints] = [np.zeros((0, 2), np.int32)] * len(CONSTRAINTS)
    watched_rows: dict[int, Ints] = {}
    for row, block in enumerate(rows):
        if block is not None:
            number = places[block.type.name]
            order, sort_keys[row] = _order(block, layers[number], owned.tasks[number], owned.count, is_movable)
            rows[row] = _flattened(block, order, inverse_masses, indices, parameters, table[row, 1:3])
            for watched_block, (first, last) in ranges[number].items():
                watched_rows[watched_block] = np.flatnonzero((order >= first) & (order < last)).astype(np.int32)
    segments, segment_starts = _segments(sort_keys, owned.task_count)
    return Schedule(
        indices=indices,
        parameters=parameters,
        table=table,
        colours=tuple(tuple(_colours(keys, owned.count, number) for keys in sort_keys) for number in range(ROUNDS + 1)),
        blocks=tuple(rows),
        parts=owned,
        segments=segments,
        segment_starts=segment_starts,
        rows=watched_rows,
    )


def _by_type(blocks: list[ConstraintBlock]) -> list[list[int]]:
    """Numbers of the blocks of each type that there is."""
    by_type = ([number for number, block in enumerate(blocks) if block.type is kind] for kind in CONSTRAINTS)
    return [mine for mine in by_type if mine]


def _ranges(
    numbers: list[int], blocks: Sequence[ConstraintBlock], watched: Collection[int]
) -> dict[int, tuple[int, int]]:
    """First constraint and the one after the last of each watched block, among all of its type, before they are sorted.

    Args:
        numbers: of the blocks.
        blocks: what of them is movable.
        watched: numbers of those that are wanted.
    """
    ends = np.cumsum([len(block) for block in blocks])
    return {
        number: (int(end) - len(block), int(end))
        for number, block, end in zip(numbers, blocks, ends, strict=True)
        if number in watched and len(block)
    }


def _movable_rows(block: ConstraintBlock, is_movable: Mask) -> ConstraintBlock:
    """The constraints that touch a particle that can move, parameters in the precision in which they are needed."""
    if block.type.prepare is None and not isinstance(block, DeferredBlock):
        block = replace(block, parameters=block.parameters.astype(np.float32))
    if block.pools is None:
        chosen = np.zeros(len(block), np.bool_)
        for part in chunks(len(block)):
            chosen[part] = is_movable[block.indices[part]].any(axis=1)
    else:
        chosen = np.array([is_movable[block.members(k)].any() for k in range(len(block))], np.bool_)
    return block if chosen.all() else block.rows(chosen)


def _layers(blocks: list[ConstraintBlock]) -> Ints:
    """The layer of each constraint; empty where there is a single one."""
    layers = [block.layer for block in blocks]
    if len(set(layers)) == 1:
        return np.zeros(0, np.int32)
    return np.repeat(np.array(layers, np.int32), [len(block) for block in blocks])


def _flat_sizes(block: ConstraintBlock | None) -> tuple[int, int]:
    """How many of the flat indices and parameters a block takes."""
    if block is None:
        return 0, 0
    parameter_count = len(block) * len(block.type.parameters)
    if block.pools is None:
        return block.indices.size, parameter_count
    pools = block.pools
    return block.indices.size + len(pools.members) + len(pools.extras), parameter_count + len(pools.values)


def _table(rows: list[ConstraintBlock | None]) -> Ints:
    """Counts and beginnings of all types, as ``Schedule`` has them."""
    table = np.zeros((len(rows), 3), np.int64)
    for row, block in enumerate(rows):
        table[row, 0] = 0 if block is None else len(block)
        table[row + 1 :, 1:] += _flat_sizes(block)
    return table.astype(np.int32)


def _flattened(
    block: ConstraintBlock,
    order: Ints,
    inverse_masses: npt.NDArray[np.float64],
    indices: Ints,
    parameters: npt.NDArray[np.float32],
    firsts: Ints,
) -> ConstraintBlock:
    """Write a block into the flat arrays in its order; the block as it is there."""
    index_count, parameter_count = _flat_sizes(block)
    own_indices = indices[firsts[0] :][:index_count]
    own_parameters = parameters[firsts[1] :][:parameter_count]
    if block.pools is not None:
        ordered = block.rows(order).prepared(inverse_masses)
        own_indices[:] = ordered.flat_indices(int(firsts[0]), int(firsts[1]))
        own_parameters[:] = ordered.flat_parameters()
        return ordered
    index_rows, parameter_rows = own_indices.reshape(len(block), -1), own_parameters.reshape(len(block), -1)
    for part in chunks(len(order)):
        some = block.rows(order[part]).prepared(inverse_masses)
        index_rows[part], parameter_rows[part] = some.indices, some.parameters
    return ConstraintBlock(block.type, index_rows, parameter_rows)


def _order(block: ConstraintBlock, layers: Ints, tasks: Ints, parts: int, is_movable: Mask) -> tuple[Ints, Ints]:
    """Constraints by round, layer, colour and part, and (task, colour) of each, shape (constraints, 2)."""
    colours = np.zeros(len(block), np.int32)
    rounds = (tasks // parts).astype(np.int8)
    for number in range(ROUNDS + 1):
        first = 0
        for layer in np.unique(layers) if len(layers) else [0]:
            chosen = rounds == number
            if len(layers):
                chosen &= layers == layer
            if chosen.any():
                colours[chosen] = first + _coloured(block, chosen, is_movable)
                first = int(colours[chosen].max()) + 1
    order = _sorted(rounds, colours, tasks - parts * rounds)
    return order, np.stack([tasks[order], colours[order]], axis=1)


def _sorted(rounds: npt.NDArray[np.int8], colours: Ints, parts: Ints) -> Ints:
    """The order by round, colour and part, with equal ones as they come."""
    widths = int(colours.max(initial=0)) + 1, int(parts.max(initial=0)) + 1
    # 16-bit integers are sorted by radix, several times faster
    dtype = np.uint16 if (ROUNDS + 1) * widths[0] * widths[1] <= 0xFFFF else np.int64
    keys = (rounds.astype(dtype) * dtype(widths[0]) + colours.astype(dtype)) * dtype(widths[1]) + parts.astype(dtype)
    return np.argsort(keys, kind="stable").astype(np.int32)


def _coloured(block: ConstraintBlock, chosen: Mask, is_movable: Mask) -> Ints:
    """Colours of some of the constraints."""
    indices = block.indices if chosen.all() else block.indices[chosen]
    if block.pools is not None:
        return colour_pooled(indices, block.pools, is_movable)
    return colour_constraints(_movable_particles(indices, is_movable), len(is_movable))


def _colours(keys: Ints, parts: int, number: int) -> Ints:
    """Where the colours of a round begin and end among the constraints of a type, shape (colours + 1,)."""
    first, last = np.searchsorted(keys[:, 0] // parts, [number, number + 1])
    if first == last:
        return np.zeros(1, np.int32)
    changes = first + 1 + np.flatnonzero(np.diff(keys[first:last, 1]))
    return np.concatenate([[first], changes, [last]]).astype(np.int32)


def _segments(sort_keys: list[Ints], task_count: int) -> tuple[Ints, Ints]:
    """Segments and their starts, as ``Schedule`` has them."""
    runs, starts = zip(*(segments_of(keys[:, 0], task_count, keys[:, 1]) for keys in sort_keys), strict=True)
    # from type by type to task by task
    owners = np.concatenate([np.repeat(np.arange(task_count), np.diff(mine)) for mine in starts])
    order = np.argsort(owners, kind="stable")
    ends = np.cumsum(np.stack([np.diff(mine) for mine in starts], axis=1).ravel()).reshape(task_count, len(starts))
    firsts = np.concatenate([[0], ends[:-1, -1]])
    return np.concatenate(runs)[order], np.concatenate([firsts[:, None], ends], axis=1).astype(np.int32)


def _movable_particles(indices: Ints, is_movable: Mask) -> Ints:
    """The rows with one of their movable particles in place of every fixed one.

    A projection writes to a fixed particle what it has read, so a thousand tethers to one pin do not get into each
    other's way.
    """
    if is_movable.all():
        return indices
    particles = indices.copy()
    for part in chunks(len(indices)):
        rows, movable = indices[part], is_movable[indices[part]]
        stand_in = np.take_along_axis(rows, movable.argmax(axis=1)[:, None], axis=1)
        particles[part] = np.where(movable, rows, stand_in)
    return particles
