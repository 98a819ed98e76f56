# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake the demo's scenes through the add-on, save the file and render it. Run by scripts/demo."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bpy
import demo_render
import demo_scenes

import blender_xpbd
from blender_xpbd.addon.bake import run_bake

MOMENTS = (1, 12, 16, 20, 26, 36, 52, 84)
HERO_FRAME = 48


def main() -> None:
    """Bake, save, render, and print where the results are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="folder of the results")
    parser.add_argument("--pictures", type=Path, help="folder of the README's pictures")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    blend_file = options.output / "demo.blend"

    blender_xpbd.register()
    *scenes, together = demo_scenes.build()
    bpy.context.preferences.filepaths.save_version = 0
    bpy.ops.wm.save_as_mainfile(filepath=str(blend_file))
    for scene in scenes:
        bpy.context.window.scene = scene
        summary = run_bake(bpy.context)
        print(
            f"{scene.name}: {summary.frames} frames of {summary.vertices} vertices, {summary.tetrahedra} tetrahedra, "
            f"{'found in the cache' if summary.from_cache else 'baked'} in {summary.seconds['total']:.1f} s",
            flush=True,
        )
    bpy.context.window.scene = together
    bpy.ops.wm.save_as_mainfile(filepath=str(blend_file))

    movie = demo_render.render_movie(together, options.output, "demo")
    sheet = options.output / "demo.png"
    demo_render.render_contact_sheet(together, MOMENTS, 4, sheet)
    if options.pictures:
        demo_render.render_contact_sheet(together, MOMENTS, 2, options.pictures / "demo.jpg")
        demo_render.render_picture(together, HERO_FRAME, options.pictures / "jelly-and-cloth.jpg")
    print(f"Blender file:  {blend_file}\nMovie:         {movie}\nContact sheet: {sheet}", flush=True)


if __name__ == "__main__":
    main()
