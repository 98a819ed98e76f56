# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that point into pools; the constraints in the loop are tested in ``tests/solver/test_pools.py``."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.pools import (
    EXTRAS,
    FIRST_EXTRA,
    FIRST_MEMBER,
    FIRST_VALUE,
    MEMBERS,
    Pools,
    colour_pooled,
    joined_pools,
    pooled_rows,
)

Lists = list[tuple[list[int], list[int]]]
lists = st.lists(
    st.tuples(st.lists(st.integers(0, 11), max_size=5, unique=True), st.lists(st.integers(0, 9), max_size=3)),
    min_size=1,
    max_size=6,
)


def pooled(constraints: Lists) -> tuple[np.ndarray, Pools]:
    """Constraints of members and extras, with a value for each member."""
    counts = np.array([(len(members), len(extras)) for members, extras in constraints])
    rows = pooled_rows(counts[:, 0], counts[:, 1], counts[:, 0])
    members = np.array([member for own, _ in constraints for member in own], np.int32)
    extras = np.array([extra for _, own in constraints for extra in own], np.int32)
    return rows, Pools(members, extras, members + 0.5)


def unpooled(rows: np.ndarray, pools: Pools) -> Lists:
    found = []
    for row in rows:
        members = pools.members[row[FIRST_MEMBER] :][: row[MEMBERS]]
        extras = pools.extras[row[FIRST_EXTRA] :][: row[EXTRAS]]
        np.testing.assert_array_equal(pools.values[row[FIRST_VALUE] :][: row[MEMBERS]], members + 0.5)
        found.append((members.tolist(), extras.tolist()))
    return found


@given(lists)
def test_rows_lead_to_the_members_of_their_constraint(lists_of_each: Lists) -> None:
    assert unpooled(*pooled(lists_of_each)) == lists_of_each


@given(st.lists(lists, min_size=1, max_size=4))
def test_joined_blocks_keep_their_constraints(blocks: list[Lists]) -> None:
    rows, pools = zip(*map(pooled, blocks), strict=True)
    assert unpooled(*joined_pools(list(rows), list(pools))) == [one for block in blocks for one in block]


@given(lists, st.sets(st.integers(0, 11)))
def test_constraints_of_one_colour_share_no_movable_particle(constraints: Lists, fixed: set[int]) -> None:
    is_movable = np.array([particle not in fixed for particle in range(12)])
    colours = colour_pooled(*pooled(constraints), is_movable)
    movable = [set(members) - fixed for members, _ in constraints]
    for number, colour in enumerate(colours):
        # first fit: it clashes with an earlier one of each lower colour, and with none of its own
        taken = {colours[other] for other in range(number) if movable[other] & movable[number]}
        assert colour == next(c for c in range(number + 1) if c not in taken)
