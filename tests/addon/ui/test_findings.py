# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings in the panel, with their buttons."""

from __future__ import annotations

from tests.addon.recorded_layout import draw


def test_findings_and_their_buttons(bpy, make_body):
    from blender_xpbd.addon.ui import panels

    bpy.context.scene.xpbd.use_floor = True
    body = make_body("Cloth", location=(0.0, 0.0, -1.0))
    bpy.context.view_layer.objects.active = body
    bpy.context.scene.frame_end = 77
    assert not {"xpbd.lift"} & {name for name, _ in draw(panels.XPBD_PT_main).operators}
    bpy.ops.xpbd.check()
    layout = draw(panels.XPBD_PT_main)
    assert {"xpbd.lift", "xpbd.use_scene_range"} <= {name for name, _ in layout.operators}
    assert [values.object_name for values in layout.operator_values if hasattr(values, "object_name")] == ["Cloth"]
    assert any("Starts inside" in words for words in layout.words)


def test_a_strangers_text_draws_nothing(bpy):
    from blender_xpbd.addon.ui import panels

    bpy.context.scene.xpbd.findings = '[{"code": "X", "object": "y", "message": "z"}, 3]'
    assert "z" not in draw(panels.XPBD_PT_main).words
