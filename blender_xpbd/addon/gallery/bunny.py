# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse bunny of tetrahedra, which falls on a floor that stands or moves."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import bpy
import numpy as np

from ...scene.tetgen_files import read_node_ele
from .gallery_scene import GalleryScene, View
from .stage import PURPLE, add_floor, add_mesh, set_frames, set_solver

FILE = "bunny-coarse.node"
HEIGHT = 1.0
FRAMES_PER_SECOND = 60
AMPLITUDE = 0.1
SPEEDS = (1, 10, 100)
# at k = 100 the floor goes up and down at up to 2 m/s, and where it throws depends on when it is hit
_NUMBERS = {
    1: ("highest point at most 2.6 m", "2 %"),
    10: ("highest point at most 2.6 m", "2 %"),
    100: ("mean height at most 2.6 m, highest point at most 3.5 m", "3 %"),
}
# of tetrahedra, the corner that each triangle lacks, seen from outside where the volume is positive
_SIDES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))


def _build(scene: bpy.types.Scene, file: str, speed: int = 0) -> None:
    scene.gravity = (0.0, 0.0, -1.0)
    set_frames(scene, 1 + 6 * FRAMES_PER_SECOND, FRAMES_PER_SECOND)
    set_solver(scene, substeps=10)
    floor = add_floor(scene, friction=10.0, restitution=0.4)
    vertices, tetrahedra = read_node_ele(Path(file))
    bunny = add_mesh(scene, "Bunny", vertices, _surface(vertices, tetrahedra), colour=PURPLE)
    # the file has Y upwards
    bunny.rotation_euler = (0.5 * np.pi, 0.0, 0.0)
    bunny.location = (0.0, 0.0, HEIGHT)
    settings = bunny.xpbd
    settings.role, settings.preset = "JELLY", "CUSTOM"
    settings.stretch_compliance, settings.volume_compliance = 100.0, 0.0
    settings.density, settings.restitution, settings.friction = 1.0, 0.4, 10.0
    settings.internal_damping = settings.contact_offset = 0.0
    settings.tetrahedralizer, settings.tetrahedra_file = "FILE", file
    for owner, path in ((scene.xpbd, "floor_height"), (floor, "location")) if speed else ():
        driver = owner.driver_add(path, *([2] if path == "location" else [])).driver
        driver.expression = f"{AMPLITUDE} * sin({speed} * (frame - {scene.frame_start}) / 300)"


def _surface(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """The triangles that only one tetrahedron has, seen from outside, shape (triangles, 3)."""
    triangles = np.concatenate([tetrahedra[:, side] for side in _SIDES])
    _, first, counts = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True, return_counts=True)
    return triangles[first[counts == 1]]


BUNNY = GalleryScene(
    "BUNNY",
    "Bunny of Tetrahedra",
    "A bunny of 333 vertices and 1,351 tetrahedra falls on the floor and bounces, at a gravity of 1 m/s²",
    "mean height 1.2348 m after 30 frames and 0.275 m ± 0.01 m after 90; volume ± 0.5 % over 6 s",
    _build,
    View((2.6, -3.4, 1.5), (0.0, 0.0, 0.7)),
    100,
    FILE,
)
BUNNIES_ON_MOVING_FLOORS = tuple(
    GalleryScene(
        f"BUNNY_ON_FLOOR_{speed}",
        f"Bunny on a Moving Floor, k = {speed}",
        f"The bunny falls on a floor that moves as {AMPLITUDE} sin({speed} · frame / 300) m",
        f"{_NUMBERS[speed][0]}, at most 1 mm below the floor, volume ± {_NUMBERS[speed][1]}",
        partial(_build, speed=speed),
        View((2.6, -3.4, 1.5), (0.0, 0.0, 0.7)),
        110,
        FILE,
    )
    for speed in SPEEDS
)
