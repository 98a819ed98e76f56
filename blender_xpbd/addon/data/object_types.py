# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of Blender's types of objects can have which role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy

from ...scene.body_kinds import body_roles
from ...scene.parameters.material_parameters import CLOTH, COLLIDER, GRAINS, JELLY, STRAND

# Blender's types of the objects of each role; roles of bodies are as ``scene.body_kinds``, which a test holds
OBJECT_TYPES: Mapping[str, tuple[str, ...]] = {
    JELLY: ("MESH",),
    CLOTH: ("MESH",),
    STRAND: ("MESH", "CURVE", "CURVES"),
    GRAINS: ("MESH",),
    COLLIDER: ("MESH",),
}
# Blender's types that Object > Convert makes meshes of
_CONVERTIBLE = frozenset({"CURVE", "FONT", "META", "SURFACE"})
_LABELS = {"MESH": "mesh", "CURVE": "curve", "CURVES": "hair"}


def can_have(obj: bpy.types.Object, role: str) -> bool:
    """Whether an object can have a role; one that can have any can have NONE."""
    if role == "NONE":
        return any(obj.type in types for types in OBJECT_TYPES.values())
    return obj.type in OBJECT_TYPES[role]


def takes_part(obj: bpy.types.Object) -> bool:
    """Whether an object has a role that it can have, and not NONE."""
    return obj.type in OBJECT_TYPES.get(obj.xpbd.role, ())


def is_body(obj: bpy.types.Object) -> bool:
    """Whether an object is simulated."""
    return obj.xpbd.role in body_roles() and takes_part(obj)


def type_labels() -> str:
    """The types as the text of a message has them: "curve, hair or mesh"."""
    *others, last = sorted({_LABELS[kind] for types in OBJECT_TYPES.values() for kind in types})
    return f"{', '.join(others)} or {last}" if others else last


def conversion_advice(objects: Iterable[bpy.types.Object]) -> str:
    """How an object that cannot have a role becomes one that can, to be put after a message; "" where none does."""
    asked = list(objects)
    if any(obj.type in _CONVERTIBLE for obj in asked):
        return ". Object > Convert > Mesh makes a mesh of it"
    if any(obj.instance_type == "COLLECTION" and obj.instance_collection is not None for obj in asked):
        return ". Object > Apply > Make Instances Real makes objects of it"
    return ""
