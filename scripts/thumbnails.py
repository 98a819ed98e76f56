# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake and render the picture of each preset, which the add-on shows: python scripts/thumbnails.py [PRESET …].

Run it with the Python of .venv. Each preset shows what it does to the same thing: a ball that hits the floor, a cloth
over a ball, strands that are held by one end, a column of grains that falls apart.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bpy
import demo_render
import numpy as np
from bake import run_and_leave

import blender_xpbd
from blender_xpbd.addon.bake import run_bake
from blender_xpbd.addon.gallery import shapes, stage
from blender_xpbd.addon.gallery.gallery_scene import View
from blender_xpbd.addon.ui.thumbnails import FOLDER
from blender_xpbd.scene.presets import PRESETS, Preset

SIZE = (96, 96)
_FPS = 60

# of what is shown, where the default of its role is not what one thinks of
_COLOURS = {
    "GELATIN": (0.75, 0.05, 0.05),
    "SILICONE": (0.6, 0.65, 0.7),
    "GUMMY": (0.1, 0.55, 0.05),
    "MUSCLE": (0.5, 0.06, 0.05),
    "FAT": (0.85, 0.7, 0.35),
    "FOAM": (0.9, 0.85, 0.55),
    "RUBBER": (0.03, 0.03, 0.03),
    "CLAY": (0.45, 0.2, 0.1),
    "COTTON": (0.8, 0.8, 0.8),
    "LINEN": (0.65, 0.58, 0.42),
    "WOOL": (0.35, 0.35, 0.4),
    "SILK": (0.7, 0.1, 0.25),
    "SATIN": (0.55, 0.3, 0.65),
    "DENIM": (0.05, 0.1, 0.3),
    "JERSEY": (0.1, 0.45, 0.4),
    "LEATHER": (0.2, 0.08, 0.03),
    "LATEX": (0.02, 0.02, 0.03),
    "PAPER": (0.9, 0.9, 0.88),
    "FELT": (0.1, 0.35, 0.1),
    "CANVAS": (0.6, 0.55, 0.45),
    "TULLE": (0.9, 0.6, 0.7),
    "VELVET": (0.3, 0.02, 0.08),
    "STEEL_WIRE": (0.5, 0.52, 0.55),
    "ROPE": (0.6, 0.42, 0.2),
    "HAIR_STRAIGHT": (0.2, 0.1, 0.04),
    "HAIR_WAVY": (0.35, 0.18, 0.05),
    "HAIR_CURLY": (0.05, 0.03, 0.02),
    "DAMP_SAND": (0.4, 0.28, 0.12),
    "SEEDS": (0.15, 0.4, 0.1),
}


@dataclass(frozen=True)
class Subject:
    """What a role's presets are shown on.

    Attributes:
        build: puts the object into the scene and answers it.
        view: of the picture.
        frame: of the picture, which is the last one.
        colour: where a preset has none of its own.
    """

    build: Callable[[bpy.types.Scene, Preset, stage.Colour], Any]
    view: View
    frame: int
    colour: stage.Colour


def _ball(scene: bpy.types.Scene, _preset: Preset, colour: stage.Colour) -> Any:
    stage.add_floor(scene)
    return stage.add_ball(scene, "Ball", 0.1, (0.0, 0.0, 0.4), colour)


def _drape(scene: bpy.types.Scene, _preset: Preset, colour: stage.Colour) -> Any:
    stage.add_floor(scene)
    stage.add_sphere(scene, "Sphere", 0.22, (0.0, 0.0, 0.35), stage.GREY)
    points, quads = shapes.grid(41, 41, 0.9, 0.9)
    return stage.add_mesh(scene, "Cloth", points + np.array((0.0, 0.0, 0.58)), quads, colour=colour)


def _strands(scene: bpy.types.Scene, preset: Preset, colour: stage.Colour) -> Any:
    """Held by one end, at first level; hair hangs, and is wavy or curly at rest."""
    turns, width = {"HAIR_WAVY": (3.0, 0.02), "HAIR_CURLY": (7.0, 0.03)}.get(preset.identifier, (0.0, 0.0))
    along = np.linspace(0.0, 1.0, 60 if turns else 30)
    angle = 2.0 * math.pi * turns * along
    bends, across = width * np.sin(angle), width * (np.cos(angle) - 1.0)
    if preset.identifier.startswith("HAIR"):
        lines = [np.column_stack((place + bends, across, 0.7 - 0.5 * along)) for place in np.linspace(-0.25, 0.1, 5)]
    else:
        lines = [
            np.column_stack((0.5 * along - 0.25, place + bends, 0.7 + across)) for place in np.linspace(-0.2, 0.2, 5)
        ]
    strands = stage.add_curve(scene, "Strands", lines, 0.02, colour)
    strands.xpbd.pinned_ends = "START"
    return strands


def _column(scene: bpy.types.Scene, _preset: Preset, colour: stage.Colour) -> Any:
    stage.add_floor(scene, friction=0.8)
    radius = 0.015
    points = shapes.layers_of_points((6, 6, 12), 2.05 * radius, jitter=0.05 * radius)
    return stage.add_grains(scene, "Grains", points, radius, colour)


SUBJECTS = {
    "JELLY": Subject(_ball, View((0.0, -0.75, 0.28), (0.0, 0.0, 0.085), 75.0), 18, stage.ORANGE),
    "CLOTH": Subject(_drape, View((0.75, -1.35, 0.95), (0.0, 0.0, 0.3), 68.0), 45, stage.BLUE),
    "STRAND": Subject(_strands, View((0.35, -1.5, 0.8), (-0.08, 0.0, 0.45), 62.0), 24, stage.STRAW),
    "GRAINS": Subject(_column, View((0.5, -0.9, 0.5), (0.0, 0.0, 0.07), 68.0), 60, stage.STRAW),
}


def main() -> int:
    """Make the pictures of what is named, or of all."""
    names = [preset.identifier for preset in PRESETS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", metavar="PRESET", help=f"of {', '.join(names)}; all by default")
    wanted = parser.parse_args().presets or names
    if unknown := sorted(set(wanted) - set(names)):
        parser.error(f"there is no preset {', '.join(unknown)}")
    blender_xpbd.register()
    for preset in PRESETS:
        if preset.identifier in wanted:
            path = FOLDER / f"{preset.identifier.lower()}.png"
            _make(preset, path)
            print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB", flush=True)
    return 0


def _make(preset: Preset, path: Path) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, subject = bpy.data.scenes[0], SUBJECTS[preset.role]
    stage.dress(scene, subject.view)
    stage.set_frames(scene, subject.frame, _FPS)
    body = subject.build(scene, preset, _COLOURS.get(preset.identifier, subject.colour))
    body.xpbd.role, body.xpbd.preset = preset.role, preset.identifier
    run_bake(bpy.context)
    demo_render.render_picture(scene, subject.frame, path, SIZE)


if __name__ == "__main__":
    run_and_leave(main)
