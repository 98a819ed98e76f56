# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocities of vertices as an attribute of their meshes, as exporters and renderers know it, for an export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy
import numpy as np

from .local_motion import LocalMotion

ATTRIBUTE = "velocity"
_SET_ASIDE = "XPBD set aside"


@contextmanager
def shown_velocities(motions: Sequence[LocalMotion]) -> Iterator[None]:
    """Give the meshes of objects their local velocities [Blender units per second], at each frame that is looked at.

    What an artist has under that name is set aside, and has its name again in the end.
    """

    def show(scene: bpy.types.Scene, *_arguments: object) -> None:
        for motion in motions:
            mesh: Any = motion.baked.obj.data
            values = motion.velocities(scene.frame_current_final).astype(np.float32)
            mesh.attributes[ATTRIBUTE].data.foreach_set("vector", values.ravel())
            mesh.update_tag()

    with ExitStack() as stack:
        for mesh in {motion.baked.obj.data for motion in motions}:
            stack.enter_context(_attribute(mesh))
        bpy.app.handlers.frame_change_pre.append(show)
        stack.callback(bpy.app.handlers.frame_change_pre.remove, show)
        yield


@contextmanager
def _attribute(mesh: Any) -> Iterator[None]:
    attributes = mesh.attributes
    active, artists = attributes.active_index, attributes.get(ATTRIBUTE)
    if artists is not None:
        artists.name = _SET_ASIDE
    try:
        attributes.new(ATTRIBUTE, "FLOAT_VECTOR", "POINT")
        yield
    finally:
        attributes.remove(attributes[ATTRIBUTE])
        if artists is not None:
            attributes[_SET_ASIDE].name = ATTRIBUTE
        attributes.active_index = active
