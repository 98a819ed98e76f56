# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a scene to bake: Suzanne as jelly above the floor. Arguments after ``--``: file, last frame, cage resolution."""

from __future__ import annotations

import sys

import bpy

path, frame_end, resolution = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_homefile(use_empty=True)
bpy.ops.mesh.primitive_monkey_add(size=2.0, location=(0.0, 0.0, 2.0))
suzanne = bpy.context.object
suzanne.xpbd.role = "JELLY"
suzanne.xpbd.cage_resolution = int(resolution)
settings = bpy.context.scene.xpbd
settings.frame_start, settings.frame_end = 1, int(frame_end)
settings.substeps = 10
settings.use_floor = True
bpy.ops.wm.save_as_mainfile(filepath=path)
