# SPDX-License-Identifier: GPL-3.0-or-later
"""Collider objects, and the floor, as arrays."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.collider import Collider
from ...scene.errors import XpbdError
from .mesh_reader import FARTHEST

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
    shape = settings.collider_shape
    positions = np.zeros((1, 0, 3))
    triangles = np.zeros((0, 3), np.int32)
    radius = 0.0
    if shape != "PLANE":
        local, triangles = evaluated_surface(obj, depsgraph)
        _require_surface(local, triangles, obj.name)
        positions = local[None]
    if shape == "SPHERE":
        radius = float(np.linalg.norm(positions, axis=2).max())
        positions, triangles = np.zeros((1, 0, 3)), np.zeros((0, 3), np.int32)
    return Collider(
        identifier,
        obj.name,
        shape,
        transforms,
        positions,
        triangles,
        radius,
        settings.friction,
        settings.restitution,
    )


def read_floor(settings: bpy.types.PropertyGroup, unit_scale: float) -> Collider:
    """The floor of ``Scene.xpbd``: a plane across the world's Z axis."""
    transform = np.eye(4)
    transform[2, 3] = settings.floor_height * unit_scale
    return Collider(
        "floor",
        "Floor",
        "PLANE",
        transform[None],
        friction=settings.floor_friction,
        restitution=settings.floor_restitution,
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


def _require_surface(positions: Floats, triangles: Ints, name: str) -> None:
    if len(triangles) == 0:
        raise XpbdError("E_GEOM_EMPTY", "The collider's mesh has no faces.", name)
    bad = np.flatnonzero(~(np.abs(positions) < FARTHEST).all(axis=1))
    if len(bad):
        raise XpbdError("E_GEOM_NONFINITE", f"Vertex {int(bad[0])} is at no finite place: move or delete it.", name)
