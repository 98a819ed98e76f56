# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/properties.md, the table of all public properties, from their specs.

python scripts/property_docs.py            needs pip's bpy, because the specs are the add-on's
"""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "properties.md"

if TYPE_CHECKING:
    from blender_xpbd.addon.data.specs import Setting
    from blender_xpbd.scene.parameter import Parameter

_INTRODUCTION = """# Properties

Made by `scripts/property_docs.py` from the specs that the panels are made from; a test keeps it current.

Scripts and .blend files rely on these names. Lengths and velocities are in Blender units, as Blender's own
properties: the panels show them in metres (or what the scene's units say), and a bake multiplies them by the scene's
unit scale. Everything else is in SI units.

{animatable}

Gravity, frame rate and unit scale are the scene's own.
"""


def main() -> int:
    """Write the file."""
    sys.path.insert(0, str(ROOT))
    TARGET.write_text(text(), encoding="utf-8")
    print(TARGET)
    return 0


def text() -> str:
    """The whole file."""
    from blender_xpbd.addon.data.specs import OBJECT_SETTINGS, POSE_SETTINGS, SCENE_SETTINGS, STATUS_SETTINGS

    parts = [_INTRODUCTION.format(animatable=_animatable(OBJECT_SETTINGS))]
    parts += [_section("Object.xpbd", "Of a mesh object.", OBJECT_SETTINGS, with_roles=True)]
    parts += [
        _section(
            "Object.xpbd.poses[n]", "Of a pose target in the list `poses`; `poses.add()` makes one.", POSE_SETTINGS
        )
    ]
    parts += [_section("Scene.xpbd", "Of the scene.", SCENE_SETTINGS)]
    parts += [
        _section(
            "WindowManager.xpbd",
            "How the bake in the window stands. Read only, never saved.",
            STATUS_SETTINGS,
        )
    ]
    return "\n".join([*parts, _choices((*OBJECT_SETTINGS, *SCENE_SETTINGS)), _presets()])


def _animatable(settings: tuple[Setting, ...]) -> str:
    names = ", ".join(f"`{setting.name}`" for setting in settings if setting.follows_keys)
    words = f"A bake follows keys and drivers of `floor_height` and, where no preset sets them, of {names}."
    return textwrap.fill(f"{words} All others are read once, at the first frame.", 120)


def _section(title: str, words: str, settings: tuple[Setting, ...], *, with_roles: bool = False) -> str:
    head = ["name", "label", "default", "unit", "range", "meaning"]
    rows = [_row(setting) for setting in settings if not setting.hidden]
    if with_roles:
        head.insert(2, "roles")
        for row, setting in zip(rows, (setting for setting in settings if not setting.hidden), strict=True):
            row.insert(2, _roles(setting.parameter))
    return f"## {title}\n\n{words}\n\n{_table(head, rows)}"


def _roles(parameter: Parameter) -> str:
    if parameter.name == "role":
        return "all"
    return ", ".join(role.lower() for role in parameter.roles or ("JELLY", "CLOTH"))


def _row(setting: Setting) -> list[str]:
    parameter = setting.parameter
    default = f"({', '.join([_value(parameter)] * setting.size)})" if setting.size > 1 else _value(parameter)
    return [f"`{parameter.name}`", parameter.label, default, parameter.unit, _range(parameter), parameter.description]


def _value(parameter: Parameter) -> str:
    value = parameter.default
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return f"`{value}`" if value else "empty"
    return f"{value:.10g}"


def _range(parameter: Parameter) -> str:
    if parameter.choices:
        return "see below"
    if parameter.kind not in {"FLOAT", "INT"}:
        return ""
    if not math.isfinite(parameter.minimum):
        return "any"
    low = f"{'above' if parameter.exclusive_minimum else 'from'} {parameter.minimum:.10g}"
    return f"{low} to {parameter.maximum:.10g}" if math.isfinite(parameter.maximum) else low


def _choices(settings: tuple[Setting, ...]) -> str:
    parts = ["## Choices\n"]
    for parameter in (setting.parameter for setting in settings if setting.parameter.choices):
        rows = [[f"`{choice.identifier}`", choice.label, choice.description] for choice in parameter.choices]
        parts.append(f"### {parameter.name}\n\n{_table(['value', 'label', 'meaning'], rows)}")
    return "\n".join(parts)


def _presets() -> str:
    from blender_xpbd.scene.presets import PRESETS

    rows = []
    for preset in PRESETS:
        values = [f"`{name}` {value:.10g}" for name, value in preset.values.items() if isinstance(value, float)]
        rows.append([f"`{preset.identifier}`", preset.role.lower(), ", ".join(values), preset.source])
    words = (
        "A preset sets these values, whatever the properties say; a script that sets one of the properties afterwards\n"
        "gets `preset` MATERIAL (or CUSTOM, for a compliance), and all values count as they are. A stiffness in\n"
        "physical units that is set after CUSTOM gets MATERIAL likewise.\n"
    )
    return f"## Presets\n\n{words}\n{_table(['preset', 'role', 'values', 'source'], rows)}"


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
