# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake as a script starts it."""

from __future__ import annotations

import pytest


def test_bake_needs_a_body(bpy, make_body):
    make_body(role="COLLIDER")
    assert not bpy.ops.xpbd.bake.poll()
    with pytest.raises(RuntimeError, match="Make an object Jelly, Cloth, Strand or Grains first"):
        bpy.ops.xpbd.bake()


def test_an_error_is_raised_and_kept_for_the_panel(bpy, make_body, short, fake_worker):
    body = make_body()
    body.xpbd.area_density = 0.0
    with pytest.raises(RuntimeError, match='E_PARAM: object "Body"'):
        bpy.ops.xpbd.bake()
    assert bpy.context.window_manager.xpbd.message.startswith("E_PARAM")
    assert body.data.shape_keys is None
    body.xpbd.area_density = 0.2
    bpy.ops.xpbd.bake()
    assert bpy.context.window_manager.xpbd.message == ""


def test_a_bake_without_a_window_blocks(bpy, make_body, short, fake_worker):
    body = make_body()
    assert bpy.ops.xpbd.bake("INVOKE_DEFAULT") == {"FINISHED"}
    assert len(body.data.shape_keys.key_blocks) == 6


def test_what_is_shown_beside_a_bake_is_of_what_is_baked(bpy, make_body, short, fake_worker, select):
    """Painted pins tell nobody that they hold the body now."""
    body = make_body()
    select(body)
    bpy.ops.xpbd.check()
    assert "W_FALLS" in bpy.context.scene.xpbd.findings
    bpy.ops.xpbd.paint_pins()
    body.vertex_groups["Pin"].add([0, 1], 1.0, "REPLACE")
    bpy.ops.xpbd.bake()
    assert "W_FALLS" not in bpy.context.scene.xpbd.findings


def test_a_bake_tells_of_a_body_that_nothing_has_checked(bpy, make_body, short, fake_worker):
    """As of one that was dragged in from the asset browser, with its role."""
    from blender_xpbd.addon.ui import panels
    from tests.addon.recorded_layout import draw

    body = make_body()
    assert bpy.context.scene.xpbd.findings == ""
    bpy.ops.xpbd.bake()
    assert "W_FALLS" in bpy.context.scene.xpbd.findings
    assert "Add Floor" in draw(panels.XPBD_PT_main).words
    bpy.data.objects.remove(body)
    assert "Add Floor" not in draw(panels.XPBD_PT_main).words, "nothing falls any more"


def test_a_bake_that_edit_mode_refuses_leaves_what_was_found(bpy, make_body, short, fake_worker, select):
    body = make_body()
    select(body)
    bpy.ops.xpbd.check()
    found = bpy.context.scene.xpbd.findings
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="E_MODE_EDIT"):
        bpy.ops.xpbd.bake()
    assert bpy.context.scene.xpbd.findings == found
    bpy.ops.object.mode_set(mode="OBJECT")


def test_cancel_needs_a_bake(bpy):
    assert not bpy.ops.xpbd.cancel.poll()


def test_bake_selected_bakes_nothing_where_nothing_is_selected(bpy, make_body, fake_worker, select):
    make_body("A")
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    assert bpy.ops.xpbd.bake(only_selected=True) == {"CANCELLED"}
    assert bpy.context.scene.xpbd.report == ""


@pytest.mark.parametrize(
    ("operator", "name"),
    [("bake", "only_selected"), ("bake", "from_current_frame"), ("clear", "all"), ("fill_with_grains", "radius")],
)
def test_a_wish_of_one_button_is_not_kept_for_another(bpy, operator, name):
    """Blender fills what a button does not say from the last call."""
    properties = getattr(bpy.ops.xpbd, operator).get_rna_type().properties
    assert properties[name].is_skip_save
