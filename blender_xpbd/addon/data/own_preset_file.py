# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of one's own: texts as Blender's presets are, which are scripts, but read as values; nothing is executed.

People hand them on to each other, as files or with assets. So a text may hold what ``AddPresetBase`` would write, and
nothing else: an import of bpy, which object is meant, and a line ``settings.NAME = VALUE`` for each parameter. Lengths
are in SI units, for scenes have different ones.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ...jobs.files import read_bytes
from ...scene.errors import XpbdError
from .properties import LENGTHS, fits_role
from .property_text import check_range

OBJECT_LINE = "settings = bpy.context.object.xpbd"
PRESET = "preset"

_WITHOUT_VALUE = {"", "import bpy", OBJECT_LINE}
_LINE = re.compile(r"settings\.(?P<name>\w+) = (?P<value>.{1,200})")
# one has some 3 kB
MOST_BYTES = 1 << 16
_TYPES: Mapping[str, tuple[type, ...]] = {"FLOAT": (float, int), "INT": (int,), "BOOLEAN": (bool,), "ENUM": (str,)}


def preset_text(settings: Any, names: Iterable[str], unit_scale: float) -> str:
    """The values of a material as a preset keeps them.

    Args:
        settings: of the object that has them.
        names: of the parameters that are kept. To set one makes the material an own one, so the preset comes last.
        unit_scale: metres per Blender unit.
    """
    lines = ["import bpy", OBJECT_LINE, ""]
    lines += [f"settings.{name} = {_in_si(getattr(settings, name), name, unit_scale)!r}" for name in (*names, PRESET)]
    return "\n".join(lines) + "\n"


def read_own_preset(path: Path) -> str:
    """The text of a preset's file; a link is followed.

    Raises:
        XpbdError: E_PARAM, for what is no text; E_IO.
    """
    try:
        return read_bytes(path.resolve(), MOST_BYTES, "E_PARAM").decode("utf-8-sig")
    except (UnicodeDecodeError, RuntimeError) as fault:
        raise XpbdError("E_PARAM", f"{path} is no preset: {fault}.") from fault


def preset_values(text: str, title: str, settings: Any, names: Collection[str], unit_scale: float) -> dict[str, Any]:
    """The values that a preset has, as the settings of an object hold them.

    Args:
        text: of the preset.
        title: what it is called in faults.
        settings: of the object that is to get them.
        names: of the parameters that a material may have.
        unit_scale: metres per Blender unit.

    Returns:
        The values, in the order of the text, the preset last.

    Raises:
        XpbdError: E_PARAM, for whatever is no preset.
    """
    known = {PRESET, *names} & set(settings.bl_rna.properties.keys())
    values: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if (line := line.strip()) in _WITHOUT_VALUE or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None or (name := found["name"]) not in known:
            raise _refused(title, number, "it is no value of a material, and nothing else is executed")
        try:
            values[name] = _value(settings, name, found["value"], unit_scale)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as fault:
            raise _refused(title, number, f"{name} cannot be {found['value']}") from fault
    if PRESET in values:
        values[PRESET] = values.pop(PRESET)
        if not fits_role(values[PRESET], settings.role):
            raise XpbdError("E_PARAM", f"{title} is a preset for objects of another role: nothing of it was applied.")
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


def _in_si(value: Any, name: str, unit_scale: float) -> Any:
    """A value of a property in SI units, with the digits that its single precision has."""
    if not isinstance(value, float):
        return value
    return float(f"{value * unit_scale if name in LENGTHS else value:.9g}")


def _value(settings: Any, name: str, text: str, unit_scale: float) -> Any:
    definition = settings.bl_rna.properties[name]
    value = ast.literal_eval(text)
    if type(value) not in _TYPES.get(definition.type, ()):
        raise TypeError(f"it is no {definition.type}")
    if name in LENGTHS:
        value = value / unit_scale
    check_range(definition, value)
    return value


def _refused(title: str, number: int, why: str) -> XpbdError:
    return XpbdError("E_PARAM", f"{title} is no preset of a material. Line {number}: {why}.")
