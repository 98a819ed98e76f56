# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes shots through the add-on in this process: ``python -m validation.product.baker FOLDER``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import bpy
from bake import run_and_leave

import blender_xpbd
from blender_xpbd.addon.bake import run_bake


def main(folder: Path) -> None:
    """Bake every shot of a folder that ``running`` wrote, and leave its motions beside it."""
    blender_xpbd.register()
    for path in sorted(folder.glob("shot*.json")):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        record = json.loads(path.read_text(encoding="utf-8"))
        arrays = dict(np.load(path.with_suffix(".npz")))
        bodies = _build(record, arrays)
        bpy.context.scene.xpbd.cache_directory = str(folder / "cache" / path.stem)
        summary = run_bake(bpy.context)
        motions = {body.name: _motion(body, record["frames"]) for body in bodies}
        np.savez(path.with_suffix(".baked.npz"), **motions)
        told = {"substeps": summary.substeps, "iterations": summary.iterations}
        path.with_suffix(".told").write_text(json.dumps(told), encoding="utf-8")


def _build(record: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[Any]:
    """Make the objects; answer those that are simulated."""
    scene = bpy.context.scene
    scene.render.fps, scene.gravity = record["fps"], (0.0, 0.0, -record["gravity"])
    bodies = []
    for number, thing in enumerate(record["things"]):
        mesh = bpy.data.meshes.new(thing["name"])
        mesh.from_pydata(arrays[f"positions{number}"].tolist(), [], arrays[f"faces{number}"].tolist())
        obj = bpy.data.objects.new(thing["name"], mesh)
        scene.collection.objects.link(obj)
        for name, value in thing["values"].items():
            setattr(obj.xpbd, name, value)
        if len(pinned := arrays[f"pinned{number}"]):
            obj.vertex_groups.new(name="Pin").add(pinned.tolist(), 1.0, "REPLACE")
            obj.xpbd.pin_group = "Pin"
        for frame, place in enumerate(arrays[f"places{number}"], 1):
            obj.location = place
            obj.keyframe_insert("location", frame=frame)
        if thing["values"]["role"] != "COLLIDER":
            bodies.append(obj)
    scene.xpbd.frame_start, scene.xpbd.frame_end = 1, 1 + record["frames"]
    for name, value in record["values"].items():
        setattr(scene.xpbd, name, value)
    return bodies


def _motion(body: Any, frames: int) -> np.ndarray:
    """Vertices at each frame from the shape keys, shape (frames + 1, vertices, 3)."""
    motion = np.zeros((frames + 1, len(body.data.vertices), 3), np.float32)
    body.data.vertices.foreach_get("co", motion[0].ravel())
    for frame in range(1, frames + 1):
        block = body.data.shape_keys.key_blocks[f"XPBD {1 + frame:04d}"]
        block.points.foreach_get("co", motion[frame].ravel())
    return motion


if __name__ == "__main__":
    run_and_leave(lambda: main(Path(sys.argv[1])))
