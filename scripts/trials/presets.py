# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of presets that a stranger has made, or that are damaged: applied whole or refused, and nothing executed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from tests.addon.data.test_own_preset_file import HOSTILE

from .blender import make_grid, reset
from .part import Outcome

_MOST_CHANGES = 8
_MARK = "executed"
_PIECES = (
    b"\nopen('executed', 'w').close()\n",
    b"; import os",
    b"settings.",
    b" = 1e999",
    b"(",
    b"'",
    b"\r",
    b"\x85",
    b"\xff",
    b"__import__('os')",
    b"# ",
    b"\\",
)

Random = np.random.Generator


def apply_hostile_preset(number: int, folder: Path) -> Outcome:
    """Spoil a preset that was saved, and apply it."""
    import bpy

    from blender_xpbd.addon.ui.own_presets import preset_subdir

    operators: Any = bpy.ops
    random = np.random.default_rng(number)
    reset()
    role = ("CLOTH", "JELLY")[number % 2]
    body = make_grid("Body", role)
    body.select_set(True)
    layer: Any = bpy.context.view_layer
    layer.objects.active = body
    presets = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{preset_subdir(role)}", create=True))
    path = presets / f"Mine{number}.py"
    operators.xpbd.save_preset(name=path.stem)
    content = path.read_bytes()
    spoil = (_with_table_entry, _with_other_digits, _spoilt, _with_other_digits)[number // 2 % 4]
    path.write_bytes(spoil(content, random, folder))
    before = _values(body)
    outside = {entry: entry.read_bytes() for entry in (*presets.iterdir(), *folder.iterdir())}
    refused = ""
    try:
        operators.xpbd.apply_preset(filepath=str(path))
    except RuntimeError as fault:
        refused = str(fault)
    faults = []
    after = _values(body)
    if "Traceback" in refused:
        faults.append(refused[-300:])
    if refused and after != before:
        faults.append("refused, but values have changed")
    if strange := [name for name, value in after.items() if isinstance(value, float) and not math.isfinite(value)]:
        faults.append(f"no finite numbers: {', '.join(strange)}")
    if body.xpbd.role != role or len(bpy.data.objects) != 1:
        faults.append("more than the material has changed")
    if (folder / _MARK).exists() or Path(_MARK).exists():
        faults.append("it was executed")
    if {entry: entry.read_bytes() for entry in (*presets.iterdir(), *folder.iterdir())} != outside:
        faults.append("files have changed")
    path.unlink()
    return Outcome("refused" if refused else "applied", tuple(faults))


def _with_table_entry(content: bytes, random: Random, folder: Path) -> bytes:
    text = HOSTILE[str(random.choice(list(HOSTILE)))].replace("{mark!r}", repr(str(folder / _MARK)))
    return content + text.encode(errors="surrogateescape") + b"\n"


def _with_other_digits(content: bytes, random: Random, _folder: Path) -> bytes:
    """Numbers that may be out of range, or none any more."""
    changed = bytearray(content)
    digits = [place for place, letter in enumerate(changed) if chr(letter).isdigit()]
    for place in random.choice(digits, size=int(random.integers(1, _MOST_CHANGES))):
        changed[place] = random.choice(list(b"0123456789.e"))
    return bytes(changed)


def _spoilt(content: bytes, random: Random, _folder: Path) -> bytes:
    """Some bytes changed, cut out or put in, anywhere."""
    spoilt = bytearray(content)
    for _ in range(int(random.integers(1, _MOST_CHANGES))):
        place = int(random.integers(len(spoilt))) if spoilt else 0
        way = int(random.integers(4))
        if way == 0 and spoilt:
            spoilt[place] ^= 1 << int(random.integers(8))
        elif way == 1:
            del spoilt[place : place + int(random.integers(1, 30))]
        elif way == 2:
            spoilt[place:place] = _PIECES[int(random.integers(len(_PIECES)))]
        else:
            spoilt[place : place + 1] = str(int(random.integers(10))).encode()
    return bytes(spoilt)


def _values(body: Any) -> dict[str, Any]:
    from blender_xpbd.addon.data.material_names import MATERIAL_VALUES

    return {name: getattr(body.xpbd, name) for name in (*MATERIAL_VALUES, "preset") if hasattr(body.xpbd, name)}
