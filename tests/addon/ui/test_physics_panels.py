# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of an object in the Physics tab."""

from __future__ import annotations

from blender_xpbd.scene.body_kinds import body_roles
from tests.addon.recorded_layout import draw


def shown(bpy):
    from blender_xpbd.addon.ui import physics_panels

    return [panel.bl_label for panel in physics_panels.CLASSES if panel.poll(bpy.context)]


def test_panels_go_by_the_role(bpy, make_body, select):
    assert shown(bpy) == []
    body = make_body(role="JELLY")
    select(body)
    names = ["XPBD", "Material", "Structure", "Motion", "Pins", "Goal", "Pose Targets", "Vertex Groups", "Cage"]
    others = ["Collision", "Forces", "Links", "Plasticity and Tearing", "Solver Mode", "Rebake Region"]
    assert shown(bpy) == names + others
    body.xpbd.role = "COLLIDER"
    assert shown(bpy) == ["XPBD", "Collision"]


def test_all_that_is_of_one_object_is_there(bpy, make_body, select):
    """The sidebar shows a panel of an object only while one is active."""
    from blender_xpbd.addon.ui import panels

    of_scene = {panel for panel in panels.CLASSES if panel.poll(bpy.context)}
    for role in (*body_roles(), "COLLIDER"):
        select(make_body(role=role))
        own = [panel.bl_label for panel in panels.CLASSES if panel.poll(bpy.context) and panel not in of_scene]
        assert shown(bpy) == ["XPBD", *own]


def test_they_draw_what_the_sidebar_draws(bpy, make_body, select):
    from blender_xpbd.addon.ui import panels, physics_panels

    select(make_body(role="CLOTH"))
    layout = draw(physics_panels.CLASSES[0])
    assert {name for name, _ in layout.operators} == {"xpbd.set_role"}
    assert layout.menus == ["XPBD_MT_material"]
    # the tab is as narrow as the sidebar
    assert " ".join(words for words in layout.words if words).endswith(
        "Bake and Play: sidebar of the viewport (N) › XPBD"
    )
    assert max(map(len, layout.words)) < 45
    assert draw(physics_panels.CLASSES[1]).words == draw(panels.XPBD_PT_material).words
    assert hasattr(bpy.types, "XPBD_PT_physics_material")
