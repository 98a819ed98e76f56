# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of one's own: files as Blender writes them, which are scripts, but read as values; nothing is executed.

People hand such files on to each other. So a file may hold what ``AddPresetBase`` writes, and nothing else: an import
of bpy, which object is meant, and a line ``settings.NAME = VALUE`` for each parameter.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ...jobs.files import read_bytes
from ...scene.errors import XpbdError
from .property_text import check_range

OBJECT_LINE = "settings = bpy.context.object.xpbd"
PRESET = "preset"

_WITHOUT_VALUE = {"", "import bpy", OBJECT_LINE}
_LINE = re.compile(r"settings\.(?P<name>\w+) = (?P<value>.{1,200})")
# one has some 3 kB
_MOST_BYTES = 1 << 16
_TYPES: Mapping[str, tuple[type, ...]] = {"FLOAT": (float, int), "INT": (int,), "BOOLEAN": (bool,), "ENUM": (str,)}


def read_own_preset(path: Path, settings: Any, names: Collection[str]) -> dict[str, Any]:
    """The values that a preset's file has.

    Args:
        path: of the file; a link is followed.
        settings: of the object that is to get them.
        names: of the parameters that a material may have.

    Returns:
        The values, in the order of the file, the preset last.

    Raises:
        XpbdError: E_PARAM, for whatever is no preset; E_IO.
    """
    try:
        text = read_bytes(path.resolve(), _MOST_BYTES, "E_PARAM").decode("utf-8")
    except (UnicodeDecodeError, RuntimeError) as fault:
        raise XpbdError("E_PARAM", f"{path} is no preset: {fault}.") from fault
    known = {PRESET, *names} & set(settings.bl_rna.properties.keys())
    values: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if (line := line.strip()) in _WITHOUT_VALUE or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None or (name := found["name"]) not in known:
            raise _refused(path, number, "it is no value of a material, and nothing else is executed")
        try:
            values[name] = _value(settings, name, found["value"])
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as fault:
            raise _refused(path, number, f"{name} cannot be {found['value']}") from fault
    if PRESET in values:
        values[PRESET] = values.pop(PRESET)
    return values


def apply_values(settings: Any, values: Mapping[str, Any]) -> None:
    """Set them all, or none where one is refused.

    Args:
        settings: of an object.
        values: by their names. To set one makes the material an own one, so the preset comes last.

    Raises:
        XpbdError: E_PARAM.
    """
    before = {name: getattr(settings, name) for name in (*(name for name in values if name != PRESET), PRESET)}
    name = ""
    try:
        for name, value in values.items():
            setattr(settings, name, value)
    except (ValueError, TypeError) as fault:
        for former, value in before.items():
            setattr(settings, former, value)
        raise XpbdError("E_PARAM", f"{name} cannot be {values[name]!r} here: nothing of it was applied.") from fault


def _value(settings: Any, name: str, text: str) -> Any:
    definition = settings.bl_rna.properties[name]
    value = ast.literal_eval(text)
    if type(value) not in _TYPES.get(definition.type, ()):
        raise TypeError(f"it is no {definition.type}")
    check_range(definition, value)
    return value


def _refused(path: Path, number: int, why: str) -> XpbdError:
    return XpbdError("E_PARAM", f"{path} is no preset of a material. Line {number}: {why}.")
