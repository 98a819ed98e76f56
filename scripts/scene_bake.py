# SPDX-License-Identifier: GPL-3.0-or-later
"""Make scenes, bake them, save each as a file of its own, and render it, for scripts/gallery and scripts/tutorials."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bpy
import demo_render
from bake import run_and_leave

import blender_xpbd
from blender_xpbd.addon.bake import run_bake
from blender_xpbd.addon.gallery.gallery import add_gallery_scene
from blender_xpbd.addon.gallery.gallery_scene import GalleryScene
from blender_xpbd.scene.errors import XpbdError

ROOT = Path(__file__).resolve().parent.parent


def run(entries: Sequence[GalleryScene], program: str, description: str, picture_size: tuple[int, int]) -> None:
    """Do what the command line asks for and end the process; the status says whether all went well.

    Args:
        entries: the scenes to choose from.
        program: name of the script, below scripts/ and of the folder of its results.
        description: of the script, for --help.
        picture_size: width and height [pixels].
    """
    run_and_leave(lambda: _main(entries, program, description, picture_size))


def _main(entries: Sequence[GalleryScene], program: str, description: str, picture_size: tuple[int, int]) -> int:
    parser = argparse.ArgumentParser(prog=f"scripts/{program}", description=description)
    by_name = {entry.name: entry for entry in entries}
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(by_name)}; all by default")
    parser.add_argument("--render", action="store_true", help="also render a picture of each")
    parser.add_argument("--output", type=Path, default=ROOT / "out" / program, help="folder of the results")
    parser.add_argument(
        "--files", type=Path, default=ROOT.parent / "shared" / "meshes", help="of what some scenes need"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(by_name))
    if unknown:
        parser.error(f"there is no scene {', '.join(unknown)}; there are {', '.join(by_name)}")
    options.output.mkdir(parents=True, exist_ok=True)
    blender_xpbd.register()
    size = picture_size if options.render else None
    faults = 0
    for name in options.names or by_name:
        entry = by_name[name]
        if entry.needs_file and not (options.files / entry.needs_file).is_file():
            print(f"{name}: left out, for {options.files} has no {entry.needs_file}", flush=True)
            faults += bool(options.names)
            continue
        try:
            _show(entry, options.files, options.output, size)
        except XpbdError as error:
            print(f"{name}: {error}", flush=True)
            faults += 1
    return 1 if faults else 0


def _show(entry: GalleryScene, files: Path, output: Path, picture_size: tuple[int, int] | None) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # a file is saved twice; factory settings would keep the first as a backup
    bpy.context.preferences.filepaths.save_version = 0
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
    if picture_size is not None:
        picture = output / f"{entry.name}.png"
        demo_render.render_picture(scene, entry.picture_frame, picture, picture_size)
        told.append(str(picture))
    print(", ".join(told), flush=True)
    for warning in summary.warnings:
        print(f"  {warning}", flush=True)
