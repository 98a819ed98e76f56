# SPDX-License-Identifier: GPL-3.0-or-later
"""A search as one launch: boxes are fitted, trees walked, and what was found is listed."""

import taichi as ti

from ...geometry.search.headers import PRIMITIVE_COUNT
from .boxes import ITEMS_PER_MEMBER, fit_leaves, fit_nodes, fit_point, share_of
from .leaves import CROSSINGS, TOLD_ITEMS, TOLD_PAIRS, TOLD_ROWS, TOLD_SEARCHES
from .listing import (
    FIRST_KEPT,
    KEPT,
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
    is_team: ti.template(),
):
    """Search a window; what finds no room is counted, and nothing is listed then.

    One thread takes no loop that Taichi would hand to its pool of threads.
    """
    ground = ti.static(Ground(forest, points, boxes, work, found))
    if ti.static(is_team):
        for turn in range(team_size * ITEMS_PER_MEMBER):
            if turn % ITEMS_PER_MEMBER == 0:
                fit_points(forest, points, window, boxes, turn // ITEMS_PER_MEMBER, team_size)
        for turn in range(team_size * ITEMS_PER_MEMBER):
            if turn % ITEMS_PER_MEMBER == 0:
                fit_trees(forest, boxes, turn // ITEMS_PER_MEMBER, team_size)
        ti.loop_config(serialize=True)
        for _ in range(1):
            open_trees(ground)
        for turn in range(team_size * ITEMS_PER_MEMBER):
            if turn % ITEMS_PER_MEMBER == 0:
                walk_share(ground, turn // ITEMS_PER_MEMBER, team_size, listed.task_starts.shape[0] - 2, mode)
        ti.loop_config(serialize=True)
        for _ in range(1):
            place_pairs(ground, listed, team_size, mode)
        for turn in range(team_size * ITEMS_PER_MEMBER):
            if turn % ITEMS_PER_MEMBER == 0:
                write_share(ground, listed, turn // ITEMS_PER_MEMBER, team_size, mode)
    else:
        ti.loop_config(serialize=True)
        for _ in range(1):
            fit_points(forest, points, window, boxes, 0, 1)
            fit_trees(forest, boxes, 0, 1)
            open_trees(ground)
            walk_share(ground, 0, 1, listed.task_starts.shape[0] - 2, mode)
            place_pairs(ground, listed, 1, mode)
            write_share(ground, listed, 0, 1, mode)


@ti.func
def fit_points(
    forest: ti.template(), points: ti.template(), window: ti.template(), boxes: ti.template(), member, team_size
):
    """Fit a member's share of the points that are in a leaf."""
    count = forest.searched_points.shape[0]
    for n in range(share_of(count, member, team_size), share_of(count, member + 1, team_size)):
        fit_point(points, window, boxes, forest.searched_points[n])


@ti.func
def fit_trees(forest: ti.template(), boxes: ti.template(), member, team_size):
    """Fit a member's share of the leaves."""
    for tree in range(forest.tree_headers.shape[0]):
        if forest.tree_headers[tree, PRIMITIVE_COUNT] > 0:
            fit_leaves(forest, boxes, tree, member, team_size)


@ti.func
def open_trees(ground: ti.template()):
    """Fit the nodes above the leaves, and share out what is to be walked."""
    fit_nodes(ground.forest, ground.boxes)
    ground.work.told[TOLD_PAIRS], ground.work.told[TOLD_ROWS] = 0, 0
    ground.work.told[TOLD_SEARCHES] += 1
    ground.work.told[TOLD_ITEMS] = open_items(ground)


@ti.func
def has_room(ground: ti.template(), listed: ti.template(), team_size, mode):
    """Whether all that was found has found room."""
    is_found = ground.work.told[TOLD_ROWS] * team_size <= ground.found.found.shape[0]
    return mode != CROSSINGS and is_found and ground.work.told[TOLD_PAIRS] <= listed.pair_ints.shape[0]


@ti.func
def place_pairs(ground: ti.template(), listed: ti.template(), team_size, mode):
    """Count the pairs, and find their places."""
    count_pairs(ground.work)
    if has_room(ground, listed, team_size, mode):
        place_items(ground.work, ground.found, listed)


@ti.func
def walk_share(ground: ti.template(), member, team_size, part_count, mode):
    """Walk a member's items, each of which keeps its candidates behind those of the one before."""
    rows = ground.found.found.shape[0]
    first = rows // team_size * member
    last, end, most = first, first + rows // team_size, 0
    for turn in range((ground.work.told[TOLD_ITEMS] + team_size - 1 - member) // team_size):
        item = member + turn * team_size
        until = walk_item(ground, item, ti.Vector([member, team_size]), last, end, mode)
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
def write_share(ground: ti.template(), listed: ti.template(), member, team_size, mode):
    """Write the pairs of a member's items."""
    items = (ground.work.told[TOLD_ITEMS] + team_size - 1 - member) // team_size
    for turn in range(items if has_room(ground, listed, team_size, mode) else 0):
        rows = ground.work.item_rows[member + turn * team_size]
        for n in range(rows[FIRST_KEPT], rows[FIRST_KEPT] + rows[KEPT]):
            write_pair(ground.points, ground.found, listed, n)
