# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints over any number of particles: rows of one width that point into pools.

A row of ``indices`` of such a constraint is (first member, members, first extra, extras, first value). While a block is
built they count within its pools; ``ConstraintBlock.flat_indices`` turns them into places in the flat arrays of the
kernels, where the pools follow the rows. So a projection reads member k as ``indices[indices[i] + k]``, and the
kernels know nothing of pools.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FIRST_MEMBER = 0
MEMBERS = 1
FIRST_EXTRA = 2
EXTRAS = 3
FIRST_VALUE = 4
POOLED_ROW = 5


@dataclass(frozen=True)
class Pools:
    """The pools of a block.

    Attributes:
        members: particles, flat, int32; a particle comes once in a constraint.
        extras: further integers, such as the corners of triangles as member numbers, flat, int32.
        values: rest positions, masses and working space that a projection may overwrite, flat, float64.
    """

    members: npt.NDArray[np.int32]
    extras: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]


def pooled_rows(
    member_counts: npt.NDArray[np.int64], extra_counts: npt.NDArray[np.int64], value_counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Rows of constraints whose members and values follow one another, shape (constraints, POOLED_ROW).

    Args:
        member_counts: of each constraint, shape (constraints,).
        extra_counts: shape (constraints,).
        value_counts: shape (constraints,).
    """
    firsts = [np.cumsum(counts) - counts for counts in (member_counts, extra_counts, value_counts)]
    return np.stack([firsts[0], member_counts, firsts[1], extra_counts, firsts[2]], axis=1).astype(np.int32)


def joined_pools(rows: list[npt.NDArray[np.int32]], pools: list[Pools]) -> tuple[npt.NDArray[np.int32], Pools]:
    """Rows and pools of several blocks as those of one."""
    offsets = np.zeros(POOLED_ROW, np.int64)
    moved = []
    for mine, own in zip(rows, pools, strict=True):
        moved.append((mine + offsets).astype(np.int32))
        offsets[[FIRST_MEMBER, FIRST_EXTRA, FIRST_VALUE]] += (
            len(own.members),
            len(own.extras),
            len(own.values),
        )
    return np.concatenate(moved), Pools(
        members=np.concatenate([own.members for own in pools]),
        extras=np.concatenate([own.extras for own in pools]),
        values=np.concatenate([own.values for own in pools]),
    )


def colour_pooled(
    rows: npt.NDArray[np.int32], pools: Pools, is_movable: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int32]:
    """First-fit colours: constraints of one colour share no movable particle.

    Args:
        rows: shape (constraints, POOLED_ROW).
        pools: what the rows point into.
        is_movable: shape (particles,).

    Returns:
        colours 0 … n − 1, shape (constraints,).
    """
    used = np.zeros((1, len(is_movable)), np.bool_)
    colours = np.zeros(len(rows), np.int32)
    for number, row in enumerate(rows):
        members = pools.members[row[FIRST_MEMBER] : row[FIRST_MEMBER] + row[MEMBERS]]
        members = members[is_movable[members]]
        taken = used[:, members].any(axis=1)
        if taken.all():
            used = np.concatenate([used, np.zeros((1, len(is_movable)), np.bool_)])
            taken = np.append(taken, False)
        colours[number] = np.argmin(taken)
        used[colours[number], members] = True
    return colours
