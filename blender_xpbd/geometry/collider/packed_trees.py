# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that move, as ``contacts/deforming_mesh.py`` reads them: integers once, numbers for each frame.

Everything in a header is an absolute index, so that meshes share two arrays with the grids of those that do not deform.
A header is ``HEADER_INTS`` integers: start of the mesh's numbers, count of nodes, closed (1 or 0); starts of nodes,
triangles, fan starts and fans in the integers; starts of vertices and boxes in the numbers.

Integers: a node is its ``skip``, its first triangle and the one after its last (none but in leaves). A triangle is
three vertices. A vertex's fan is the triangles around it.

Numbers: ``HEADER_FLOATS`` (the share of the frame that a substep is; tolerance [m]; reach [m]; how far a vertex moves
in a substep at most [m]; how far the mesh moves in the frame as a whole (3), and how far a vertex moves beside that at
most [m]; the share at which the first substep begins); a vertex at the two ends of the frame (6) [m]; a node's box at
both (low and high corner at the start, then at the end, 12) [m].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..surface.triangle_surface import Floats, Ints
from .moving_surface import MovingSurface
from .triangle_grid import TOLERANCE
from .triangle_tree import TriangleTree, build_triangle_tree

Singles = npt.NDArray[np.float32]

HEADER_INTS = 9
HEADER_FLOATS = 9
VERTEX_FLOATS = 6
BOX_FLOATS = 12
# how deep within the mesh a point is looked for in every substep, in sizes of leaves; once in a frame it is at any
# depth. Chosen by hand: a point that a substep leaves inside is hardly deeper
REACH_PER_LEAF = 0.5


@dataclass(frozen=True)
class PackedTree:
    """A mesh that moves, with its place in the two arrays.

    Attributes:
        surface: its triangles.
        tree: over them.
        ints: what stays, shape (n,).
        float_start: where its numbers begin.
        largest_offset: the widest gap [m] that contacts will ask for.
    """

    surface: MovingSurface
    tree: TriangleTree
    ints: npt.NDArray[np.int32]
    float_start: int
    largest_offset: float

    @property
    def float_count(self) -> int:
        """How many numbers it has."""
        vertices, nodes = len(self.surface.sources), len(self.tree.skips)
        return HEADER_FLOATS + VERTEX_FLOATS * vertices + BOX_FLOATS * nodes

    def floats(self, start: Floats, end: Floats, substeps: int, first: float = 0.0) -> Singles:
        """The numbers of a frame.

        Args:
            start: vertices of the surface at its start [m], shape (vertices, 3), near the origin.
            end: at its end.
            substeps: of the frame.
            first: the share of the frame at which the first of those that are simulated begins.
        """
        both = np.concatenate([start, end], axis=1).astype(np.float32)
        lows, highs = self.tree.boxes(both, self.surface.triangles[self.tree.order])
        size = max(float((highs[0] - lows[0]).max()), 0.1 * float(np.abs([lows[0], highs[0]]).max()))
        leaves = self.tree.levels[-1]
        leaf_size = float(np.median(np.linalg.norm(highs[leaves, 3:] - lows[leaves, 3:], axis=1)))
        reach = max(2.0 * self.largest_offset, REACH_PER_LEAF * leaf_size)
        moves = both[:, 3:] - both[:, :3]
        drift = 0.5 * (moves.min(axis=0) + moves.max(axis=0))
        # a little more, for rounding
        travel, beside = (1.0001 * float(np.linalg.norm(each, axis=1).max()) for each in (moves, moves - drift))
        ways = [travel / substeps, *drift, beside]
        header = np.array([1.0 / substeps, TOLERANCE * size, reach, *ways, first], np.float32)
        boxes = np.concatenate([lows[:, :3], highs[:, :3], lows[:, 3:], highs[:, 3:]], axis=1)
        return np.concatenate([header, both.ravel(), boxes.ravel()])


def pack_tree(
    surface: MovingSurface, first_positions: Floats, int_start: int, float_start: int, largest_offset: float
) -> PackedTree:
    """Build the tree of a surface, and its integers.

    Args:
        surface: the triangles.
        first_positions: its vertices at the first frame [m], shape (vertices, 3).
        int_start: where the integers will begin, which is the header.
        float_start: where the numbers will begin.
        largest_offset: the widest gap [m] that contacts will ask for.
    """
    tree = build_triangle_tree(first_positions[surface.triangles])
    triangles = surface.triangles[tree.order]
    nodes = np.zeros((len(tree.skips), 3), np.int64)
    nodes[:, 0] = tree.skips
    nodes[tree.levels[-1], 1], nodes[tree.levels[-1], 2] = tree.leaf_starts[:-1], tree.leaf_starts[1:]
    fan_starts, fans = _fans(triangles, len(surface.sources))
    node_start = int_start + HEADER_INTS
    triangle_start = node_start + nodes.size
    fan_start = triangle_start + triangles.size
    vertex_start = float_start + HEADER_FLOATS
    header = [
        float_start,
        len(nodes),
        int(surface.closed),
        node_start,
        triangle_start,
        fan_start,
        fan_start + len(fan_starts),
        vertex_start,
        vertex_start + VERTEX_FLOATS * len(surface.sources),
    ]
    ints = np.concatenate([header, nodes.ravel(), triangles.ravel(), fan_starts, fans]).astype(np.int32)
    return PackedTree(surface, tree, ints, float_start, largest_offset)


def _fans(triangles: Ints, vertex_count: int) -> tuple[Ints, Ints]:
    """First entry of each vertex's fan, shape (vertices + 1,), and the triangles around the vertices."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(triangles.ravel(), minlength=vertex_count))])
    return starts, np.argsort(triangles.ravel(), kind="stable") // 3
