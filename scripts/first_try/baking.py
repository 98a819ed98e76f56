# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes one first try through the add-on: ``python -m first_try.baking PRIMITIVE ROLE HAS_FLOOR SIZE FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bpy
from bake import run_and_leave

import blender_xpbd
from blender_xpbd.addon.checking.finding import findings_of

_FRAMES = 250
_ADD = {
    "cube": lambda size: bpy.ops.mesh.primitive_cube_add(size=size),
    "plane": lambda size: bpy.ops.mesh.primitive_plane_add(size=size),
    "grid": lambda size: bpy.ops.mesh.primitive_grid_add(size=size),
    "circle": lambda size: bpy.ops.mesh.primitive_circle_add(radius=size / 2.0),
    "UV sphere": lambda size: bpy.ops.mesh.primitive_uv_sphere_add(radius=size / 2.0),
    "ico sphere": lambda size: bpy.ops.mesh.primitive_ico_sphere_add(radius=size / 2.0),
    "cylinder": lambda size: bpy.ops.mesh.primitive_cylinder_add(radius=size / 2.0, depth=size),
    "cone": lambda size: bpy.ops.mesh.primitive_cone_add(radius1=size / 2.0, depth=size),
    "torus": lambda size: bpy.ops.mesh.primitive_torus_add(major_radius=0.4 * size, minor_radius=0.1 * size),
    "Suzanne": lambda size: bpy.ops.mesh.primitive_monkey_add(size=size),
    "curve": lambda size: bpy.ops.curve.primitive_bezier_curve_add(radius=size / 2.0),
}


def main(primitive: str, role: str, has_floor: bool, size: float, path: Path) -> None:
    """Add it, give it the role, bake, and write what was told and where it went."""
    blender_xpbd.register()
    bpy.ops.wm.read_factory_settings()
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    _ADD[primitive](size)
    context: Any = bpy.context
    scene, obj, operators = context.scene, context.object, _operators()
    scene.xpbd.cache_directory = str(path.parent / "cache")
    scene.xpbd.use_floor = has_floor
    operators.set_role(role=role)
    told: dict[str, Any] = {"findings": [str(one) for one in findings_of(scene.xpbd.findings) or ()], "fault": ""}
    try:
        operators.bake()
    except RuntimeError as fault:
        told["fault"] = str(fault).strip()
    told["report"] = json.loads(scene.xpbd.report or "{}")
    edges = np.zeros(2 * len(obj.data.edges), np.int32) if obj.type == "MESH" else np.zeros(0, np.int32)
    if len(edges):
        obj.data.edges.foreach_get("vertices", edges)
    np.savez(path.with_suffix(".npz"), motion=_motion(obj), edges=edges.reshape(-1, 2))
    path.write_text(json.dumps(told), encoding="utf-8")


def _operators() -> Any:
    """Those of the add-on, which bpy's types do not know."""
    operators: Any = bpy.ops
    return operators.xpbd


def _motion(obj: Any) -> np.ndarray:
    """Where Blender shows its vertices at each frame [m], shape (frames, vertices, 3)."""
    return np.stack([_places(obj, frame) for frame in range(1, 1 + _FRAMES)])


def _places(obj: Any, frame: int) -> np.ndarray:
    context: Any = bpy.context
    context.scene.frame_set(frame)
    shown = obj.evaluated_get(context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    places = np.zeros(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", places)
    shown.to_mesh_clear()
    return places.reshape(-1, 3)


if __name__ == "__main__":
    run_and_leave(lambda: main(sys.argv[1], sys.argv[2], sys.argv[3] == "True", float(sys.argv[4]), Path(sys.argv[5])))
