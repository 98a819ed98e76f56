# SPDX-License-Identifier: GPL-3.0-or-later
"""Collider objects, and the floor, as arrays."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.collider import Collider, no_triangles
from ...scene.collider_shapes import collider_shape
from ...scene.errors import XpbdError
from .mesh_reader import FARTHEST
from .motion import animated_paths

_INSTANCES = (
    "Geometry Nodes make the collider of instances, which have no faces of their own: put a Realize Instances node "
    "before the group's output."
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def read_collider(
    obj: bpy.types.Object, identifier: str, transforms: Floats, depsgraph: bpy.types.Depsgraph
) -> Collider:
    """A collider at the depsgraph's frame.

    Args:
        obj: mesh object with the role COLLIDER.
        identifier: of the collider in the job.
        transforms: local to world [m], shape (frames or 1, 4, 4).
        depsgraph: evaluated at the first frame.

    Raises:
        XpbdError: E_GEOM_EMPTY or E_GEOM_NONFINITE.
    """
    settings = obj.xpbd
    shape = collider_shape(settings.collider_shape)
    vertices, triangles = np.zeros((0, 3)), no_triangles()
    if shape.needs_mesh:
        vertices, triangles = evaluated_surface(obj, depsgraph)
        _require_surface(vertices, triangles, obj, depsgraph)
    local = shape.local(vertices, triangles)
    return Collider(identifier, obj.name, shape.name, transforms, *local, settings.friction, settings.restitution)


# of the built-in floor, which is no object
FLOOR_NAME = "Floor"


class FloorReader:
    """The floor of ``Scene.xpbd``, a plane across the world's Z axis, through the frames.

    Attributes:
        may_move: whether its height may change from frame to frame.
    """

    def __init__(self, scene: bpy.types.Scene, unit_scale: float, *, is_scripted: bool) -> None:
        """Read it at the first frame.

        Args:
            scene: with a floor.
            unit_scale: metres per Blender unit.
            is_scripted: something is called at each frame that may move it.
        """
        settings = scene.xpbd
        self.may_move = is_scripted or "xpbd.floor_height" in animated_paths(scene)
        self._unit_scale = unit_scale
        self._friction, self._restitution = settings.floor_friction, settings.floor_restitution
        self._heights = [settings.floor_height]

    def look(self, scene: bpy.types.Scene) -> None:
        """Take its height at a further frame."""
        self._heights.append(scene.xpbd.floor_height)

    def collider(self) -> Collider:
        """The floor as a plane; with one transform where it has turned out to stand still."""
        heights = np.array(self._heights[:1] if len(set(self._heights)) == 1 else self._heights)
        transforms = np.tile(np.eye(4), (len(heights), 1, 1))
        transforms[:, 2, 3] = heights * self._unit_scale
        return Collider(
            "floor", FLOOR_NAME, "PLANE", transforms, friction=self._friction, restitution=self._restitution
        )


def evaluated_surface(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Ints]:
    """Local vertices, shape (vertices, 3), and triangles, shape (triangles, 3), of a mesh with its modifiers."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        positions = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", positions.ravel())
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    finally:
        evaluated.to_mesh_clear()
    return positions.astype(np.float64), triangles


def _require_surface(positions: Floats, triangles: Ints, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    name = obj.name
    if len(triangles) == 0:
        advice = _INSTANCES if makes_instances(obj, depsgraph) else "The collider's mesh has no faces."
        raise XpbdError("E_GEOM_EMPTY", advice, name)
    bad = np.flatnonzero(~(np.abs(positions) < FARTHEST).all(axis=1))
    if len(bad):
        raise XpbdError("E_GEOM_NONFINITE", f"Vertex {int(bad[0])} is at no finite place: move or delete it.", name)


def makes_instances(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether it shows instances that Geometry Nodes make."""
    has_nodes = any(modifier.type == "NODES" and modifier.show_viewport for modifier in obj.modifiers)
    return has_nodes and any(
        instance.is_instance and instance.parent is not None and instance.parent.original == obj
        for instance in depsgraph.object_instances
    )
