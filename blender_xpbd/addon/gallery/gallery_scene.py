# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene of the gallery is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy


@dataclass(frozen=True)
class View:
    """Where the camera stands [m], and at what it looks.

    Attributes:
        place: of the camera.
        target: in the middle of the picture.
        lens: focal length for film of 36 mm [mm].
    """

    place: tuple[float, float, float]
    target: tuple[float, float, float]
    lens: float = 45.0


@dataclass(frozen=True)
class GalleryScene:
    """A scene of the gallery.

    Attributes:
        identifier: its name for operators, in capitals: "TWO_PINS"; ``scripts/gallery`` calls it "two-pins".
        label: its name in the menu, and of Blender's scene.
        description: what it shows, for the tooltip and for docs/gallery.md.
        numbers: what its test holds, for docs/gallery.md; "" where it holds no more than that nothing crosses.
        build: fills a Blender scene, empty but for its camera, its light and its world. The second argument is the
            path of the file that the scene needs, "" where it needs none.
        view: of the picture.
        picture_frame: the frame of the picture.
        needs_file: name of the file, which does not come with the add-on; "" for none.
    """

    identifier: str
    label: str
    description: str
    numbers: str
    build: Callable[[bpy.types.Scene, str], None]
    view: View
    picture_frame: int
    needs_file: str = ""

    @property
    def name(self) -> str:
        """As ``scripts/gallery`` calls it, and the stem of its picture."""
        return self.identifier.lower().replace("_", "-")
