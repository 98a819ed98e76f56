# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a mesh that are baked and cleared by turns: what a bake adds, Clear takes back exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.addon.conftest import dump_object

from .blender import fake_bake, make_grid, reset
from .part import Outcome

STATES = 20


def bake_and_clear(number: int, folder: Path) -> Outcome:
    """Bake a mesh in one of its states and clear it; all must be as before."""
    from blender_xpbd.addon.keys.clearing import clear_bake

    reset()
    state = number % STATES
    body = in_state(state)
    before = dump_object(body)
    fake_bake(folder, frames=4 + number // STATES)
    if not any(block.name.startswith("XPBD") for block in body.data.shape_keys.key_blocks):
        return Outcome(f"state {state}", ("nothing was baked",))
    clear_bake(body)
    after = dump_object(body)
    changed = [name for name in before if before[name] != after[name]]
    return Outcome("restored" if not changed else "changed", tuple(f"state {state}: {name}" for name in changed))


def in_state(state: int) -> Any:
    """An object whose mesh has what the bits of a number ask for; the last four have unlike keys too."""
    import bpy

    body = make_grid("Body")
    keys, animated, grouped, shared = (bool(state >> bit & 1) for bit in range(4))
    if keys or state >= 16:
        body.shape_key_add(name="Basis")
        block = body.shape_key_add(name="Own")
        for point in block.points:
            point.co.z += 0.125
        block.value = 0.5
        body.active_shape_key_index = state % 2
        body.show_only_shape_key = state == 17
        body.data.shape_keys.use_relative = state != 18
    if animated:
        body.location.x = 1.0
        body.keyframe_insert("location", frame=1)
        if body.data.shape_keys is not None and body.data.shape_keys.use_relative:
            body.data.shape_keys.key_blocks["Own"].keyframe_insert("value", frame=2)
    if grouped:
        body.vertex_groups.new(name="Group").add([0, 1, 2], 0.75, "ADD")
        body.modifiers.new("Smooth", "SMOOTH")
    if shared:
        body.data.uv_layers.new(name="UV")
        body.data.attributes.new("Weight", "FLOAT", "POINT")
    if state == 19:
        body.xpbd.key_style = "RELATIVE"
    bpy.context.view_layer.update()
    return body
