# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the open file holds a bake of a body that fell and stopped at the floor. Argument: the last frame."""

from __future__ import annotations

import sys

import bpy
import numpy as np

FREE_FALL_FRAMES = 6
GRAVITY = 9.81


def heights(frame: int) -> np.ndarray:
    """World heights [m] of Suzanne's vertices as Blender shows them at a frame."""
    bpy.context.scene.frame_set(frame)
    evaluated = bpy.data.objects["Suzanne"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([(evaluated.matrix_world @ vertex.co).z for vertex in evaluated.data.vertices])


frame_end = int(sys.argv[-1])
start, falling, end = heights(1), heights(1 + FREE_FALL_FRAMES), heights(frame_end)
render = bpy.context.scene.render
seconds = FREE_FALL_FRAMES * render.fps_base / render.fps
fallen = float(np.mean(start - falling))
print(f"fallen {fallen:.4f} m in {seconds:.3f} s; lowest vertex at the end {end.min():.4f} m")
assert abs(fallen - GRAVITY * seconds**2 / 2.0) < 0.02 * fallen + 0.005
assert start.min() > 0.5
assert -0.02 < end.min() < 0.3
