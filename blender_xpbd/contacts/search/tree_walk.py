# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces on the device, and the launch that fits their trees, walks them and lists what it finds."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...device.arrays import make_array, make_rows, make_zero_rows, make_zeros, read_array, readable_array
from ...device.launch import launch
from ...device.packs import arrays_by_name
from ...device.runtime import thread_count
from ...geometry.search.headers import PRIMITIVE_COUNT
from ...geometry.search.surfaces import Surfaces
from ...scene.errors import XpbdError
from .boxes import BOX_WIDTH
from .kernel import search_trees
from .leaves import MOST_FEATURES, MOST_HITS, TOLD_PAIRS, TOLD_ROWS, TOLD_WIDTH
from .packs import Boxes, Forest, Found, Work
from .walk import LEAST_ITEMS, STACK

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# rows for pairs of nodes to share out, so that every one can be opened once more
ITEM_ROWS = 16 * LEAST_ITEMS
# about 200 bytes each: more are no contact but a heap of points in one place
MOST_PAIRS = 50_000_000


class TreeWalk:
    """Finds what primitives have in common.

    Attributes:
        found: pack of what was found, member by member of the team.
        work: pack of what a walk writes.
        roots: trees that are walked against each other, shape (roots, 2).
        asks_all: whether flat pieces are walked against themselves and each other whatever their normals.
    """

    def __init__(self, surfaces: Surfaces, points: Any, mode: int) -> None:
        """Make the arrays.

        Args:
            surfaces: whose trees are walked.
            points: pack.
            mode: of ``leaves``.
        """
        trees = surfaces.trees
        self._points, self._mode, self.asks_all = points, mode, False
        self._forest = Forest(
            tree_headers=readable_array(trees.headers, ti.i32),
            leaf_rows=make_rows(trees.leaves.rows, ti.i32),
            features=make_rows(trees.leaves.features, ti.i32),
            leaf_points=readable_array(trees.leaves.points, ti.i32),
            searched_points=readable_array(np.unique(trees.leaves.points), ti.i32),
            is_flat=readable_array(trees.is_flat, ti.i32),
            flat_starts=readable_array(trees.flat_starts, ti.i32),
            flat_pairs=make_rows(trees.flat_pairs, ti.i32),
            places=readable_array(np.ascontiguousarray(surfaces.rest), ti.f64),
        )
        self._boxes = Boxes(
            point_boxes=make_zero_rows(len(surfaces.rest), BOX_WIDTH, ti.f32),
            point_places=make_zero_rows(len(surfaces.rest), 9, ti.f32),
            node_boxes=make_zero_rows(trees.node_count, BOX_WIDTH, ti.f32),
            node_normals=make_zero_rows(trees.node_count, 6, ti.f32),
            feature_boxes=make_zero_rows(len(trees.leaves.features), 6, ti.f32),
            filled=make_zeros((trees.node_count,), ti.i32),
        )
        self.roots = _roots(surfaces)
        rows, members = max(ITEM_ROWS, 16 * len(self.roots)), thread_count()
        self.work = Work(
            roots=make_array(self.roots, ti.i32),
            node_pairs=make_zero_rows(rows, 4, ti.i32),
            next_node_pairs=make_zero_rows(rows, 4, ti.i32),
            item_rows=make_zero_rows(rows, 4, ti.i32),
            stacks=make_zeros((2 * STACK * members,), ti.i32),
            near=make_zeros(((2 * MOST_FEATURES + MOST_HITS) * members,), ti.i32),
            told=make_zeros((TOLD_WIDTH,), ti.i32),
            root_counts=make_zeros((len(self.roots),), ti.i32),
        )
        self._make_room(len(surfaces.rest))

    def search(self, window: Any, listed: Any, team_size: int) -> int:
        """Find and list all pairs; where there are more than ``listed`` has rows, none is listed.

        Returns:
            how many there are.

        Raises:
            XpbdError: E_MEMORY, for more than ``MOST_PAIRS``.
        """
        if len(self.roots) == 0:
            return 0
        while True:
            forest = self._unsure_forest if self.asks_all else self._forest
            packs = forest, self._points, window, self._boxes, self.work, self.found, listed
            launch(search_trees, *packs, team_size, self._mode, team_size > 1)
            told = read_array(self.work.told)
            is_too_much = max(told[TOLD_PAIRS], told[TOLD_ROWS]) > MOST_PAIRS
            if is_too_much and self.asks_all:
                # no bake ends for what its lists may do without
                self.asks_all = False
                continue
            if is_too_much:
                text = (
                    "Too many parts of the surfaces lie in one place to test them for contact; move the objects apart."
                )
                raise XpbdError("E_MEMORY", text)
            if told[TOLD_ROWS] * team_size <= self._room:
                return int(told[TOLD_PAIRS])
            self._make_room(int(told[TOLD_ROWS]) * team_size * 3 // 2)

    @cached_property
    def _unsure_forest(self) -> Any:
        """The same trees, of which nothing counts as flat."""
        arrays = arrays_by_name(self._forest)
        nothing = {name: make_zeros(arrays[name].shape, ti.i32) for name in ("is_flat", "flat_starts")}
        return Forest(**arrays | nothing)

    def met(self) -> Ints:
        """Which trees have pairs with each other, shape (n, 2)."""
        return self.roots[read_array(self.work.root_counts)[: len(self.roots)] > 0]

    def _make_room(self, rows: int) -> None:
        """Let the members of a team write so many rows in all."""
        self._room = rows
        self.found = Found(found=make_zero_rows(rows, 6, ti.i32), found_gaps=make_zeros((rows,), ti.f32))


def _roots(surfaces: Surfaces) -> Ints:
    """The pairs of trees to begin with, each once; without those that have nothing in them."""
    is_there = surfaces.trees.headers[:, PRIMITIVE_COUNT] > 0
    sees = surfaces.sees & is_there[:, None] & is_there[None, :]
    return np.argwhere(np.triu(sees)).astype(np.int32)
