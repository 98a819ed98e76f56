# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of colliders that deform, frame by frame, with all their modifiers."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.collider_shapes import collider_shape
from ...scene.errors import XpbdError
from ...scene.settings import FrameRange
from .mesh_reader import FARTHEST
from .modifier_stack import has_deforming_parent
from .motion import animated_paths, has_animation

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

# Those of a mesh that stay as they are while what they work on does, and nobody animates their values
_STILL_MODIFIERS = frozenset(
    {
        "BEVEL",
        "COLLISION",
        "DECIMATE",
        "EDGE_SPLIT",
        "LAPLACIANSMOOTH",
        "MASK",
        "MULTIRES",
        "NORMAL_EDIT",
        "REMESH",
        "SKIN",
        "SMOOTH",
        "SOLIDIFY",
        "SUBSURF",
        "TRIANGULATE",
        "WEIGHTED_NORMAL",
        "WELD",
        "WIREFRAME",
    }
)
# Of the size of a collider; armatures round
_SHAPE_TOLERANCE = 1e-4


class ColliderShapes:
    """The vertices of colliders that may deform, as the frames are played."""

    def __init__(
        self,
        colliders: Iterable[bpy.types.Object],
        frames: FrameRange,
        depsgraph: bpy.types.Depsgraph,
        *,
        is_scripted: bool,
    ) -> None:
        """Take the shapes at the first frame.

        Args:
            colliders: mesh objects with the role COLLIDER.
            frames: of the bake.
            depsgraph: evaluated at the first frame.
            is_scripted: something is called at each frame that may deform them all.
        """
        self._frames = frames
        self._shapes = {
            obj.session_uid: _Shape(obj, depsgraph, frames.count)
            for obj in colliders
            if collider_shape(obj.xpbd.collider_shape).needs_mesh and (is_scripted or may_change_shape(obj))
        }

    @property
    def uids(self) -> tuple[int, ...]:
        """``session_uid`` of those that may deform."""
        return tuple(self._shapes)

    def note(self, objects: Iterable[bpy.types.Object], depsgraph: bpy.types.Depsgraph, frame: int) -> None:
        """Take the shapes at a frame after the first; frames come in order.

        Args:
            objects: those of ``uids``.
            depsgraph: evaluated at the frame.
            frame: its number.

        Raises:
            XpbdError: E_MODIFIER_TOPOLOGY, of a mesh whose faces are others than at the first frame; E_GEOM_NONFINITE.
        """
        for obj in objects:
            self._shapes[obj.session_uid].note(obj, depsgraph, frame, frame - self._frames.start)

    def positions(self) -> dict[int, Floats]:
        """Local vertices at each frame of the meshes that deform, shape (frames, vertices, 3), by ``session_uid``."""
        return {uid: shape.rows.astype(np.float64) for uid, shape in self._shapes.items() if shape.rows is not None}

    def not_followed(self) -> tuple[int, ...]:
        """``session_uid`` of those that deform, but whose shape keeps what it took from the mesh at the first frame."""
        return tuple(uid for uid, shape in self._shapes.items() if shape.deforms and not shape.is_followed)


class _Shape:
    """The vertices of one collider."""

    def __init__(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame_count: int) -> None:
        self.is_followed = collider_shape(obj.xpbd.collider_shape).has_triangles
        self.deforms = False
        # single precision is what Blender has; a collider that only might deform takes no memory
        self.rows: Singles | None = None
        self._first, self._corners = _evaluated_mesh(obj, depsgraph)
        self._frame_count = frame_count
        self._tolerance = _SHAPE_TOLERANCE * float(np.abs(self._first).max(initial=0.0))

    def note(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int, index: int) -> None:
        found, corners = _evaluated_mesh(obj, depsgraph)
        has_same_faces = found.shape == self._first.shape and np.array_equal(corners, self._corners)
        # not a number is another shape
        self.deforms = self.deforms or not has_same_faces or not (np.abs(found - self._first) <= self._tolerance).all()
        if not (self.is_followed and self.deforms):
            return
        if not has_same_faces:
            raise XpbdError(
                "E_MODIFIER_TOPOLOGY",
                f"The collider has other faces than at the first frame ({len(found)} vertices instead of "
                f"{len(self._first)}), so that nobody knows where its surface goes: do not animate what adds or "
                "removes vertices, or let another object collide.",
                obj.name,
                frame,
            )
        if not (np.abs(found) < FARTHEST).all():
            raise XpbdError("E_GEOM_NONFINITE", "A vertex is at no finite place.", obj.name, frame)
        if self.rows is None:
            self.rows = np.empty((self._frame_count, *found.shape), np.float32)
            self.rows[:index] = self._first
        self.rows[index] = found


def may_change_shape(obj: bpy.types.Object) -> bool:
    """Whether the evaluated mesh may depend on the frame; may say yes where it does not."""
    keys = obj.data.shape_keys
    if has_animation(obj.data) or (keys is not None and has_animation(keys)):
        return True
    if has_deforming_parent(obj):
        return True
    shown = [modifier for modifier in obj.modifiers if modifier.show_viewport]
    if any(modifier.type not in _STILL_MODIFIERS for modifier in shown):
        return True
    return any(path.startswith("modifiers[") for path in animated_paths(obj))


def _evaluated_mesh(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Singles, Ints]:
    """Local vertices, shape (vertices, 3), and the vertex of each corner of each polygon, shape (corners,)."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        positions = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", positions.ravel())
        corners = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
    finally:
        evaluated.to_mesh_clear()
    return positions, corners
