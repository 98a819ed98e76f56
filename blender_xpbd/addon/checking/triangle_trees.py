# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees over the triangles of meshes, by Blender, which takes lists: their making is most of what a tree costs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def triangle_tree(points: Floats, triangles: Ints) -> BVHTree:
    """A tree over triangles; ``points`` of shape (vertices, 3), ``triangles`` of shape (triangles, 3)."""
    with _without_collector():
        # its stub says that it returns nothing
        make: Any = BVHTree.FromPolygons
        tree: BVHTree = make(points.tolist(), triangles.tolist(), all_triangles=True)
    return tree


def overlapping(tree: BVHTree, other: BVHTree) -> Ints:
    """Numbers of triangles of two trees that may cross, shape (pairs, 2)."""
    with _without_collector():
        return np.array(tree.overlap(other), np.int32).reshape(-1, 2)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Python's collector looks through all lists again and again while many are made, which takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
