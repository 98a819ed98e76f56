# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrow of the floor; drags and their undo were tried in the application."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest


def context_of(bpy, overlays=True):
    return SimpleNamespace(
        scene=bpy.context.scene,
        visible_objects=bpy.context.visible_objects,
        space_data=SimpleNamespace(overlay=SimpleNamespace(show_overlays=overlays)),
    )


def test_it_is_shown_where_there_is_a_floor_to_be_moved(bpy, monkeypatch):
    from blender_xpbd.addon.data.bake_status import STATUS
    from blender_xpbd.addon.ui.floor_gizmo import XPBD_GGT_floor

    bpy.context.scene.xpbd.use_floor = True
    assert XPBD_GGT_floor.poll(context_of(bpy))
    assert not XPBD_GGT_floor.poll(context_of(bpy, overlays=False))
    for name in ("is_baking", "is_playing"):
        with monkeypatch.context() as patch:
            patch.setattr(STATUS, name, True)
            assert not XPBD_GGT_floor.poll(context_of(bpy))
    bpy.context.scene.keyframe_insert("xpbd.floor_height", frame=1)
    assert not XPBD_GGT_floor.poll(context_of(bpy))
    bpy.context.scene.animation_data_clear()
    assert XPBD_GGT_floor.poll(context_of(bpy))
    bpy.context.scene.xpbd.use_floor = False
    assert not XPBD_GGT_floor.poll(context_of(bpy))


def test_it_stands_beside_what_stands_on_the_floor(bpy, make_body):
    from blender_xpbd.addon.ui.floor_gizmo import floor_edge

    assert floor_edge(context_of(bpy)) == pytest.approx((2.0, 0.0))
    body = make_body("A", location=(5.0, 3.0, 1.0))
    bpy.context.view_layer.update()
    world = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices])
    x, y = floor_edge(context_of(bpy))
    assert x > world[:, 0].max()
    assert y == pytest.approx(0.5 * (world[:, 1].min() + world[:, 1].max()), abs=1e-5)


def test_a_drag_follows_the_mouse_and_is_one_undo_step(bpy, monkeypatch):
    from blender_xpbd.addon.ui import floor_gizmo

    settings = bpy.context.scene.xpbd
    settings.floor_height = 1.0
    headers, pushed, heights = [], [], iter((4.0, 6.0, 5.0, 5.33))
    context = SimpleNamespace(scene=bpy.context.scene, area=SimpleNamespace(header_text_set=headers.append))
    arrow = SimpleNamespace(_height_at=lambda _context, _event: next(heights))
    undo = SimpleNamespace(undo_push=lambda *, message: pushed.append(message))
    monkeypatch.setattr(floor_gizmo, "bpy", SimpleNamespace(ops=SimpleNamespace(ed=undo)))
    kind = floor_gizmo.XPBD_GT_floor
    kind.invoke(arrow, context, None)
    kind.modal(arrow, context, None, set())
    assert settings.floor_height == pytest.approx(3.0)
    kind.modal(arrow, context, None, {"PRECISE"})
    assert settings.floor_height == pytest.approx(2.9)
    assert headers == ["Floor Height: 3", "Floor Height: 2.9"]
    kind.modal(arrow, context, None, {"SNAP"})
    assert settings.floor_height == pytest.approx(3.2)
    kind.exit(arrow, context, True)
    assert settings.floor_height == pytest.approx(1.0)
    assert pushed == []
    settings.floor_height = 2.0
    kind.exit(arrow, context, False)
    assert pushed == ["Floor Height"]
    assert headers[-1] is None
