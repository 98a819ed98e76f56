# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse levels as a list of operations, and who does them.

Down: restrict to a level, from the finest to the coarsest. Up: pull its links, note how far its vertices came, prolong
that to what is below. An operation on a great level is shared out, links colour by colour, and all wait for each other
before the next. The other levels of a body, which are coarser, are a *chain* that one thread does; where there are many
bodies, one thread does the chains of several.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .level_tables import BELOW_COUNT, COUNT, FIRST, FIRST_LINK, IS_FINEST, LINK_COUNT, SWEEPS, HierarchyTables
from .tasks import MOST_PARTS

Ints = npt.NDArray[np.int32]
Operation = tuple[int, int, int, int, int]

# what an operation does
RESTRICT, PULL, NOTE, PROLONG = range(4)
# columns of operations: what is done, on which level, number of the sweep, and to which vertices, links or (PROLONG)
# rows of parents: those from BEGIN to END
OPERATION, LEVEL, SWEEP, BEGIN, END = range(5)
# levels of fewer links are for one thread: to share out a small one costs more waiting than it saves. Chosen by hand;
# what sharing the others gains is in docs/experiments.md, Threads
FEWEST_LINKS = 1500
# vertices, links or rows of a share at least, so as to be worth its claim; chosen by hand
LEAST_SHARE = {RESTRICT: 400, PULL: 100, NOTE: 400, PROLONG: 400}


@dataclass(frozen=True)
class LevelOperations:
    """All operations of a cycle.

    Attributes:
        rows: columns as named above, shape (operations, 5).
        starts: where each chain begins in ``rows``, shape (chains + 1,). An operation that is shared out is a chain
            of its own.
        stages: in the order of time: first chain, how many are done at once, into how many shares each is divided.
    """

    rows: Ints
    starts: Ints
    stages: tuple[tuple[int, int, int], ...]


def level_operations(tables: HierarchyTables, part_count: int) -> LevelOperations:
    """The operations of the cycle over the levels of all bodies.

    Args:
        tables: the levels.
        part_count: into so many shares an operation is divided at most; 1 for one thread.
    """
    down: list[Operation] = []
    up: list[list[Operation]] = []
    chains: list[list[Operation]] = []
    for first, last in _bodies(tables):
        split = first
        while part_count > 1 and split < last and tables.levels[split, LINK_COUNT] >= FEWEST_LINKS:
            down.append(_restriction(tables, split))
            up.append(_solution(tables, split, _colours(tables, split)))
            split += 1
        if split < last:
            chains.append(_chain(tables, split, last))
    chains = _joined(chains, MOST_PARTS)
    back = [operation for operations in reversed(up) for operation in operations]
    in_order = [*([operation] for operation in down), *chains, *([operation] for operation in back)]
    stages = [(number, 1, _shares(operation, part_count)) for number, operation in enumerate(down)]
    if chains:
        stages.append((len(down), len(chains), 1))
    begin = len(down) + len(chains)
    stages += [(begin + number, 1, _shares(operation, part_count)) for number, operation in enumerate(back)]
    return LevelOperations(
        rows=np.array(list(itertools.chain(*in_order)), np.int32).reshape(-1, 5),
        starts=np.cumsum([0, *(len(chain) for chain in in_order)]).astype(np.int32),
        stages=tuple(stages),
    )


def _joined(chains: list[list[Operation]], most: int) -> list[list[Operation]]:
    """At most so many chains, of about as many bodies each."""
    bounds = (
        [len(chains) * number // most for number in range(most + 1)] if len(chains) > most else range(len(chains) + 1)
    )
    return [list(itertools.chain(*chains[first:last])) for first, last in itertools.pairwise(bounds)]


def _bodies(tables: HierarchyTables) -> list[tuple[int, int]]:
    """First level of each body and the one after its last."""
    firsts = [*np.flatnonzero(tables.levels[:, IS_FINEST]).tolist(), len(tables.levels)]
    return list(itertools.pairwise(firsts))


def _chain(tables: HierarchyTables, first: int, last: int) -> list[Operation]:
    restrictions = [_restriction(tables, level) for level in range(first, last)]
    solutions = [_solution(tables, level, [_links(tables, level)]) for level in reversed(range(first, last))]
    return [*restrictions, *itertools.chain(*solutions)]


def _restriction(tables: HierarchyTables, level: int) -> Operation:
    return (RESTRICT, level, 0, *_vertices(tables, level))


def _solution(tables: HierarchyTables, level: int, runs: list[tuple[int, int]]) -> list[Operation]:
    pulls = [(PULL, level, sweep, *run) for sweep in range(int(tables.levels[level, SWEEPS])) for run in runs]
    note = (NOTE, level, 0, *_vertices(tables, level))
    return [*pulls, note, (PROLONG, level, 0, 0, int(tables.levels[level, BELOW_COUNT]))]


def _vertices(tables: HierarchyTables, level: int) -> tuple[int, int]:
    first = int(tables.levels[level, FIRST])
    return first, first + int(tables.levels[level, COUNT])


def _links(tables: HierarchyTables, level: int) -> tuple[int, int]:
    first = int(tables.levels[level, FIRST_LINK])
    return first, first + int(tables.levels[level, LINK_COUNT])


def _colours(tables: HierarchyTables, level: int) -> list[tuple[int, int]]:
    return list(itertools.pairwise(tables.colours[level].tolist()))


def _shares(operation: Operation, part_count: int) -> int:
    count = operation[END] - operation[BEGIN]
    return max(min(count // LEAST_SHARE[operation[OPERATION]], part_count), 1)
