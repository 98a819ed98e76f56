# SPDX-License-Identifier: GPL-3.0-or-later
"""While a run is played, nothing else reads or changes what it is about."""

from __future__ import annotations

import pytest

OPERATORS = ("bake", "play", "check", "clear", "export", "free_unused", "add_gallery_scene", "set_rest_shape")


@pytest.mark.parametrize("name", [*OPERATORS, "clear_start", "make_tearable"])
@pytest.mark.parametrize("state", ["is_baking", "is_playing"])
def test_operators_wait_for_bakes_and_runs(bpy, make_body, name, state):
    from blender_xpbd.addon.data.bake_status import STATUS

    make_body("A").xpbd.bake_record = "{}"
    setattr(STATUS, state, True)
    try:
        assert not getattr(bpy.ops.xpbd, name).poll()
        with pytest.raises(RuntimeError, match=r"Wait for the bake|keep or stop it first"):
            getattr(bpy.ops.xpbd, name)()
    finally:
        setattr(STATUS, state, False)


@pytest.mark.parametrize("name", ["add_floor", "lift", "suit_mesh"])
def test_what_mends_says_why_it_waits_in_edit_mode(bpy, make_body, select, name):
    select(make_body("A"))
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        with pytest.raises(RuntimeError, match="Go back to Object Mode"):
            getattr(bpy.ops.xpbd, name)()
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
