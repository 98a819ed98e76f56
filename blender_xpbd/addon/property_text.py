# SPDX-License-Identifier: GPL-3.0-or-later
"""``OBJECT.PROPERTY=VALUE`` as texts of a command line."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene.errors import XpbdError

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
    # The value follows the first "=" that a property's name precedes; names of objects may hold any character
    while not target.rpartition(".")[2].isidentifier() and "=" in text:
        more, _, text = text.partition("=")
        target = f"{target}={more}"
    name, dot, attribute = target.rpartition(".")
    if dot:
        owner = scene.objects.get(name)
        if owner is None:
            raise XpbdError("E_NOTHING", "There is no such object in the scene.", name)
    else:
        owner = scene
    _assign(owner.xpbd, attribute, text, name)


def _assign(settings: Any, attribute: str, text: str, object_name: str) -> None:
    properties = settings.bl_rna.properties
    definition = properties.get(attribute)
    if definition is None or definition.is_readonly or definition.is_hidden:
        known = ", ".join(sorted(p.identifier for p in properties if not p.is_readonly and not p.is_hidden))
        raise XpbdError("E_PARAM", f"There is no property {attribute!r}; there are {known}.", object_name)
    try:
        value = _parse(definition, text)
        _check_range(definition, value)
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


def _check_range(definition: Any, value: Any) -> None:
    """Blender clamps without a word; a script wants to know."""
    if definition.type not in {"FLOAT", "INT"}:
        return
    for number in value if isinstance(value, list) else [value]:
        # float32, as Blender keeps them: 0.1 is less than its own minimum of 0.1
        low, high = definition.hard_min, definition.hard_max
        if not low - 1e-6 * abs(low) <= number <= high + 1e-6 * abs(high):
            raise ValueError(f"use {low:g} to {high:g}")
