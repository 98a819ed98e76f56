# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the scene and does not count in a bake: each kind is one warning that names the objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body_kinds import body_labels
from ...scene.collider import Collider
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.material_parameters import COLLIDER
from ...scene.settings import FrameRange
from ..data.object_types import is_body
from ..reading.collider_reader import evaluated_surface
from ..reading.mesh_reader import RIG_MODIFIERS
from ..reading.motion import animated_paths, has_animation
from .bodies_in_the_way import bodies_in_the_way

Floats = npt.NDArray[np.float64]

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
# Blender plays these frame by frame, so that to look at a few frames shows nothing of them
_PLAYED_MODIFIERS = frozenset({"CLOTH", "SOFT_BODY"})
# Parents of these types deform their children as a modifier would
_DEFORMING_PARENTS = frozenset({"ARMATURE", "LATTICE"})
_NO_FORCE = frozenset({"NONE", "GUIDE", "BOID"})
# Of the size of a collider; armatures round
_SHAPE_TOLERANCE = 1e-4
# Neither a half nor a third, where what repeats itself might be as it was
_EARLY_SHARE = 0.382


def ignored_inputs(
    scene: bpy.types.Scene, objects: Sequence[bpy.types.Object], pinned: frozenset[int], colliders: Iterable[Collider]
) -> tuple[Notice, ...]:
    """Warnings for what a bake takes no notice of, as it is at the first frame.

    Args:
        scene: to be baked.
        objects: all that are enabled in it.
        pinned: ``session_uid`` of the bodies with pins.
        colliders: as they were read.
    """
    kinds = body_labels().lower()
    bodies = [obj for obj in objects if is_body(obj)]
    rigged = [obj for obj in bodies if obj.session_uid in pinned and _has_rig(obj)]
    loose = [collider.name for collider in colliders if _has_loose_vertices(collider)]
    found = (
        _ignored([obj.name for obj in objects if _has_force(obj)], f"Force fields do not act on {kinds}: {{}}."),
        _ignored(
            [obj.name for obj in bodies_in_the_way(scene, bodies)],
            f"Objects that are {kinds} do not collide with each other, they pass through: {{}}.",
        ),
        _ignored(
            [obj.name for obj in rigged],
            "Pins follow the object itself; an armature, lattice or hook moves the finished result instead: {}.",
        ),
        _ignored(loose, "Vertices and edges of a collider that belong to no face stop nothing: {}."),
        _animated_settings([scene, *bodies, *(obj for obj in objects if obj.xpbd.role == COLLIDER)]),
    )
    return tuple(notice for notice in found if notice is not None)


class ColliderShapes:
    """The meshes of colliders that may deform, at three frames: at the first, and at those that are looked at."""

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
        watched = [
            obj for obj in colliders if obj.xpbd.collider_shape != "PLANE" and (is_scripted or _may_change_shape(obj))
        ]
        self._first = {obj.session_uid: evaluated_surface(obj, depsgraph)[0] for obj in watched}
        self._names = {obj.session_uid: obj.name for obj in watched}
        self._changed = {obj.session_uid for obj in watched if _is_played(obj)}
        early = frames.start + round(_EARLY_SHARE * (frames.end - frames.start))
        self.frames = tuple(sorted({early, frames.end} - {frames.start})) if watched else ()

    def look(self, objects: Iterable[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> None:
        """Compare with the shapes of the first frame.

        Args:
            objects: those of them that are to be looked at.
            depsgraph: evaluated at one of ``frames``.
        """
        for obj in objects:
            if not _is_same_shape(self._first[obj.session_uid], evaluated_surface(obj, depsgraph)[0]):
                self._changed.add(obj.session_uid)

    @property
    def uids(self) -> tuple[int, ...]:
        """``session_uid`` of those that may deform."""
        return tuple(self._first)

    def notices(self) -> tuple[Notice, ...]:
        """The warning for those that do."""
        names = [name for uid, name in self._names.items() if uid in self._changed]
        notice = _ignored(names, "Colliders keep the shape that they have at the first frame, but these deform: {}.")
        return () if notice is None else (notice,)


def _ignored(names: Sequence[str], text: str) -> Notice | None:
    return Notice("W_IGNORED", text.format(quoted(names))) if names else None


def _has_force(obj: bpy.types.Object) -> bool:
    field = obj.field
    if field is None or field.type in _NO_FORCE:
        return False
    strengths = (field.linear_drag, field.quadratic_drag) if field.type == "DRAG" else (field.strength, field.flow)
    return any(strengths) or any(path.startswith("field.") for path in animated_paths(obj))


def _has_rig(obj: bpy.types.Object) -> bool:
    rigs = (modifier for modifier in obj.modifiers if modifier.type in RIG_MODIFIERS)
    is_child = obj.parent is not None and obj.parent_type in _DEFORMING_PARENTS
    return is_child or any(modifier.show_viewport or modifier.show_render for modifier in rigs)


def _has_loose_vertices(collider: Collider) -> bool:
    return len(np.unique(collider.triangles)) < collider.positions.shape[1]


def _animated_settings(owners: Iterable[bpy.types.ID]) -> Notice | None:
    """A warning where our own settings are animated, which Blender's windows do not offer but scripts can do."""
    names = [data.name for data in owners if any(path.startswith("xpbd.") for path in animated_paths(data))]
    if not names:
        return None
    text = (
        f"XPBD settings are animated: the bake takes what they are at its first frame, for all frames: {quoted(names)}."
    )
    return Notice("W_ANIMATED", text)


def _may_change_shape(obj: bpy.types.Object) -> bool:
    """Whether the evaluated mesh may depend on the frame; may say yes where it does not."""
    keys = obj.data.shape_keys
    if has_animation(obj.data) or (keys is not None and has_animation(keys)):
        return True
    if obj.parent is not None and obj.parent_type in _DEFORMING_PARENTS:
        return True
    shown = [modifier for modifier in obj.modifiers if modifier.show_viewport]
    if any(modifier.type not in _STILL_MODIFIERS for modifier in shown):
        return True
    return any(path.startswith("modifiers[") for path in animated_paths(obj))


def _is_played(obj: bpy.types.Object) -> bool:
    return any(modifier.show_viewport and modifier.type in _PLAYED_MODIFIERS for modifier in obj.modifiers)


def _is_same_shape(first: Floats, other: Floats) -> bool:
    if first.shape != other.shape:
        return False
    size = float(np.abs(first).max(initial=0.0))
    # not a number is another shape
    return bool((np.abs(first - other) <= _SHAPE_TOLERANCE * size).all())
