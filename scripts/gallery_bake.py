# SPDX-License-Identifier: GPL-3.0-or-later
"""Make scenes of the gallery, bake them, save each as a file of its own, and render it. Run by scripts/gallery."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bpy
import demo_render
from bake import leave

import blender_xpbd
from blender_xpbd.addon.bake import run_bake
from blender_xpbd.addon.gallery.gallery import GALLERY, add_gallery_scene, gallery_scene
from blender_xpbd.addon.gallery.gallery_scene import GalleryScene
from blender_xpbd.scene.errors import XpbdError

ROOT = Path(__file__).resolve().parent.parent
PICTURE_SIZE = (480, 320)


def main() -> int:
    """Bake what is named, or all; the exit status says whether all of them went well."""
    parser = argparse.ArgumentParser(prog="scripts/gallery", description=__doc__)
    names = [entry.name for entry in GALLERY]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all by default")
    parser.add_argument("--render", action="store_true", help="also render a picture of each")
    parser.add_argument("--output", type=Path, default=ROOT / "out" / "gallery", help="folder of the results")
    parser.add_argument(
        "--files", type=Path, default=ROOT.parent / "shared" / "meshes", help="of what some scenes need"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(names))
    if unknown:
        parser.error(f"there is no scene {', '.join(unknown)}; there are {', '.join(names)}")
    options.output.mkdir(parents=True, exist_ok=True)
    blender_xpbd.register()
    bpy.context.preferences.filepaths.save_version = 0
    faults = 0
    for name in options.names or names:
        entry = gallery_scene(name)
        if entry.needs_file and not (options.files / entry.needs_file).is_file():
            print(f"{name}: left out, for {options.files} has no {entry.needs_file}", flush=True)
            faults += bool(options.names)
            continue
        try:
            _show(entry, options.files, options.output, render=options.render)
        except XpbdError as error:
            print(f"{name}: {error}", flush=True)
            faults += 1
    return 1 if faults else 0


def _show(entry: GalleryScene, files: Path, output: Path, *, render: bool) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    empty = bpy.context.scene
    scene = add_gallery_scene(entry, str(files / entry.needs_file) if entry.needs_file else "")
    bpy.context.window.scene = scene
    bpy.data.scenes.remove(empty)
    path = output / f"{entry.name}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    summary = run_bake(bpy.context)
    scene.frame_set(entry.picture_frame)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    told = [f"{entry.name}: {summary.frames} frames in {summary.seconds['total']:.1f} s", str(path)]
    if render:
        picture = output / f"{entry.name}.png"
        demo_render.render_picture(scene, entry.picture_frame, picture, PICTURE_SIZE)
        told.append(str(picture))
    print(", ".join(told), flush=True)
    for warning in summary.warnings:
        print(f"  {warning}", flush=True)


if __name__ == "__main__":
    status = 1
    try:
        status = main()
    except Exception:  # noqa: BLE001 - the process ends right below
        traceback.print_exc()
    leave(status)
