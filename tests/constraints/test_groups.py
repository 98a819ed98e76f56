# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that point into pools; constraints over groups in the loop are tested in ``tests/solver/test_groups.py``."""

import numpy as np
from blender_xpbd.constraints.groups import (
    EXTRAS,
    FIRST_EXTRA,
    FIRST_MEMBER,
    FIRST_VALUE,
    MEMBERS,
    Groups,
    colour_groups,
    group_rows,
    joined_groups,
)
from hypothesis import given
from hypothesis import strategies as st

Lists = list[tuple[list[int], list[int]]]
lists = st.lists(
    st.tuples(st.lists(st.integers(0, 11), max_size=5, unique=True), st.lists(st.integers(0, 9), max_size=3)),
    min_size=1,
    max_size=6,
)


def pooled(groups: Lists) -> tuple[np.ndarray, Groups]:
    """Groups of members and extras, with a value for each member."""
    counts = np.array([(len(members), len(extras)) for members, extras in groups])
    rows = group_rows(counts[:, 0], counts[:, 1], counts[:, 0])
    members = np.array([member for own, _ in groups for member in own], np.int32)
    extras = np.array([extra for _, own in groups for extra in own], np.int32)
    return rows, Groups(members, extras, members + 0.5)


def unpooled(rows: np.ndarray, pools: Groups) -> Lists:
    found = []
    for row in rows:
        members = pools.members[row[FIRST_MEMBER] :][: row[MEMBERS]]
        extras = pools.extras[row[FIRST_EXTRA] :][: row[EXTRAS]]
        np.testing.assert_array_equal(pools.values[row[FIRST_VALUE] :][: row[MEMBERS]], members + 0.5)
        found.append((members.tolist(), extras.tolist()))
    return found


@given(lists)
def test_rows_lead_to_the_members_of_their_group(groups: Lists) -> None:
    assert unpooled(*pooled(groups)) == groups


@given(st.lists(lists, min_size=1, max_size=4))
def test_joined_blocks_keep_their_groups(blocks: list[Lists]) -> None:
    rows, pools = zip(*map(pooled, blocks), strict=True)
    assert unpooled(*joined_groups(list(rows), list(pools))) == [group for block in blocks for group in block]


@given(lists, st.sets(st.integers(0, 11)))
def test_groups_of_one_colour_share_no_movable_particle(groups: Lists, fixed: set[int]) -> None:
    is_movable = np.array([particle not in fixed for particle in range(12)])
    colours = colour_groups(*pooled(groups), is_movable)
    movable = [set(members) - fixed for members, _ in groups]
    for number, colour in enumerate(colours):
        # first fit: it clashes with an earlier group of each lower colour, and with none of its own
        taken = {colours[other] for other in range(number) if movable[other] & movable[number]}
        assert colour == next(c for c in range(number + 1) if c not in taken)
