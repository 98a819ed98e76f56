# SPDX-License-Identifier: GPL-3.0-or-later
"""A search as one launch: boxes are fitted, trees walked, and what was found is listed."""

import taichi as ti

from ...geometry.search.trees import PRIMITIVE_COUNT
from .boxes import ITEMS_PER_MEMBER, fit_leaves, fit_nodes, fit_point, share_of
from .leaves import CROSSINGS
from .listing import (
    FIRST_KEPT,
    KEPT,
    TOLD_ITEMS,
    TOLD_PAIRS,
    TOLD_ROWS,
    keep_candidates,
    place_items,
    write_pair,
)
from .packs import Boxes, Forest, Found, Ground, Listed, Points, Window, Work
from .walk import ROOT, open_items, walk_item


@ti.kernel
def search_trees(
    forest: Forest,
    points: Points,
    window: Window,
    boxes: Boxes,
    work: Work,
    found: Found,
    listed: Listed,
    team_size: ti.i32,
    mode: ti.i32,
):
    """Search a window; what finds no room is counted, and nothing is listed then."""
    ground = ti.static(Ground(forest, points, boxes, work, found))
    for turn in range(team_size * ITEMS_PER_MEMBER):
        if turn % ITEMS_PER_MEMBER == 0:
            member, count = turn // ITEMS_PER_MEMBER, points.point_elements.shape[0]
            for i in range(share_of(count, member, team_size), share_of(count, member + 1, team_size)):
                fit_point(points, window, boxes, i)
    for turn in range(team_size * ITEMS_PER_MEMBER):
        if turn % ITEMS_PER_MEMBER == 0:
            for tree in range(forest.tree_headers.shape[0]):
                if forest.tree_headers[tree, PRIMITIVE_COUNT] > 0:
                    fit_leaves(forest, boxes, tree, turn // ITEMS_PER_MEMBER, team_size)
    ti.loop_config(serialize=True)
    for _ in range(1):
        fit_nodes(forest, boxes)
        work.told[TOLD_PAIRS], work.told[TOLD_ROWS] = 0, 0
        work.told[TOLD_ITEMS] = open_items(ground)
    for turn in range(team_size * ITEMS_PER_MEMBER):
        if turn % ITEMS_PER_MEMBER == 0:
            walk_share(ground, turn // ITEMS_PER_MEMBER, team_size, listed.task_starts.shape[0] - 2, mode)
    ti.loop_config(serialize=True)
    for _ in range(1):
        count_pairs(work)
        if mode != CROSSINGS and work.told[TOLD_ROWS] * team_size <= found.found.shape[0]:
            if work.told[TOLD_PAIRS] <= listed.pair_ints.shape[0]:
                place_items(work, found, listed)
    for turn in range(team_size * ITEMS_PER_MEMBER):
        if turn % ITEMS_PER_MEMBER == 0 and mode != CROSSINGS:
            if work.told[TOLD_ROWS] * team_size <= found.found.shape[0]:
                if work.told[TOLD_PAIRS] <= listed.pair_ints.shape[0]:
                    write_share(ground, listed, turn // ITEMS_PER_MEMBER, team_size)


@ti.func
def walk_share(ground: ti.template(), member, team_size, part_count, mode):
    """Walk a member's items, each of which keeps its candidates behind those of the one before."""
    rows = ground.found.found.shape[0]
    first = rows // team_size * member
    last, end, most = first, first + rows // team_size, 0
    for turn in range((ground.work.told[TOLD_ITEMS] + team_size - 1 - member) // team_size):
        item = member + turn * team_size
        until = walk_item(ground, item, member, last, end, mode)
        kept, most = last, ti.max(most, until - first)
        if mode == CROSSINGS:
            kept = ti.min(until, end)
        elif until <= end:
            root = ground.work.node_pairs[item][ROOT]
            gap = ground.points.object_gaps[ground.work.roots[root, 0], ground.work.roots[root, 1]]
            is_of_one = ground.work.roots[root, 0] == ground.work.roots[root, 1]
            kept = keep_candidates(ground, last, until, gap, part_count, is_of_one)
        ground.work.item_rows[item] = ti.Vector([last, kept - last, 0, 0])
        last = kept
    ti.atomic_max(ground.work.told[TOLD_ROWS], most)


@ti.func
def count_pairs(work: ti.template()):
    """Count the pairs that are kept, in all and of each root."""
    for root in range(work.root_counts.shape[0]):
        work.root_counts[root] = 0
    total = 0
    for item in range(work.told[TOLD_ITEMS]):
        total += work.item_rows[item][KEPT]
        work.root_counts[work.node_pairs[item][ROOT]] += work.item_rows[item][KEPT]
    work.told[TOLD_PAIRS] = total


@ti.func
def write_share(ground: ti.template(), listed: ti.template(), member, team_size):
    """Write the pairs of a member's items."""
    for turn in range((ground.work.told[TOLD_ITEMS] + team_size - 1 - member) // team_size):
        rows = ground.work.item_rows[member + turn * team_size]
        for n in range(rows[FIRST_KEPT], rows[FIRST_KEPT] + rows[KEPT]):
            write_pair(ground.points, ground.found, listed, n)
