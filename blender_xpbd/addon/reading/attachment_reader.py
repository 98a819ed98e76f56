# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices of an object are held to another object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body import Attachment
from ...scene.errors import Notice
from .mesh_reader import group_weights, has_group


@dataclass(frozen=True)
class LocalAttachment:
    """An attachment before it is known which bodies take part.

    Attributes:
        target_uid: ``session_uid`` of the object that holds.
        target_name: its name, for messages.
        vertices, weights: as in ``scene.Attachment``.
        bone: of an armature, "" for the object itself.
        anchors: points of the attached object, one for each vertex: on the surface of an object that is not
            simulated, both move with the triangle that is nearest to this point; empty where that is the vertex itself.
    """

    target_uid: int
    target_name: str
    vertices: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    bone: str = ""
    anchors: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


def read_attachment(obj: bpy.types.Object) -> tuple[LocalAttachment | None, tuple[Notice, ...]]:
    """The attachment of an object, or None; a warning where its vertex group names no vertices."""
    target, name = obj.xpbd.attach_object, obj.xpbd.attach_group
    if target is None or (obj.type != "MESH" and not name):
        # of a curve or hair without a group the ends are attached: ``strand_reader`` knows them
        return None, ()
    if not has_group(obj, name):
        wanted = f'There is no vertex group "{name}"' if name else f'No vertex group is attached to "{target.name}"'
        return None, (Notice("W_GROUP", f"{wanted}: nothing is attached. Choose a group.", obj.name),)
    weights = group_weights(obj, name)
    vertices = np.flatnonzero(weights > 0.0).astype(np.int32)
    if len(vertices) == 0:
        words = f'No vertex of "{name}" has a weight above 0: nothing is attached.'
        return None, (Notice("W_GROUP", words, obj.name),)
    held = np.minimum(weights[vertices], np.float32(1.0))
    bone = obj.xpbd.attach_bone if target.type == "ARMATURE" else ""
    return LocalAttachment(target.session_uid, target.name, vertices, held, bone), ()


def resolved(
    attachment: LocalAttachment | None, object_uid: int, object_name: str, identifiers: Mapping[int, str]
) -> tuple[Attachment | None, tuple[Notice, ...]]:
    """The attachment by the identifier of its target, or None with a warning where that takes no part.

    Args:
        attachment: what was read.
        object_uid: of the object that is attached.
        object_name: its name.
        identifiers: of the bodies in the bake, by ``session_uid``.
    """
    if attachment is None:
        return None, ()
    target = identifiers.get(attachment.target_uid)
    if target is None or attachment.target_uid == object_uid:
        words = (
            f'"{attachment.target_name}" is the object itself, or is disabled in viewports: nothing is attached to it. '
            "Choose another one, or enable it."
        )
        return None, (Notice("W_GROUP", words, object_name),)
    return Attachment(target, attachment.vertices, attachment.weights), ()
