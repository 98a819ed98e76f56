# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake and render docs/pictures/pose-target.jpg: python scripts/pose_picture.py [--output FILE].

Run it with the Python of .venv. A sheet that one edge holds falls from level into a pose, drawn in outline, and swings
on.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bpy
import demo_render
import numpy as np
import numpy.typing as npt
from bake import run_and_leave

import blender_xpbd
from blender_xpbd.addon.bake import run_bake
from blender_xpbd.addon.gallery import shapes, stage
from blender_xpbd.addon.gallery.gallery_scene import View

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "pose-target.jpg"
_CELLS, _HEIGHT = 24, 1.2
# the pose hangs so steeply, and its lower edge is in waves so high [m]
_SLOPE, _WAVE = math.radians(50.0), 0.025
_POSE_FRAME, _LAST_FRAME = 21, 26
_FRAMES = (11, 17, 21, 25)
_VIEW = View((2.3, -1.9, 1.8), (0.0, 0.1, 0.72), 48.0)


def main() -> int:
    """Make the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=PICTURE)
    output: Path = parser.parse_args().output
    blender_xpbd.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.data.scenes[0]
    stage.dress(scene, _VIEW)
    stage.set_frames(scene, _LAST_FRAME)
    _build(scene)
    summary = run_bake(bpy.context)
    demo_render.render_contact_sheet(scene, _FRAMES, len(_FRAMES), output)
    print(f"{output}; off the pose by {summary.pose_error_mm} mm; {summary.warnings}", flush=True)
    return 0


def _build(scene: bpy.types.Scene) -> None:
    points, quads = shapes.grid(_CELLS, _CELLS, 1.0, 1.0)
    level = np.column_stack((points[:, 0], points[:, 1], np.full(len(points), _HEIGHT)))
    sheet = stage.add_mesh(scene, "Sheet", level, quads, colour=stage.ORANGE)
    sheet.xpbd.role = "CLOTH"
    stage.pin(sheet, np.flatnonzero(points[:, 1] > 0.499))
    sheet.shape_key_add(name="Basis", from_mix=False)
    key = sheet.shape_key_add(name="Sail", from_mix=False)
    shape = _sail(points)
    key.data.foreach_set("co", shape.astype(np.float32).ravel())
    key.value = 0.0
    scene.frame_set(_POSE_FRAME)
    context: Any = bpy.context
    context.view_layer.objects.active = sheet
    operators: Any = bpy.ops
    operators.xpbd.add_pose()
    (pose,) = sheet.xpbd.poses
    pose.target, pose.frame = "Sail", _POSE_FRAME
    outline = stage.add_mesh(scene, "Outline", shape, quads, colour=(0.02, 0.02, 0.02))
    wires = outline.modifiers.new("Wireframe", "WIREFRAME")
    wires.thickness = 0.006
    scene.frame_set(1)


def _sail(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The pose: down a slope from the edge that is held, with waves that grow, places [m] shape (points, 3)."""
    along = 0.5 - points[:, 1]
    wave = _WAVE * along * np.sin(4.0 * math.pi * points[:, 0])
    y = 0.5 - along * math.cos(_SLOPE) - wave * math.sin(_SLOPE)
    return np.column_stack((points[:, 0], y, _HEIGHT - along * math.sin(_SLOPE) + wave * math.cos(_SLOPE)))


if __name__ == "__main__":
    run_and_leave(main)
