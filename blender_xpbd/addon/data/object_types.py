# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of Blender's types of objects can have which role."""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from ...scene.body_kinds import body_roles
from ...scene.material_parameters import CLOTH, COLLIDER, GRAINS, JELLY

# Blender's type of the objects of each role; those of bodies are as ``scene.body_kinds``, which a test holds
OBJECT_TYPES: Mapping[str, str] = {JELLY: "MESH", CLOTH: "MESH", GRAINS: "MESH", COLLIDER: "MESH"}


def can_have(obj: bpy.types.Object, role: str) -> bool:
    """Whether an object can have a role; one that can have any can have NONE."""
    types = set(OBJECT_TYPES.values()) if role == "NONE" else {OBJECT_TYPES[role]}
    return obj.type in types


def takes_part(obj: bpy.types.Object) -> bool:
    """Whether an object has a role that it can have, and not NONE."""
    return OBJECT_TYPES.get(obj.xpbd.role) == obj.type


def is_body(obj: bpy.types.Object) -> bool:
    """Whether an object is simulated."""
    return obj.xpbd.role in body_roles() and takes_part(obj)


def type_labels() -> str:
    """The types as the text of a message has them: "mesh"."""
    return " or ".join(sorted({kind.lower() for kind in OBJECT_TYPES.values()}))
