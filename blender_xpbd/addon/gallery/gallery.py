# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of the gallery, and how one is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...scene.errors import XpbdError
from .balloon import BALLOON
from .beam import BEAM
from .bouncing_points import BOUNCING_POINTS
from .box_of_grains import BOX_OF_GRAINS
from .breaking_jelly import BREAKING_JELLY
from .bunny import BUNNIES_ON_MOVING_FLOORS, BUNNY
from .chain_mail import CHAIN_MAIL
from .clay import CLAY
from .crossing_strands import CROSSING_STRANDS
from .driven_chain import DRIVEN_CHAIN
from .flag import FLAG
from .four_bodies import FOUR_BODIES
from .funnel import FUNNEL
from .gallery_scene import GalleryScene
from .hair_on_ball import HAIR_ON_BALL
from .heaps import HEAPS
from .helix import HELIX
from .marionette import MARIONETTE
from .pbd_beside_xpbd import PBD_BESIDE_XPBD
from .pendulums import PENDULUMS
from .scarf import SCARF
from .stage import dress
from .swept_cloth import SWEPT_CLOTH
from .tearing import TEARING
from .two_pins import TWO_PINS


@dataclass(frozen=True)
class GalleryGroup:
    """Scenes of one subject, which share a menu."""

    label: str
    scenes: tuple[GalleryScene, ...]


CLOTH_SCENES = GalleryGroup("Cloth", (TWO_PINS, SWEPT_CLOTH, PBD_BESIDE_XPBD, FLAG, SCARF, BALLOON, TEARING))
JELLY_SCENES = GalleryGroup("Jelly", (BEAM, BUNNY, *BUNNIES_ON_MOVING_FLOORS, CLAY, BREAKING_JELLY, FOUR_BODIES))
STRAND_SCENES = GalleryGroup(
    "Strands and Links",
    (PENDULUMS, DRIVEN_CHAIN, CROSSING_STRANDS, CHAIN_MAIL, HELIX, HAIR_ON_BALL, MARIONETTE),
)
GRAIN_SCENES = GalleryGroup("Grains", (BOUNCING_POINTS, BOX_OF_GRAINS, HEAPS, FUNNEL))
GALLERY_GROUPS = (CLOTH_SCENES, JELLY_SCENES, STRAND_SCENES, GRAIN_SCENES)
GALLERY: tuple[GalleryScene, ...] = tuple(entry for group in GALLERY_GROUPS for entry in group.scenes)


def gallery_scene(identifier: str) -> GalleryScene:
    """The scene of an identifier, or of a name as ``scripts/gallery`` has it.

    Raises:
        KeyError: no scene is called so.
    """
    for entry in GALLERY:
        if identifier in {entry.identifier, entry.name}:
            return entry
    raise KeyError(identifier)


def add_gallery_scene(entry: GalleryScene, file: str = "") -> bpy.types.Scene:
    """Make a Blender scene of its own; nothing that the file has is changed.

    Args:
        entry: of the gallery.
        file: path of the file that it needs, if it needs one.

    Returns:
        The scene, ready to be baked.

    Raises:
        XpbdError: E_TET_FILE, where the file is not there or not what it should be.
    """
    if entry.needs_file and not Path(file).is_file():
        raise XpbdError("E_TET_FILE", f"The scene {entry.label} needs the file {entry.needs_file}: choose it.")
    scene = bpy.data.scenes.new(entry.label)
    try:
        dress(scene, entry.view)
        entry.build(scene, file)
    except XpbdError:
        bpy.data.scenes.remove(scene)
        raise
    return scene
