# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the last bake's report is still about something: objects may have been deleted since, and keys with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import bpy

from ..data.bake_record import BakeRecord, read_record
from ..data.bake_status import STATUS
from ..keys.hair_points import points_modifier
from ..reading.collider_reader import FLOOR_NAME
from .report_text import faults_of, summary_error, summary_of, summary_warnings

_CONCERNED = re.compile(r'(?P<code>[EW]_[A-Z_]+): object "(?P<name>[^"\n]*)"(?: frame -?\d+)?:')
# what is told of these was never an object of the scene: a wrong name, and the floor
_NAMELESS_CODE = "E_NOTHING"


def standing_report(scene: bpy.types.Scene) -> str:
    """``Scene.xpbd.report`` without what is about objects that are gone; "" where no key of the bake is left.

    Args:
        scene: that was baked.
    """
    report: str = scene.xpbd.report
    summary = summary_of(report)
    names = _baked_names(summary.get("objects"))
    left = _names_with_keys(scene, names)
    if summary.get("frames") and names and not left:
        return ""
    warnings, error = summary_warnings(report), summary_error(report)
    kept = {"warnings": _standing(warnings, left), "error": standing_error(error)}
    if kept == {"warnings": warnings, "error": error}:
        return report
    return json.dumps({**summary, **kept})


def standing_error(error: str) -> str:
    """The faults of an error without those of objects that are gone.

    Args:
        error: as a bake tells it: a line or more for each fault.
    """
    return "\n".join(_standing(faults_of(error), frozenset()))


def forget_fault(scene: bpy.types.Scene, code: str, name: str) -> None:
    """Take a fault of an object that is mended out of what is told of the last bake.

    Args:
        scene: that was baked.
        code: of the fault.
        name: of the object, as the bake told it.
    """

    def left(error: str) -> str:
        return "\n".join(one for one in faults_of(error) if not one.startswith(f'{code}: object "{name}":'))

    # both, so that what is left goes with the bake when that is undone
    STATUS.message, STATUS.bake_fault = left(STATUS.message), left(STATUS.bake_fault)
    report: str = scene.xpbd.report
    if error := summary_error(report):
        scene.xpbd.report = json.dumps({**summary_of(report), "error": left(error)})


def _standing(texts: Iterable[str], names: frozenset[str]) -> list[str]:
    """Faults or warnings whose objects are there, or were baked under one of some names; and those of no object."""
    return [
        text
        for text in texts
        if (found := _CONCERNED.match(text)) is None
        or found["code"] == _NAMELESS_CODE
        or found["name"] in {*names, FLOOR_NAME}
        or _is_there(found["name"])
    ]


def _is_there(name: str) -> bool:
    """Whether an object is in any collection: what was deleted stays without one where something points to it."""
    obj = bpy.data.objects.get(name)
    return obj is not None and len(obj.users_collection) > 0


def _baked_names(objects: Any) -> frozenset[str]:
    return frozenset(name for name in objects if isinstance(name, str)) if isinstance(objects, list) else frozenset()


def _names_with_keys(scene: bpy.types.Scene, names: frozenset[str]) -> frozenset[str]:
    """Those names under which objects were baked that still play it; an object may have another name since."""
    # nearly always all objects have the names that they had: the others are only asked where one has not
    if all((obj := scene.objects.get(name)) is not None and _plays(obj) for name in names):
        return names
    return names & {record.body for obj in scene.objects if (record := read_record(obj)) is not None and _plays(obj)}


def _plays(obj: Any) -> bool:
    """Whether an object has keys of its bake, or another way in which it plays it."""
    if obj.xpbd.cache_modifier:
        return obj.xpbd.cache_modifier in obj.modifiers
    record = read_record(obj)
    return record is not None and (points_modifier(obj) is not None if record.points else _has_keys(obj, record))


def _has_keys(obj: Any, record: BakeRecord) -> bool:
    keys = getattr(obj.data, "shape_keys", None)
    return keys is not None and any(block.name.startswith(f"{record.prefix} ") for block in keys.key_blocks)
