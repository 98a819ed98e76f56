# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of all objects of a scene as points, edges and triangles, numbered through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..surface.topology import triangulate, unique_edges, unique_pairs
from .trees import Trees, build_trees

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SurfaceMesh:
    """The surface of one object; indices count from its own first point.

    Attributes:
        rest: positions at rest [m], in any frame, shape (points, 3).
        triangles: shape (triangles, 3).
        edges: of the faces and loose ones, each once, shape (edges, 2).
        takes_part: whether a point may touch anything, shape (points,).
        origins: equal where points were one before the mesh was cut, or are in one place at rest, as where a mesh
            comes in loose triangles; shape (points,), or (0,) where there are none.
    """

    rest: Floats
    triangles: Ints
    edges: Ints
    takes_part: Bools
    origins: Ints = field(default_factory=lambda: np.zeros(0, np.int32))


@dataclass(frozen=True)
class Surfaces:
    """The surfaces of all objects, one after the other; indices count through all points, triangles and edges.

    Attributes:
        rest: positions of the points at rest [m], one frame per object, shape (points, 3).
        triangles: points, shape (triangles, 3).
        edges: points, shape (edges, 2).
        takes_part: whether a point may touch anything, shape (points,); an edge or a triangle of a point that does not
            is left out as a whole, so that nothing pushes that point.
        point_starts: first point of each object, then the end of the last, shape (objects + 1,).
        triangle_starts: likewise.
        edge_starts: likewise.
        sees: which objects may touch each other, and which touch themselves; symmetric, shape (objects, objects).
        trees: bounding volume hierarchies.
        origins: equal where points were one before their mesh was cut, or are doubled: what has one of them is no pair
            with what has another, for it began at a gap of 0. Shape (points,), or (0,) where there are none.
    """

    rest: Floats
    triangles: Ints
    edges: Ints
    takes_part: Bools
    point_starts: Ints
    triangle_starts: Ints
    edge_starts: Ints
    sees: Bools
    trees: Trees = field(repr=False)
    origins: Ints = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def object_count(self) -> int:
        """Number of objects."""
        return len(self.point_starts) - 1

    @property
    def point_objects(self) -> Ints:
        """Object of each point, shape (points,)."""
        return np.repeat(np.arange(self.object_count, dtype=np.int32), np.diff(self.point_starts))


def build_surface_mesh(
    rest: Floats, face_sizes: Ints, corners: Ints, loose_edges: Ints | None = None, left_out: Ints | None = None
) -> SurfaceMesh:
    """The surface of a mesh; polygons are cut as bodies cut them.

    Args:
        rest: vertices at rest [m], shape (vertices, 3).
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (sum of face_sizes,).
        loose_edges: edges of no polygon, shape (edges, 2); None for none.
        left_out: vertices that take no part; None for none.
    """
    triangles = triangulate(face_sizes, corners)
    own = unique_edges(np.full(len(triangles), 3, np.int32), triangles.ravel())
    edges = own if loose_edges is None else unique_pairs(np.concatenate([own, loose_edges]))
    takes_part = np.ones(len(rest), np.bool_)
    if left_out is not None:
        takes_part[left_out] = False
    return SurfaceMesh(np.asarray(rest, np.float64), triangles, edges, takes_part)


def build_surfaces(meshes: Sequence[SurfaceMesh], sees: Bools) -> Surfaces:
    """Number the surfaces through, and build a tree over each.

    Args:
        meshes: one per object.
        sees: as in ``Surfaces``.

    Raises:
        ValueError: ``sees`` is not symmetric or does not fit.
    """
    count = len(meshes)
    if sees.shape != (count, count) or not np.array_equal(sees, sees.T):
        raise ValueError("what objects see must be a symmetric matrix")
    point_starts = _starts([len(mesh.rest) for mesh in meshes])
    shifted = list(zip(meshes, point_starts, strict=False))
    return Surfaces(
        rest=np.concatenate([np.zeros((0, 3)), *(mesh.rest for mesh in meshes)]),
        triangles=_joined([mesh.triangles + start for mesh, start in shifted], 3),
        edges=_joined([mesh.edges + start for mesh, start in shifted], 2),
        takes_part=np.concatenate([np.zeros(0, np.bool_), *(mesh.takes_part for mesh in meshes)]),
        point_starts=point_starts,
        triangle_starts=_starts([len(mesh.triangles) for mesh in meshes]),
        edge_starts=_starts([len(mesh.edges) for mesh in meshes]),
        sees=sees.astype(np.bool_),
        trees=build_trees(
            [(mesh.rest, mesh.triangles, mesh.edges, mesh.takes_part) for mesh in meshes], sees.diagonal()
        ),
        origins=_origins(meshes, point_starts),
    )


def _origins(meshes: Sequence[SurfaceMesh], point_starts: Ints) -> Ints:
    """As in ``Surfaces``."""
    if not any(len(mesh.origins) for mesh in meshes):
        return np.zeros(0, np.int32)
    origins = np.arange(point_starts[-1], dtype=np.int32)
    for mesh, start in zip(meshes, point_starts, strict=False):
        if len(mesh.origins):
            _, firsts, inverse = np.unique(mesh.origins, return_index=True, return_inverse=True)
            origins[start : start + len(mesh.rest)] = start + firsts[inverse.reshape(-1)]
    return origins


def _starts(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _joined(parts: list[Ints], width: int) -> Ints:
    return np.concatenate([np.zeros((0, width), np.int32), *parts]).astype(np.int32)
