# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces on the device, and the launches that fit their trees and walk them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...device.arrays import make_zeros, read_array, readable_array, write_array
from ...device.launch import launch
from ...device.runtime import thread_count
from ...geometry.search.surfaces import Surfaces
from ...geometry.search.trees import PRIMITIVE_COUNT
from ...scene.errors import XpbdError
from .boxes import BOX_WIDTH, fit_boxes, fit_nodes
from .packs import Boxes, Forest, Found, Work
from .walk import LEAST_ITEMS, MOST_PAIRS, STACK, TREE_A, TREE_B, WORK_WIDTH, open_items, walk_items

Ints = npt.NDArray[np.int32]

# rows for pairs of nodes to share out, so that every one can be opened once more
ITEM_ROWS = 16 * LEAST_ITEMS


def make_forest(surfaces: Surfaces, places: npt.NDArray[np.float64]) -> Any:
    """The pack of the trees, with these places of all points [m], shape (points, 3)."""
    trees = surfaces.trees
    return Forest(
        tree_headers=readable_array(trees.headers, ti.i32),
        primitives=readable_array(trees.primitives, ti.i32),
        is_flat=readable_array(trees.is_flat, ti.i32),
        surface_triangles=readable_array(surfaces.triangles, ti.i32),
        surface_edges=readable_array(surfaces.edges, ti.i32),
        places=readable_array(np.ascontiguousarray(places), ti.f64),
    )


class TreeWalk:
    """Finds what two primitives have in common.

    Attributes:
        found: pack of what was found, member by member of the team.
    """

    def __init__(self, surfaces: Surfaces, points: Any, mode: int) -> None:
        """Make the arrays.

        Args:
            surfaces: whose trees are walked.
            points: pack.
            mode: of ``features``.
        """
        trees = surfaces.trees
        self._points, self._mode = points, mode
        self._roots = _roots(surfaces)
        self._boxes = Boxes(
            point_boxes=make_zeros((len(surfaces.rest), BOX_WIDTH), ti.f32),
            primitive_boxes=make_zeros((len(trees.primitives), BOX_WIDTH), ti.f32),
            node_boxes=make_zeros((trees.node_count, BOX_WIDTH), ti.f32),
            node_normals=make_zeros((trees.node_count, 6), ti.f32),
        )
        rows = max(ITEM_ROWS, 16 * len(self._roots))
        self._root_rows = np.zeros((rows, WORK_WIDTH), np.int32)
        self._root_rows[: len(self._roots)] = self._roots
        self._work = Work(
            node_pairs=make_zeros((rows, WORK_WIDTH), ti.i32),
            next_node_pairs=make_zeros((rows, WORK_WIDTH), ti.i32),
            item_counts=make_zeros((1,), ti.i32),
            found_counts=make_zeros((rows,), ti.i32),
            stacks=make_zeros((STACK * thread_count(), WORK_WIDTH), ti.i32),
        )
        self._make_room(1, 1)

    def fit(self, forest: Any, window: Any, team_size: int) -> None:
        """Fit all boxes to a window."""
        launch(fit_boxes, forest, self._points, window, self._boxes, team_size)
        launch(fit_nodes, forest, self._boxes)

    def walk(self, forest: Any, team_size: int) -> tuple[int, Ints]:
        """Find all pairs.

        Returns:
            how many there are, and the pairs of trees that have some, shape (pairs, 2).

        Raises:
            XpbdError: E_MEMORY, for more than ``MOST_PAIRS``.
        """
        if team_size != self.found.member_counts.shape[0]:
            self._make_room(self._room, team_size)
        write_array(self.found.member_counts, np.zeros(team_size, np.int32))
        write_array(self._work.node_pairs, self._root_rows)
        write_array(self._work.item_counts, np.array([len(self._roots)], np.int32))
        launch(open_items, forest, self._points, self._boxes, self._work, self._mode)
        item_count = int(read_array(self._work.item_counts)[0])
        if item_count == 0:
            return 0, np.zeros((0, 2), np.int32)
        self._walk(forest, team_size)
        counts = read_array(self.found.member_counts)
        count = int(counts.sum(dtype=np.int64))
        if count > MOST_PAIRS:
            text = "Too many parts of the surfaces lie in one place to test them for contact; move the objects apart."
            raise XpbdError("E_MEMORY", text)
        if counts.max() > self._room:
            self._make_room(int(counts.max()) * 3 // 2, team_size)
            self._walk(forest, team_size)
        met = np.flatnonzero(read_array(self._work.found_counts)[:item_count])
        return count, np.unique(read_array(self._work.node_pairs)[met][:, [TREE_A, TREE_B]], axis=0)

    def _make_room(self, rows: int, members: int) -> None:
        """Let each member of a team write so many rows."""
        self._room = rows
        self.found = Found(found=make_zeros((rows * members, 2), ti.i32), member_counts=make_zeros((members,), ti.i32))

    def _walk(self, forest: Any, team_size: int) -> None:
        launch(walk_items, forest, self._points, self._boxes, self._work, self.found, team_size, self._mode)


def _roots(surfaces: Surfaces) -> Ints:
    """The pairs of trees to begin with, each once; without those that have nothing in them."""
    is_there = surfaces.trees.headers[:, PRIMITIVE_COUNT] > 0
    sees = surfaces.sees & is_there[:, None] & is_there[None, :]
    first, other = np.nonzero(np.triu(sees))
    rows = np.zeros((len(first), WORK_WIDTH), np.int32)
    rows[:, TREE_A], rows[:, TREE_B] = first, other
    return rows
