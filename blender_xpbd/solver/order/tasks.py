# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be done at the same time: tasks of constraints that share no movable particle with each other.

The particles are cut into compact parts. The constraints within one part are a task of the first round. Those that
reach across a cut come in the next round, for which the particles along the cuts are cut again, and so on; what is left
of the last round is the last task. Tasks of a round may run in any order or at once, with the same result to the last
bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...constraints.constraint import ConstraintBlock
from ...geometry.bisection import bisect
from ...geometry.chunks import chunks

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# share of the particles along the cuts that comes into the first of two parts, in every round after the first: halves
# would be cut where they were cut before. Why three times: docs/experiments.md, Threads; the shares are by hand
CUT_AGAIN = (0.36, 0.3, 0.42)
# rounds of tasks, before the last one that is a single task: while one thread does that, the others wait
ROUNDS = 1 + len(CUT_AGAIN)
# a task takes its thread at least this long where there are more than the fewest: more cuts, more to do apart.
# Chosen by hand, a little above the 0.1 ms that starting threads takes (docs/experiments.md, Compiling kernels) [s]
TASK_SECONDS = 1.5e-4
# fewer leave threads idle, and these pay from as long on as so many tasks take. Chosen by hand: they keep a scene that
# is done in less than 0.24 ms an iteration, where waiting costs more than it saves, on one thread
FEWEST_PARTS, FEWEST_TASKS = 4, 1.6
# for all that a grain takes in a substep [s]
GRAIN_SECONDS = 3e-7
# chosen by hand: several parts for each of ``MOST_THREADS``. It also bounds the counters of the team's kernels
MOST_PARTS = 64


@dataclass(frozen=True)
class Parts:
    """Who belongs to which part.

    Attributes:
        count: parts, a power of 2; 1 where it does not pay to cut.
        particles: part of each particle, shape (particles,).
        tasks: per block, the task of each constraint, shape (constraints,): round · count + part, the last one
            ``ROUNDS`` · count.
    """

    count: int
    particles: Ints
    tasks: tuple[Ints, ...]

    @property
    def task_count(self) -> int:
        """Tasks of all rounds."""
        return ROUNDS * self.count + 1


def part_count(blocks: Sequence[ConstraintBlock], grains: int = 0) -> int:
    """Into how many parts to cut: by the time that an iteration takes, not by threads, of which no result depends."""
    seconds = 1e-9 * sum(len(block) * block.type.nanoseconds for block in blocks) + GRAIN_SECONDS * grains
    if seconds < FEWEST_TASKS * TASK_SECONDS:
        return 1
    parts = FEWEST_PARTS
    while parts < MOST_PARTS and 2 * parts * TASK_SECONDS <= seconds:
        parts *= 2
    return parts


def cut(
    blocks: Sequence[ConstraintBlock],
    positions: npt.NDArray[np.float64],
    is_movable: Mask,
    count: int,
) -> Parts:
    """Cut particles and constraints into parts.

    Args:
        blocks: constraints, indices into all particles.
        positions: shape (particles, 3).
        is_movable: shape (particles,). Fixed particles belong to whoever reads them.
        count: parts, a power of 2.
    """
    tasks = [np.zeros(len(block), np.int32) for block in blocks]
    labels = bisect(positions, count)
    particles = labels
    if count > 1:
        remaining = [np.ones(len(block), np.bool_) for block in blocks]
        for number in range(ROUNDS):
            if number:
                labels = _cut_again(blocks, remaining, positions, count, CUT_AGAIN[number - 1])
            for block, task, left in zip(blocks, tasks, remaining, strict=True):
                for part in chunks(len(block)):
                    mine = part.start + np.flatnonzero(left[part])
                    common = _common_part(block, mine, labels, is_movable)
                    task[mine] = np.where(common >= 0, number * count + common, ROUNDS * count)
                    left[mine] = common < 0
    return Parts(count, particles, tuple(tasks))


def segments_of(tasks: Ints, task_count: int, colours: Ints | None = None) -> tuple[Ints, Ints]:
    """Runs of the same task in an ordered list.

    Args:
        tasks: of each entry, shape (entries,).
        task_count: number of tasks.
        colours: of each entry, where a run is to be of one colour.

    Returns:
        First entry of each run and the one after its last, by task, shape (segments, 2); and the first segment of
        each task, shape (task_count + 1,).
    """
    changes = np.diff(tasks) != 0
    if colours is not None:
        changes |= np.diff(colours) != 0
    bounds = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(tasks)]])[: len(tasks) + 1]
    runs = np.stack([bounds[:-1], bounds[1:]], axis=1)
    owners = tasks[bounds[:-1]]
    order = np.argsort(owners, kind="stable")
    return runs[order].astype(np.int32), np.searchsorted(owners[order], np.arange(task_count + 1)).astype(np.int32)


def _cut_again(
    blocks: Sequence[ConstraintBlock],
    remaining: Sequence[Mask],
    positions: npt.NDArray[np.float64],
    count: int,
    share: float,
) -> Ints:
    """Parts of the particles that the remaining constraints touch, not cut where they were cut before."""
    touched = np.zeros(len(positions), np.bool_)
    for block, left in zip(blocks, remaining, strict=True):
        if block.pools is None:
            touched[block.indices[left]] = True
    labels = np.zeros(len(positions), np.int32)
    labels[touched] = bisect(positions[touched], count, share)
    return labels


def _common_part(block: ConstraintBlock, numbers: npt.NDArray[np.intp], labels: Ints, is_movable: Mask) -> Ints:
    """The part that all movable particles of each of some constraints are in, −1 where they are in several."""
    if block.pools is not None:
        rows = [block.members(number) for number in numbers]
        parts = [np.unique(labels[row[is_movable[row]]]) for row in rows]
        return np.array([part[0] if len(part) == 1 else -1 for part in parts], np.int32)
    own, counts = labels[block.indices[numbers]], is_movable[block.indices[numbers]]
    lowest = np.where(counts, own, np.iinfo(np.int32).max).min(axis=1)
    highest = np.where(counts, own, -1).max(axis=1)
    return np.where(lowest == highest, lowest, -1).astype(np.int32)
