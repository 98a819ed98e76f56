# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a scene to bake: Suzanne as jelly above the floor. Argument after ``--``: the file."""

from __future__ import annotations

import sys

import bpy

FRAME_END = 24

bpy.ops.wm.read_homefile(use_empty=True)
bpy.ops.mesh.primitive_monkey_add(size=2.0, location=(0.0, 0.0, 2.0))
suzanne = bpy.context.object
suzanne.xpbd.role = "JELLY"
suzanne.xpbd.cage_resolution = 10
settings = bpy.context.scene.xpbd
settings.frame_start, settings.frame_end = 1, FRAME_END
settings.substeps = 10
settings.use_floor = True
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
