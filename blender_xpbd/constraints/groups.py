# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints over groups of any size: rows of one width that point into pools.

A row of ``indices`` of a group type is (first member, members, first extra, extras, first value). While a block is
built they count within its pools; ``ConstraintBlock.flat_indices`` turns them into places in the flat arrays of the
kernels, where the pools follow the rows. So a projection reads member k as ``indices[indices[i] + k]``, and the
kernels know nothing of groups.
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
GROUP_ROW = 5


@dataclass(frozen=True)
class Groups:
    """The pools of a block.

    Attributes:
        members: particles, flat, int32; a particle comes once in a group.
        extras: further integers, such as the corners of triangles as member numbers, flat, int32.
        values: rest positions, masses and working space that a projection may overwrite, flat, float64.
    """

    members: npt.NDArray[np.int32]
    extras: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]


def group_rows(
    member_counts: npt.NDArray[np.int64], extra_counts: npt.NDArray[np.int64], value_counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Rows of groups whose pools follow one another, shape (groups, GROUP_ROW).

    Args:
        member_counts: of each group, shape (groups,).
        extra_counts: shape (groups,).
        value_counts: shape (groups,).
    """
    firsts = [np.cumsum(counts) - counts for counts in (member_counts, extra_counts, value_counts)]
    return np.stack([firsts[0], member_counts, firsts[1], extra_counts, firsts[2]], axis=1).astype(np.int32)


def joined_groups(rows: list[npt.NDArray[np.int32]], groups: list[Groups]) -> tuple[npt.NDArray[np.int32], Groups]:
    """Rows and pools of several blocks as those of one."""
    offsets = np.zeros(GROUP_ROW, np.int64)
    moved = []
    for mine, pools in zip(rows, groups, strict=True):
        moved.append((mine + offsets).astype(np.int32))
        offsets[[FIRST_MEMBER, FIRST_EXTRA, FIRST_VALUE]] += (
            len(pools.members),
            len(pools.extras),
            len(pools.values),
        )
    return np.concatenate(moved), Groups(
        members=np.concatenate([pools.members for pools in groups]),
        extras=np.concatenate([pools.extras for pools in groups]),
        values=np.concatenate([pools.values for pools in groups]),
    )


def colour_groups(
    rows: npt.NDArray[np.int32], groups: Groups, is_movable: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int32]:
    """First-fit colours: groups of one colour share no movable particle.

    Args:
        rows: shape (groups, GROUP_ROW).
        groups: the pools.
        is_movable: shape (particles,).

    Returns:
        colours 0 … n − 1, shape (groups,).
    """
    used = np.zeros((1, len(is_movable)), np.bool_)
    colours = np.zeros(len(rows), np.int32)
    for number, row in enumerate(rows):
        members = groups.members[row[FIRST_MEMBER] : row[FIRST_MEMBER] + row[MEMBERS]]
        members = members[is_movable[members]]
        taken = used[:, members].any(axis=1)
        if taken.all():
            used = np.concatenate([used, np.zeros((1, len(is_movable)), np.bool_)])
            taken = np.append(taken, False)
        colours[number] = np.argmin(taken)
        used[colours[number], members] = True
    return colours
