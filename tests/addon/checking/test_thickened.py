# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that Solidify shows thicker than its gap is told of what it would sink into."""

from __future__ import annotations

import math

import pytest


@pytest.fixture
def found(named_by):
    return named_by("W_THICKENED")


def sheet(bpy, thickness=0.02, offset=-1.0, name="Sheet", height=1.0, cells=10):
    """A level sheet of 1 m, whose edges are 10 cm long, and a modifier that shows it thick."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=1.0, location=(0.0, 0.0, height))
    obj = bpy.context.object
    obj.name, obj.xpbd.role = name, "CLOTH"
    modifier = obj.modifiers.new("Solidify", "SOLIDIFY")
    modifier.thickness, modifier.offset = thickness, offset
    return obj


def box(bpy, role="COLLIDER", location=(0.0, 0.0, 0.0)):
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=location)
    obj = bpy.context.object
    obj.name, obj.xpbd.role = "Box", role
    return obj


@pytest.mark.parametrize("role", ["COLLIDER", "JELLY"])
def test_it_sinks_into_what_it_falls_on(bpy, found, role):
    sheet(bpy)
    assert found() == []
    obj = box(bpy, role)
    assert found() == [("Sheet", "Box")]
    obj.location.x = 5.0
    assert found() == []


def test_what_falls_onto_it_is_told(bpy, found):
    hung = sheet(bpy)
    hung.vertex_groups.new(name="Pins").add([0, 9], 1.0, "REPLACE")
    hung.xpbd.pin_group = "Pins"
    obj = box(bpy, "JELLY", (0.0, 0.0, 9.0))
    assert found() == [("Sheet", "Box")]
    obj.location.x = 5.0
    assert found() == []


@pytest.mark.parametrize(("thickness", "offset", "is_told"), [(0.004, -1.0, False), (0.004, 0.0, False),
    (0.008, 1.0, True), (-0.008, 0.0, False), (-0.016, 0.0, True), (0.02, 0.0, True)])  # fmt: skip
def test_it_goes_by_the_side_that_is_thicker(bpy, found, thickness, offset, is_told):
    """The gap is 5 mm."""
    sheet(bpy, thickness, offset)
    box(bpy)
    assert found() == ([("Sheet", "Box")] if is_told else [])


def test_a_floor_counts_where_the_cloth_comes_to_it(bpy, found):
    obj = sheet(bpy, height=9.0)
    bpy.context.scene.xpbd.use_floor = True
    (told,) = found()
    assert told[0] == "Sheet"
    obj.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
    obj.xpbd.pin_group = "Pins"
    assert found() == [], "it hangs 9 m above it"


@pytest.mark.parametrize(("held", "lowest", "is_told"), [("top", 0.75, False), ("top", 0.05, True),
    ("side", 0.75, False), ("side", 0.3, True), ("", 0.75, True)])  # fmt: skip
def test_what_hangs_on_pins_comes_no_farther_than_the_cloth(bpy, found, held, lowest, is_told):
    """A curtain or a flag of 1 m, which hangs down as far as its diagonal from the upper pin, over a floor."""
    obj = sheet(bpy)
    obj.rotation_euler.x, obj.location.z = 0.5 * math.pi, lowest + 0.5
    bpy.context.scene.xpbd.use_floor = True
    if held:
        axis, end = (1, 0.5) if held == "top" else (0, -0.5)
        pins = [one.index for one in obj.data.vertices if abs(one.co[axis] - end) < 1e-6]
        obj.vertex_groups.new(name="Pins").add(pins, 1.0, "REPLACE")
        obj.xpbd.pin_group = "Pins"
    assert [name for name, *_ in found()] == (["Sheet"] if is_told else [])
    if held:
        obj.vertex_groups["Pins"].add(pins, 0.5, "REPLACE")
        assert len(found()) == 1, "soft pins give way"


def test_layers_need_room_for_both(bpy, found):
    """Of 4 mm each, at 5 mm."""
    sheet(bpy, 0.004, name="Lower")
    other = sheet(bpy, 0.004, name="Upper", height=1.1)
    assert sorted(found()) == [("Lower", "Upper"), ("Upper", "Lower")]
    other.modifiers.clear()
    assert found() == []
    bpy.data.objects["Lower"].xpbd.use_self_collision = True
    assert found() == [("Lower", "Lower")]


def test_each_body_is_measured_once_however_many_it_meets(bpy, found, measured):
    for number in range(4):
        sheet(bpy, 0.004, name=f"Sheet{number}", height=1.0 + 0.1 * number)
        box(bpy, location=(0.0, 0.0, -0.5 * number))
    sheet(bpy, 0.004, name="Far").location.x = 50.0
    assert [name for name, *_ in found()] == [f"Sheet{number}" for number in range(4)]
    assert len(measured) == 4, "nothing is near the one that is far"


def test_what_is_not_shown_and_what_is_scaled(bpy, found):
    obj = sheet(bpy, 0.004)
    box(bpy)
    obj.scale = (2.0, 2.0, 2.0)
    assert found() == [("Sheet", "Box")]
    obj.modifiers[0].show_viewport = False
    assert found() == [("Sheet", "Box")], "renders show it"
    obj.modifiers[0].show_render = False
    assert found() == []


@pytest.mark.parametrize(("unit_scale", "gap"), [(1.0, 0.02), (0.1, 0.05)])
def test_one_click_makes_room(bpy, found, unit_scale, gap):
    """In units of 10 cm the gap of 5 mm is wide enough for colliders, and stays."""
    bpy.context.scene.unit_settings.scale_length = unit_scale
    obj = sheet(bpy)
    obj.xpbd.use_self_collision = True
    box(bpy, "JELLY")
    bpy.context.scene.xpbd.use_floor = True
    assert len(found()) == 1
    assert bpy.ops.xpbd.make_room(object_name="Sheet") == {"FINISHED"}
    assert obj.xpbd.contact_offset == pytest.approx(gap)
    assert obj.xpbd.thickness == pytest.approx(0.04)
    assert found() == []


def test_a_wider_gap_stays(bpy, found):
    """Only its own layers come too near."""
    obj = sheet(bpy, 0.012)
    obj.xpbd.contact_offset, obj.xpbd.thickness, obj.xpbd.use_self_collision = 0.024, 0.01, True
    box(bpy)
    assert found() == [("Sheet", "Sheet")]
    assert bpy.ops.xpbd.make_room(object_name="Sheet") == {"FINISHED"}
    assert obj.xpbd.contact_offset == pytest.approx(0.024)
    assert obj.xpbd.thickness == pytest.approx(0.024)
    assert found() == []


def test_a_coarse_mesh_has_no_room(bpy, found):
    obj = sheet(bpy, cells=4, thickness=0.1)
    box(bpy)
    assert found() == [("Sheet", "Box")]
    # the button would only refuse, so the finding promises nothing
    bpy.ops.xpbd.check()
    assert "Make Room" not in bpy.context.scene.xpbd.findings
    assert "subdivide it" in bpy.context.scene.xpbd.findings
    assert bpy.ops.xpbd.make_room(object_name="Sheet") == {"CANCELLED"}
    assert obj.xpbd.contact_offset == pytest.approx(0.005)
    obj.modifiers.clear()
    assert bpy.ops.xpbd.make_room(object_name="Sheet") == {"CANCELLED"}
