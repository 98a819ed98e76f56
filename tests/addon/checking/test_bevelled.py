# SPDX-License-Identifier: GPL-3.0-or-later
"""A strand whose bevel is thicker than its radius is told of what it would sink into."""

from __future__ import annotations

import pytest

from tests.addon.strands import make_curve


@pytest.fixture
def found(named_by):
    return named_by("W_THICKENED")


def rope(depth, height=1.0):
    obj = make_curve(("POLY",))
    obj.location.z, obj.data.bevel_depth = height, depth
    return obj


@pytest.mark.parametrize(("depth", "is_told"), [(0.0, False), (0.005, False), (0.05, True)])
def test_a_thick_bevel_sinks_into_the_floor(bpy, found, depth, is_told):
    """The radius is 5 mm."""
    obj = rope(depth)
    assert found() == []
    bpy.context.scene.xpbd.use_floor = True
    told = found()
    assert [name for name, *_ in told] == ([obj.name] if is_told else [])
    assert all(len(names) == 1 for _, *names in told)


def test_a_ribbon_sinks_in_as_well_and_can_be_cloth(bpy, found):
    """An extruded curve sank into the floor by all its extrusion, without a word."""
    obj = rope(0.0)
    obj.data.extrude = 0.3
    bpy.context.scene.xpbd.use_floor = True
    assert [name for name, *_ in found()] == [obj.name]
    assert "Its extrusion shows it 0.3 m thick" in bpy.context.scene.xpbd.findings
    assert "ribbon of it that can be Cloth" in bpy.context.scene.xpbd.findings


@pytest.mark.parametrize("unit_scale", [1.0, 0.1])
def test_make_room_gives_it_the_radius_that_is_shown(bpy, found, unit_scale):
    bpy.context.scene.unit_settings.scale_length = unit_scale
    obj = rope(0.2)
    obj.scale = (2.0, 2.0, 2.0)
    for point in obj.data.splines[0].points:
        point.radius = 0.5
    bpy.context.scene.xpbd.use_floor = True
    assert len(found()) == 1
    assert bpy.ops.xpbd.make_room(object_name=obj.name) == {"FINISHED"}
    assert obj.xpbd.radius == pytest.approx(0.2)
    assert found() == []
    assert bpy.ops.xpbd.make_room(object_name=obj.name) == {"CANCELLED"}


def test_what_it_meets_is_named(bpy, found):
    obj = rope(0.05)
    bpy.ops.mesh.primitive_cube_add(size=0.5)
    bpy.context.object.name, bpy.context.object.xpbd.role = "Box", "COLLIDER"
    assert found() == [(obj.name, "Box")]
    bpy.context.object.xpbd.role = "JELLY"
    assert found() == [(obj.name, "Box")]
    bpy.context.object.location.x = 50.0
    assert found() == []
