# SPDX-License-Identifier: GPL-3.0-or-later
"""What the active object has is given to all that are selected."""

from __future__ import annotations

import pytest


@pytest.fixture
def several(bpy, make_body):
    """Two cloths and a jelly, all selected, the first active."""
    bodies = [make_body("A"), make_body("B"), make_body("C", role="JELLY")]
    for body in bodies:
        body.select_set(True)
    bpy.context.view_layer.objects.active = bodies[0]
    return bodies


def test_a_material_is_given_to_all_selected_objects_of_the_role(bpy, several):
    first, second, jelly = several
    before = jelly.xpbd.preset
    assert bpy.ops.xpbd.set_material(preset="SILK") == {"FINISHED"}
    assert (first.xpbd.preset, second.xpbd.preset, jelly.xpbd.preset) == ("SILK", "SILK", before)
    assert bpy.ops.xpbd.set_material(preset="RUBBER") == {"CANCELLED"}
    assert first.xpbd.preset == "SILK"


def test_all_settings_are_copied(bpy, several):
    first, second, jelly = several
    first.xpbd.preset = "MATERIAL"
    first.xpbd.area_density = 0.7
    first.xpbd.friction = 0.9
    first.xpbd.initial_velocity = (1.0, 2.0, 3.0)
    first.xpbd.attach_object = second
    first.vertex_groups.new(name="Pin")
    second.vertex_groups.new(name="Pin")
    first.xpbd.pin_group = "Pin"
    first.xpbd.bake_record = "its own"
    assert bpy.ops.xpbd.copy_settings() == {"FINISHED"}
    for body in (second, jelly):
        assert (body.xpbd.role, body.xpbd.preset) == ("CLOTH", "MATERIAL")
        assert body.xpbd.area_density == pytest.approx(0.7)
        assert body.xpbd.friction == pytest.approx(0.9)
        assert tuple(body.xpbd.initial_velocity) == (1.0, 2.0, 3.0)
        assert body.xpbd.bake_record == ""
    assert (second.xpbd.pin_group, jelly.xpbd.pin_group) == ("Pin", "")
    assert (second.xpbd.attach_object, jelly.xpbd.attach_object) == (None, second)


def test_a_named_material_stays_named(bpy, several):
    first, second, _ = several
    second.xpbd.preset = "MATERIAL"
    second.xpbd.stretch_stiffness = 5.0
    first.xpbd.preset = "DENIM"
    bpy.ops.xpbd.copy_settings()
    assert second.xpbd.preset == "DENIM"
    assert second.xpbd.stretch_stiffness == first.xpbd.stretch_stiffness


def test_values_that_a_copied_material_has_shown_count_as_not_typed(bpy, several):
    from blender_xpbd.addon.baking.ignored_inputs import has_idle_stiffness

    first, second, _ = several
    first.xpbd.preset = "DENIM"
    first.xpbd.preset = "CUSTOM"
    assert not has_idle_stiffness(first.xpbd, "XPBD")
    bpy.ops.xpbd.copy_settings()
    assert second.xpbd.preset == "CUSTOM"
    assert not has_idle_stiffness(second.xpbd, "XPBD")


def test_nothing_is_copied_without_others(bpy, make_body, select):
    select(make_body("Alone"))
    assert not bpy.ops.xpbd.copy_settings.poll()


def test_play_is_refused_in_the_background(bpy, make_body, capfd):
    make_body("A")
    with pytest.raises(RuntimeError, match="E_WINDOW"):
        bpy.ops.xpbd.play()
    assert not bpy.ops.xpbd.keep.poll()


def test_what_was_never_typed_stays_so(bpy, make_body):
    """The radius of grains follows from their points where it is unset."""
    source, target = make_body("A", role="GRAINS"), make_body("B", role="GRAINS")
    target.xpbd.radius = 0.05
    for body in (target, source):
        body.select_set(True)
    bpy.context.view_layer.objects.active = source
    assert not source.xpbd.is_property_set("radius")
    assert bpy.ops.xpbd.copy_settings() == {"FINISHED"}
    assert not target.xpbd.is_property_set("radius")
    assert target.xpbd.radius == source.xpbd.radius
    source.xpbd.radius = 0.03
    bpy.ops.xpbd.copy_settings()
    assert target.xpbd.is_property_set("radius")
    assert target.xpbd.radius == source.xpbd.radius


def test_tooltips_come_without_the_class_s_rna():
    """From Blender 5.0 on the class has none of its properties there."""
    from types import SimpleNamespace

    from blender_xpbd.addon.ui.operators.play import XPBD_OT_play_control
    from blender_xpbd.addon.ui.operators.selected_objects import XPBD_OT_set_material

    for cls, values, words in (
        (XPBD_OT_set_material, {"preset": "SEEDS"}, "Peas, beans, rice. For all selected objects"),
        (XPBD_OT_play_control, {"action": "STEP"}, "Simulate a single frame"),
    ):
        alone = SimpleNamespace(bl_rna=SimpleNamespace(properties={}))
        assert cls.description.__func__(alone, None, SimpleNamespace(**values)).startswith(words)
