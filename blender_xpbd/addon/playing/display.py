# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames shown in the viewport without being kept: one pinned shape key, taken back to the bit.

A pinned key is shown alone, whatever other keys and their animation say, below all modifiers and materials. What there
was before stands with the object (``play_record``), so the key can be taken back whoever finds it: at the end, before a
save and an undo, and after a file was opened or recovered in which a run had been shown.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.data_lookup import object_by_uid
from ..keys.curve_keys import BezierHandles, set_key_coordinates
from ..keys.key_target import KeyTarget
from ..reading.mesh_reader import editing_mode, own_shape_keys
from ..reading.points import point_count

Floats = npt.NDArray[np.float64]

KEY_NAME = "XPBD Play"
_EDITED = (
    "The mesh is being edited, so the run was stopped. Leave Edit Mode (Tab): what was played, and moved in it, goes."
)


def show(target: KeyTarget, frame: int, positions: Floats) -> bool:
    """Show a body as it is at a frame.

    Args:
        target: the object, as it was read.
        frame: its number.
        positions: of its vertices in the world [m], shape (vertices, 3).

    Returns:
        Whether it is shown: it is not, where its object is gone or no mesh.

    Raises:
        XpbdError: E_CACHE_STALE, where the mesh has other vertices now; E_MODE_EDIT, where it is being edited.
    """
    obj = object_by_uid(target.object_uid)
    if obj is None or obj.type != "MESH":
        return False
    if editing_mode(obj):
        raise XpbdError("E_MODE_EDIT", _EDITED, obj.name)
    if target.is_hair:
        raise XpbdError("E_PARAM", "Blender has no shape keys of hair, by which a run is shown: bake it.", obj.name)
    if point_count(obj.data) != len(positions):
        raise XpbdError("E_CACHE_STALE", "The mesh was edited while it was played: play again.", obj.name)
    block = _own_key(obj) if obj.xpbd.play_record else _add_key(obj)
    local = target.local(frame, positions)
    handles = BezierHandles(obj.data) if isinstance(obj.data, bpy.types.Curve) else None
    set_key_coordinates(block, local, handles)
    obj.data.update_tag()
    return True


def take_back(obj: bpy.types.Object) -> None:
    """Leave the object as it was before it was shown; nothing, where it is not."""
    text = obj.xpbd.play_record
    if not text:
        return
    record = _parsed(text)
    mesh: Any = obj.data
    keys = own_shape_keys(mesh)
    if keys is not None and record["created"] and set(keys.key_blocks.keys()) <= {"Basis", KEY_NAME}:
        obj.shape_key_clear()
    elif keys is not None:
        block = keys.key_blocks.get(KEY_NAME)
        if block is not None:
            obj.shape_key_remove(block)
        keys.eval_time = record["eval_time"]
    obj.active_shape_key_index = record["active"]
    obj.show_only_shape_key = record["pinned"]
    if hasattr(mesh, "xpbd_bake"):
        _stamp(mesh, record["stamp"])
        mesh.update_tag()
    obj.xpbd.property_unset("play_record")


def take_back_all() -> bool:
    """Leave all objects of the file as they were; return whether one is being edited, which has to wait."""
    is_left = False
    for obj in bpy.data.objects:
        if obj.xpbd.play_record and obj.library is None:
            if obj.mode == "EDIT":
                is_left = True
            else:
                take_back(obj)
    return is_left


def _add_key(obj: bpy.types.Object) -> bpy.types.ShapeKey:
    mesh: Any = obj.data
    keys = mesh.shape_keys
    record = {
        "created": keys is None,
        "active": obj.active_shape_key_index,
        "pinned": obj.show_only_shape_key,
        "eval_time": keys.eval_time if keys else 0.0,
        "stamp": mesh.xpbd_bake if mesh.is_property_set("xpbd_bake") else None,
    }
    obj.xpbd.play_record = json.dumps(record)
    if keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
    block = obj.shape_key_add(name=KEY_NAME, from_mix=False)
    # an undo leaves a mesh alone that looks as it did, although its keys are others: see ``bake_record.stamp``
    _stamp(mesh, secrets.token_hex(8))
    obj.active_shape_key_index = len(mesh.shape_keys.key_blocks) - 1
    obj.show_only_shape_key = True
    return block


def _own_key(obj: bpy.types.Object) -> bpy.types.ShapeKey:
    mesh: Any = obj.data
    keys = mesh.shape_keys
    block = keys.key_blocks.get(KEY_NAME) if keys is not None else None
    if block is None:
        raise XpbdError("E_CACHE_STALE", "The key that shows the run was deleted: play again.", obj.name)
    return block


def _stamp(mesh: Any, stamp: str | None) -> None:
    if stamp is None:
        mesh.property_unset("xpbd_bake")
    else:
        mesh.xpbd_bake = stamp


def _parsed(text: str) -> dict[str, Any]:
    """The record; where a stranger's file holds another text, that of a mesh that had no keys before."""
    expected = {"created": bool, "active": int, "pinned": bool, "eval_time": float, "stamp": (str, type(None))}
    usual = {"created": True, "active": 0, "pinned": False, "eval_time": 0.0, "stamp": None}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return usual
    fits = isinstance(found, dict) and set(found) == set(expected)
    if not fits or not all(isinstance(found[name], kind) for name, kind in expected.items()):
        return usual
    return {**found, "active": min(max(found["active"], 0), 10_000)}
