# SPDX-License-Identifier: GPL-3.0-or-later
"""``OBJECT.PROPERTY=VALUE`` as texts of a command line."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.errors import XpbdError

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def set_property(scene: bpy.types.Scene, assignment: str) -> None:
    """Set a property of ``Object.xpbd``, or without an object of ``Scene.xpbd``.

    Args:
        scene: whose objects are meant.
        assignment: such as ``Suzanne.youngs_modulus=20000``; the object's name may hold dots.

    Raises:
        XpbdError: E_PARAM, or E_NOTHING for an object that is not there.
    """
    target, equals, text = assignment.partition("=")
    if not equals:
        raise XpbdError("E_PARAM", f"{assignment!r} is not OBJECT.PROPERTY=VALUE.")
    if "." not in target and target.isidentifier():
        _assign(scene.xpbd, target, text, "")
        return
    # An object's name may hold "=" and dots
    for position in (index for index, letter in enumerate(assignment) if letter == "="):
        name, _, attribute = assignment[:position].rpartition(".")
        owner = scene.objects.get(name)
        if owner is not None:
            _assign(owner.xpbd, attribute, assignment[position + 1 :], name)
            return
    raise XpbdError("E_NOTHING", "There is no such object in the scene.", target.rpartition(".")[0])


def _assign(settings: Any, attribute: str, text: str, object_name: str) -> None:
    properties = settings.bl_rna.properties
    definition = properties.get(attribute)
    if definition is None or definition.is_readonly or definition.is_hidden:
        known = ", ".join(sorted(p.identifier for p in properties if not p.is_readonly and not p.is_hidden))
        raise XpbdError("E_PARAM", f"There is no property {attribute!r}; there are {known}.", object_name)
    try:
        value = _pointed(definition, text) if definition.type == "POINTER" else _parse(definition, text)
        check_range(definition, value)
        setattr(settings, attribute, value)
    except (ValueError, TypeError) as fault:
        raise XpbdError("E_PARAM", f"{attribute} cannot be {text!r}: {fault}.", object_name) from fault


def _parse(definition: Any, text: str) -> Any:
    if getattr(definition, "is_array", False):
        words = text.replace(",", " ").split()
        if len(words) != definition.array_length:
            raise ValueError(f"it has {definition.array_length} numbers")
        return [_parse_one(definition.type, word) for word in words]
    return _parse_one(definition.type, text)


def _parse_one(kind: str, text: str) -> Any:
    if kind == "FLOAT":
        return float(text)
    if kind == "INT":
        return int(text)
    if kind == "BOOLEAN":
        word = text.strip().lower()
        if word not in _TRUE | _FALSE:
            raise ValueError("use true or false")
        return word in _TRUE
    return text


def _pointed(definition: Any, text: str) -> bpy.types.ID | None:
    """What a pointer is to point to, by its name; None for no name."""
    is_collection = definition.fixed_type.identifier == "Collection"
    found = (bpy.data.collections if is_collection else bpy.data.objects).get(text)
    if text and found is None:
        raise ValueError(f"there is no such {'collection' if is_collection else 'object'}")
    return found


def check_range(definition: Any, value: Any) -> None:
    """Blender clamps without a word; a script wants to know.

    Args:
        definition: of the property.
        value: a number, a list of them, or what has no range.

    Raises:
        ValueError: a number is out of range, or is none.
    """
    if definition.type not in {"FLOAT", "INT"}:
        return
    for number in value if isinstance(value, list) else [value]:
        # float32, as Blender keeps them: 0.1 is less than its own minimum of 0.1
        low, high = definition.hard_min, definition.hard_max
        if not low - 1e-6 * abs(low) <= number <= high + 1e-6 * abs(high):
            raise ValueError(f"use {low:g} to {high:g}")
