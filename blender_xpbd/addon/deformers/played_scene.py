# SPDX-License-Identifier: GPL-3.0-or-later
"""Where copies are played through the frames: the artist's scene, or one of their own.

In a scene of their own only they are evaluated, with what they depend on, and no window shows it, so none is drawn.
What an armature does there is what it does in the artist's scene; what a simulation does need not be.
"""

from __future__ import annotations

from typing import Any, Protocol

import bpy

from ...scene.errors import XpbdError
from ..data.data_lookup import scene_by_uid

# property of copies and of their scene
MARK = "xpbd_probe"
_NAME = "XPBD Probe"


class PlayedScene(Protocol):
    """A scene that can be played for copies."""

    @property
    def scene(self) -> bpy.types.Scene:
        """It, found anew at each call."""

    def play(self, frame: int) -> bpy.types.Depsgraph:
        """Go to a frame."""

    def look(self) -> bpy.types.Depsgraph:
        """Evaluate what has changed since."""

    def leave(self, scene: bpy.types.Scene) -> None:
        """Bring what is animated to where the artist's scene has it."""


class ArtistScene:
    """The scene of a context, which whoever makes this puts back to its frame."""

    def __init__(self, context: bpy.types.Context) -> None:
        """Nothing is changed yet."""
        self._context = context

    @property
    def scene(self) -> bpy.types.Scene:
        """It."""
        scene: Any = self._context.scene
        found: bpy.types.Scene = scene
        return found

    def play(self, frame: int) -> bpy.types.Depsgraph:
        """Go to a frame."""
        self.scene.frame_set(frame)
        return self._context.evaluated_depsgraph_get()

    def look(self) -> bpy.types.Depsgraph:
        """Evaluate what has changed since."""
        self._context.view_layer.update()
        return self._context.evaluated_depsgraph_get()

    def leave(self, scene: bpy.types.Scene) -> None:
        """It is the artist's scene."""


class OwnScene:
    """A scene that holds nothing but copies."""

    def __init__(self) -> None:
        """Make it."""
        scene = bpy.data.scenes.new(_NAME)
        scene[MARK] = True
        self._uid = scene.session_uid

    @property
    def scene(self) -> bpy.types.Scene:
        """It; E_INTERRUPTED where an undo has taken it away."""
        scene = scene_by_uid(self._uid)
        if scene is None:
            raise XpbdError("E_INTERRUPTED", "The scene was changed while deformers were taken out: bake again.")
        return scene

    def play(self, frame: int) -> bpy.types.Depsgraph:
        """Go to a frame; ``frame_set`` would have all windows drawn."""
        own = self.scene
        own.frame_current, own.frame_subframe = frame, 0.0
        return self.look()

    def look(self) -> bpy.types.Depsgraph:
        """Evaluate what has changed since."""
        layer: Any = self.scene.view_layers[0]
        layer.update()
        depsgraph: bpy.types.Depsgraph = layer.depsgraph
        return depsgraph

    def leave(self, scene: bpy.types.Scene) -> None:
        """Bring what is animated to where the artist's scene has it.

        An update writes the values of the frame to the objects themselves, of which there is one for all scenes.
        """
        own = scene_by_uid(self._uid)
        if own is not None:
            own.frame_current, own.frame_subframe = scene.frame_current, scene.frame_subframe
            self.look()

    def close(self) -> None:
        """Remove it, if it is still there."""
        scene = scene_by_uid(self._uid)
        if scene is not None:
            bpy.data.scenes.remove(scene)


def remove_lost_scenes() -> None:
    """Take away what an undo, or a file that was saved meanwhile, has brought back."""
    scenes: list[Any] = list(bpy.data.scenes)
    for scene in scenes:
        if MARK in scene:
            bpy.data.scenes.remove(scene)
