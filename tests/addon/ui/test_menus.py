# SPDX-License-Identifier: GPL-3.0-or-later
"""What the menus offer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.addon.recorded_layout import RecordedLayout, draw


@pytest.fixture
def menus(bpy):
    from blender_xpbd.addon.ui import menus

    return menus


def test_the_object_menu_offers_all_roles_bake_and_clear(bpy, menus):
    layout = draw(menus.XPBD_MT_object)
    roles = [values.role for values in layout.operator_values if hasattr(values, "role")]
    assert roles == ["NONE", "JELLY", "CLOTH", "STRAND", "GRAINS", "COLLIDER"]
    assert [name for name, _ in layout.operators[7:]] == [
        "xpbd.check",
        "xpbd.bake",
        "xpbd.play",
        "xpbd.export",
        "xpbd.clear",
        "xpbd.clear",
        "xpbd.copy_settings",
    ]
    # a bake that holds the window up is none that an artist asked for
    assert {context for _, context in layout.operators[7:]} == {"INVOKE_DEFAULT"}
    clears = [values.all for values in layout.operator_values if hasattr(values, "all")]
    assert clears == [None, True]


def test_every_role_has_an_icon(bpy, menus):
    from blender_xpbd.addon.data.specs import ROLES

    assert set(menus.ROLE_ICONS) == {role.identifier for role in ROLES}


@pytest.mark.parametrize(("role", "there", "absent"), [("JELLY", "Rubber", "Cotton"), ("CLOTH", "Cotton", "Rubber")])
def test_the_material_menu_offers_those_of_the_role(bpy, menus, make_body, role, there, absent):
    bpy.context.view_layer.objects.active = make_body(role=role)
    words = draw(menus.XPBD_MT_material).words
    assert there in words
    assert absent not in words
    assert words[-2:] == ["Own Material", "Own, for Experts"]


def test_the_object_menu_of_blender_has_one_entry(bpy, menus):
    drawn = bpy.types.VIEW3D_MT_object._dyn_ui_initialize()
    own = [function for function in drawn if function.__module__ == menus.__name__]
    assert len(own) == 1
    layout = RecordedLayout()
    own[0](SimpleNamespace(layout=layout), bpy.context)
    assert layout.menus == ["XPBD_MT_object"]


def test_the_menus_of_the_gallery_hold_each_scene_once_and_fit_a_small_window(bpy, menus):
    from blender_xpbd.addon.gallery.gallery import GALLERY

    assert draw(menus.XPBD_MT_gallery).menus == [menu.bl_idname for menu in menus.GALLERY_MENUS]
    named = []
    for menu in menus.GALLERY_MENUS:
        layout = RecordedLayout()
        menu.draw(SimpleNamespace(layout=layout, group=menu.group), bpy.context)
        scenes = [values.name for values in layout.operator_values]
        assert 0 < len(scenes) <= 10
        named += scenes
    assert named == [entry.identifier for entry in GALLERY]
    assert len(set(named)) == len(named)
