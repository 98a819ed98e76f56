# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle over the coarse nets as a list of operations, in the form of ``level_operations``.

Up: the forces of the springs on particles; then on each net, from the finest, where its vertices are, what force acts
on them, and how its springs lie. Down: sweeps over the vertices of a net, and its moves to what is below. Operations on
the particles and on the finest net of a great cloth are shared out, but for sweeps; the rest of a body is a chain.
"""

from __future__ import annotations

import itertools

import numpy as np

from .level_operations import LevelOperations, Operation, joined_chains
from .net_tables import NET_BELOW_COUNT, NET_COUNT, NET_FIRST, NET_IS_FINEST, NetTables
from .tasks import MOST_PARTS

# what an operation does, after those on links
FORCE, GATHER, AIM, RESIDUE, RELAX, SPREAD = range(4, 10)
# sweeps over the vertices of a net, finest first: twice as many leave the same strain with 20 substeps, and less with 8
# and fewer (docs/experiments.md, Coarse nets of springs)
NET_SWEEPS = (1, 2, 4)
LONG_STEP_SWEEPS = (2, 4, 8)
LONG_STEP = 1.0 / 300.0
# cloths of fewer particles are for one thread, and sites of a share at least; chosen by hand as for levels
FEWEST_PARTICLES = 4000
LEAST_SHARE = 400


def net_operations(tables: NetTables, h: float, part_count: int) -> LevelOperations:
    """The operations of the cycle over the nets of all bodies.

    Args:
        tables: the nets.
        h: duration of a projection [s].
        part_count: into so many shares an operation is divided at most; 1 for one thread.
    """
    sweeps = LONG_STEP_SWEEPS if h > LONG_STEP else NET_SWEEPS
    firsts = [*np.flatnonzero(tables.rows[:, NET_IS_FINEST]).tolist(), len(tables.rows)]
    before: list[list[Operation]] = []
    chains: list[list[Operation]] = []
    after: list[list[Operation]] = []
    for first, last in itertools.pairwise(firsts):
        up = [operation for net in range(first, last) for operation in _up(tables, net, is_finest=net == first)]
        down = [
            operation for net in reversed(range(first, last)) for operation in _sweeps(tables, net, net - first, sweeps)
        ]
        middle = [*down, _spread(tables, first)]
        if part_count > 1 and tables.rows[first, NET_BELOW_COUNT] >= FEWEST_PARTICLES:
            shared = _up(tables, first, is_finest=True)
            before += [[operation] for operation in shared]
            chains.append([*up[len(shared) :], *middle[:-1]])
            after.append([middle[-1]])
        else:
            chains.append([*up, *middle])
    chains = joined_chains(chains, MOST_PARTS)
    in_order = [*before, *chains, *after]
    stages = [(number, 1, _shares(chain[0], part_count)) for number, chain in enumerate(before)]
    if chains:
        stages.append((len(before), len(chains), 1))
    begin = len(before) + len(chains)
    stages += [(begin + number, 1, _shares(chain[0], part_count)) for number, chain in enumerate(after)]
    return LevelOperations(
        rows=np.array(list(itertools.chain(*in_order)), np.int32).reshape(-1, 5),
        starts=np.cumsum([0, *(len(chain) for chain in in_order)]).astype(np.int32),
        stages=tuple(stages),
    )


def _up(tables: NetTables, net: int, *, is_finest: bool) -> list[Operation]:
    vertices = _vertices(tables, net)
    operations: list[Operation] = [(GATHER, net, 0, *vertices), (AIM, net, 0, *vertices)]
    if is_finest:
        forces = (FORCE, net, 0, 0, int(tables.rows[net, NET_BELOW_COUNT]))
        return [forces, *operations, (RESIDUE, net, 0, *vertices)]
    return operations


def _sweeps(tables: NetTables, net: int, depth: int, sweeps: tuple[int, ...]) -> list[Operation]:
    """The sweeps over a net, every other one backwards, and its moves to the net below."""
    count = sweeps[min(depth, len(sweeps) - 1)]
    rows: list[Operation] = [(RELAX, net, sweep % 2, *_vertices(tables, net)) for sweep in range(count)]
    return rows if depth == 0 else [*rows, _spread(tables, net)]


def _spread(tables: NetTables, net: int) -> Operation:
    return (SPREAD, net, 0, 0, int(tables.rows[net, NET_BELOW_COUNT]))


def _vertices(tables: NetTables, net: int) -> tuple[int, int]:
    first = int(tables.rows[net, NET_FIRST])
    return first, first + int(tables.rows[net, NET_COUNT])


def _shares(operation: Operation, part_count: int) -> int:
    return max(min((operation[4] - operation[3]) // LEAST_SHARE, part_count), 1)
