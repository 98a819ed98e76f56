# SPDX-License-Identifier: GPL-3.0-or-later
"""Roots of hair on a surface that moves and deforms: where they are at each frame.

At the first frame each root is bound to the nearest triangle of the evaluated surface. From then on it keeps its
place in the frame of that triangle: the point that was nearest, an edge, the normal. The next point of the hair goes
with its root, so the hair keeps its direction to the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

from ...scene.body import Pins
from ...scene.errors import Notice, XpbdError
from ...scene.transforms import transformed
from .body_reader import LocalBody
from .mesh_reader import FARTHEST
from .motion import may_deform, may_move, world_matrix

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class _Surface(NamedTuple):
    """An evaluated mesh in the world: vertices in Blender units, shape (vertices, 3), and triangles (triangles, 3)."""

    positions: Floats
    triangles: Ints


class _Roots:
    """The pins of one body, bound to triangles of a surface."""

    def __init__(self, surface: _Surface, points: Floats, anchors: Floats) -> None:
        """Bind points to the triangles that are nearest to their anchors, both in the world, shapes (pins, 3)."""
        tree = BVHTree.FromPolygons(surface.positions.tolist(), surface.triangles.tolist())
        nearest = [tree.find_nearest(anchor) for anchor in anchors.tolist()]
        self._corners = surface.triangles[[found[2] for found in nearest]]
        self._weights = _barycentric(surface.positions[self._corners], np.array([found[0][:] for found in nearest]))
        origins, axes = self._frames(surface.positions)
        self._offsets = np.einsum("pji,pj->pi", axes, points - origins)

    def places(self, positions: Floats) -> Floats:
        """Where the points are as the surface stands, in the world, shape (pins, 3)."""
        origins, axes = self._frames(positions)
        places: Floats = origins + np.einsum("pij,pj->pi", axes, self._offsets)
        return places

    def _frames(self, positions: Floats) -> tuple[Floats, Floats]:
        """Origins, shape (pins, 3), and axes as columns, shape (pins, 3, 3); where a triangle is flat, the world's."""
        a, b, c = (positions[self._corners[:, corner]] for corner in range(3))
        origins = np.einsum("pc,pcx->px", self._weights, positions[self._corners])
        along, normal = b - a, np.cross(b - a, c - a)
        lengths, areas = np.linalg.norm(along, axis=1), np.linalg.norm(normal, axis=1)
        is_flat = (lengths == 0.0) | (areas == 0.0)
        along = along / np.where(is_flat, 1.0, lengths)[:, None]
        normal = normal / np.where(is_flat, 1.0, areas)[:, None]
        axes = np.stack((along, np.cross(normal, along), normal), axis=2)
        axes[is_flat] = np.eye(3)
        return origins, axes


class SurfaceFollower:
    """Where the roots of all hair are, as the frames are played."""

    def __init__(
        self,
        bodies: Iterable[LocalBody],
        matrices: dict[int, list[Floats]],
        require: Callable[[int], bpy.types.Object],
        depsgraph: bpy.types.Depsgraph,
        *,
        is_scripted: bool,
    ) -> None:
        """Bind them at the first frame.

        Args:
            bodies: as they were read; those without a surface do not count.
            matrices: local to world in Blender units at the first frame, by ``session_uid`` of their objects.
            require: an object by its ``session_uid``.
            depsgraph: evaluated at the first frame.
            is_scripted: something is called at each frame that may move all surfaces.
        """
        self.notices: list[Notice] = []
        self._surface_uids: dict[int, int] = {}
        self._roots: dict[int, _Roots] = {}
        self._rows: dict[int, list[Floats]] = {}
        self._moving: list[int] = []
        self._counts: dict[int, int] = {}
        for body in bodies:
            if body.surface_uid:
                self._bind(body, matrices[body.object_uid][0], require(body.surface_uid), depsgraph)
        for uid in dict.fromkeys(self._surface_uids.values()):
            surface = require(uid)
            if is_scripted or may_follow(surface):
                self._moving.append(uid)

    def _bind(self, body: LocalBody, matrix: Floats, surface: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        shape = _evaluated(surface, depsgraph)
        if len(shape.triangles) == 0:
            words = f'The surface "{surface.name}" has no faces, so the roots follow the object: choose another one.'
            self.notices.append(Notice("W_SURFACE", words, body.name))
            return
        points = transformed(matrix, body.rest_shape)
        roots = _Roots(shape, points[body.pin_vertices], points[body.pin_anchors])
        self._surface_uids[body.object_uid] = body.surface_uid
        self._counts[body.surface_uid] = len(shape.positions)
        self._roots[body.object_uid] = roots
        self._rows[body.object_uid] = [points[body.pin_vertices]]

    @property
    def may_change(self) -> bool:
        """Whether a surface may move or deform."""
        return bool(self._moving)

    def look(self, require: Callable[[int], bpy.types.Object], depsgraph: bpy.types.Depsgraph, frame: int) -> None:
        """Note where the roots are at a frame after the first; frames come in order.

        Raises:
            XpbdError: E_MODIFIER_TOPOLOGY, of a surface whose vertices are others than at the first frame;
                E_GEOM_NONFINITE.
        """
        for uid in self._moving:
            surface = require(uid)
            positions = _evaluated(surface, depsgraph, frame).positions
            if len(positions) != self._counts[uid]:
                raise XpbdError(
                    "E_MODIFIER_TOPOLOGY",
                    f"The surface that hair hangs on has {len(positions)} vertices instead of {self._counts[uid]} at "
                    "the first frame: do not animate what adds or removes vertices.",
                    surface.name,
                    frame,
                )
            for owner in (owner for owner, its in self._surface_uids.items() if its == uid):
                self._rows[owner].append(self._roots[owner].places(positions))

    def pins(self, body: LocalBody, pins: Pins, unit_scale: float) -> Pins:
        """The pins of a body: by the surface where it has one, else as they are."""
        rows = self._rows.get(body.object_uid)
        if rows is None:
            return pins
        targets = np.stack(rows) * unit_scale
        is_still = bool((targets == targets[0]).all())
        return Pins(body.pin_vertices, body.pin_weights, targets[:1] if is_still else targets)


def may_follow(surface: bpy.types.Object) -> bool:
    """Whether a surface may move or deform over the frames."""
    return may_move(surface) or may_deform(surface)


def _evaluated(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int | None = None) -> _Surface:
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        positions = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", positions.ravel())
        mesh.calc_loop_triangles()
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    finally:
        evaluated.to_mesh_clear()
    if not (np.abs(positions) < FARTHEST).all():
        raise XpbdError("E_GEOM_NONFINITE", "A vertex is at no finite place.", obj.name, frame)
    return _Surface(transformed(world_matrix(obj, depsgraph, frame), positions.astype(np.float64)), triangles)


def _barycentric(corners: Floats, points: Floats) -> Floats:
    """Weights of the corners, shape (points, 3), of points in triangles of shape (points, 3, 3); 1/3 in flat ones."""
    u, v, w = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], points - corners[:, 0]
    uu, uv, vv = (np.einsum("px,px->p", first, second) for first, second in ((u, u), (u, v), (v, v)))
    uw, vw = np.einsum("px,px->p", u, w), np.einsum("px,px->p", v, w)
    size = uu * vv - uv * uv
    is_flat = size <= 0.0
    safe = np.where(is_flat, 1.0, size)
    b, c = (vv * uw - uv * vw) / safe, (uu * vw - uv * uw) / safe
    weights = np.column_stack((1.0 - b - c, b, c))
    weights[is_flat] = 1.0 / 3.0
    return weights
