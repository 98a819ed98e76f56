# SPDX-License-Identifier: GPL-3.0-or-later
"""The same thing modelled in metres, centimetres and millimetres is the same simulation, or is told not to be."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from blender_xpbd.addon.measures.solid_measures import mean_edge

GAP, RADIUS = 0.005, 0.002


@pytest.fixture
def units(bpy):
    """A function that sets metres per Blender unit."""

    def choose(scale_length, system="METRIC"):
        scene = bpy.context.scene
        scene.unit_settings.system, scene.unit_settings.scale_length = system, scale_length
        return scene

    return choose


@pytest.mark.parametrize("scale_length", [0.001, 0.01, 1000.0])
@pytest.mark.parametrize("role", ["CLOTH", "JELLY", "STRAND", "GRAINS"])
def test_all_that_is_read_is_as_in_metres(bpy, make_body, units, read, role, scale_length):
    def scene_at(scale):
        scene = units(scale)
        scene.gravity = (0.0, 0.0, -9.81 / scale)
        scene.xpbd.use_floor = True
        mesh = None
        if role == "STRAND":
            mesh = bpy.data.meshes.new("Line")
            mesh.from_pydata([(0.1 * number, 0.0, 0.0) for number in range(5)], [(i, i + 1) for i in range(4)], [])
        obj = make_body("Body", role=role, mesh=mesh, location=(0.0, 0.0, 1.0 / scale), scale=(1.0 / scale,) * 3)
        found = read()
        bpy.data.objects.remove(obj)
        return found

    metres, other = scene_at(1.0), scene_at(scale_length)
    (body,), (again,) = metres.scene.bodies, other.scene.bodies
    np.testing.assert_allclose(again.positions, body.positions, atol=1e-6)
    np.testing.assert_allclose(other.scene.gravity, metres.scene.gravity, rtol=1e-6)
    for name, value in body.material.values().items():
        expected = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
        assert getattr(again.material, name) == expected, name
    assert [one.code for one in other.notices] == [one.code for one in metres.notices]


def test_lengths_that_nobody_has_typed(make_body, units):
    units(0.001)
    own = make_body(role="NONE").xpbd
    own.role = "CLOTH"
    assert (own.contact_offset, own.radius) == pytest.approx((5.0, 2.0))
    own.role = "JELLY"
    assert own.contact_offset == pytest.approx(5.0)
    assert not own.is_property_set("radius")
    own.role = "CLOTH"
    own.role = "GRAINS"
    assert not own.is_property_set("radius"), "grains are as large as fits"
    typed = make_body(role="NONE").xpbd
    typed.contact_offset = 0.3
    typed.role = "CLOTH"
    assert typed.contact_offset == pytest.approx(0.3)


@pytest.mark.parametrize(("scale_length", "system"), [(1.0, "METRIC"), (0.001, "NONE")])
def test_a_unit_that_is_a_metre(make_body, units, scale_length, system):
    units(scale_length, system)
    own = make_body(role="CLOTH").xpbd
    assert not own.is_property_set("contact_offset")
    own.role = "STRAND"
    assert own.radius == pytest.approx(RADIUS if own.preset == "MATERIAL" else 0.005)


def test_gravity_of_millimetres(bpy, make_body, units, codes, read):
    scene = units(0.001)
    scene.xpbd.use_floor = True
    scene.gravity = (0.0, 9.81 * math.sin(0.5), -9.81 * math.cos(0.5))
    make_body(location=(0.0, 0.0, 2000.0), scale=(1000.0,) * 3)
    assert "W_UNITS" in [notice.code for notice in read().notices], "a bake tells it, too"
    assert "W_UNITS" in codes()
    assert bpy.ops.xpbd.set_gravity() == {"FINISHED"}
    assert "W_UNITS" not in codes()
    np.testing.assert_allclose(read().scene.gravity, [0.0, 9.81 * math.sin(0.5), -9.81 * math.cos(0.5)], rtol=1e-5)


@pytest.mark.parametrize(("scale_length", "gravity"), [(1.0, 9.81), (0.001, 9810.0), (0.001, 0.0), (0.01, 1.62)])
def test_gravity_that_was_meant(make_body, units, codes, scale_length, gravity):
    units(scale_length).gravity = (0.0, 0.0, -gravity)
    make_body(scale=(1.0 / scale_length,) * 3)
    assert "W_UNITS" not in codes()


def test_gravity_that_is_animated_is_left(bpy, make_body, units):
    scene = units(0.01)
    scene.keyframe_insert("gravity", frame=1)
    make_body(scale=(100.0,) * 3)
    assert bpy.ops.xpbd.set_gravity() == {"CANCELLED"}
    assert scene.gravity[2] == pytest.approx(-9.81)


@pytest.mark.parametrize("role", ["CLOTH", "JELLY"])
def test_a_gap_that_is_far_too_small(bpy, make_body, units, codes, role):
    obj = make_body("Body", role=role, scale=(500.0,) * 3)
    assert not obj.xpbd.is_property_set("contact_offset")
    scene = units(0.001)
    scene.gravity, scene.xpbd.use_floor = (0.0, 0.0, -9810.0), True
    assert "W_GAP" not in codes(), "a floor lets nothing through"
    make_body("Wall", role="COLLIDER", location=(0.0, 0.0, -5000.0))
    assert "W_GAP" in codes(), "the unit was chosen after the role"
    assert bpy.ops.xpbd.set_contact_distance(object_name="Body") == {"FINISHED"}
    assert "W_GAP" not in codes()
    assert obj.xpbd.contact_offset * 0.001 == pytest.approx(GAP)


def test_a_gap_that_is_small_for_a_large_mesh(bpy, make_body, codes):
    """It is the default one, so that is not what is told to do."""
    obj = make_body("Body", scale=(100.0,) * 3)
    make_body("Wall", role="COLLIDER", location=(0.0, 0.0, -5.0))
    assert "W_GAP" in codes()
    (text,) = (row["message"] for row in json.loads(bpy.context.scene.xpbd.findings) if row["code"] == "W_GAP")
    bpy.ops.xpbd.set_contact_distance(object_name="Body")
    assert obj.xpbd.contact_offset > 0.1
    assert f"{obj.xpbd.contact_offset:.2g} m would do" in text
    assert "W_GAP" not in codes()
    obj.xpbd.contact_offset = 0.0
    assert "W_GAP" not in codes(), "it was typed"


def test_only_what_meets_something_is_told_of_its_gap(bpy, make_body, codes):
    body, other = make_body("Body", scale=(100.0,) * 3), make_body("Other", scale=(100.0,) * 3, location=(0, 0, 500.0))

    def told():
        codes()
        rows = json.loads(bpy.context.scene.xpbd.findings)
        return [row["object"] for row in rows if row["code"] == "W_GAP"]

    for obj in (body, other):
        obj.xpbd.use_body_collision = False
    assert told() == []
    body.xpbd.use_self_collision = True
    assert told() == ["Body"]
    other.xpbd.use_body_collision = True
    assert told() == ["Body"], "the other one meets nobody"
    body.xpbd.use_body_collision = True
    assert sorted(told()) == ["Body", "Other"]


def test_nothing_whose_gap_could_be_set(bpy, make_body):
    make_body("Grains", role="GRAINS")
    assert bpy.ops.xpbd.set_contact_distance(object_name="Grains") == {"CANCELLED"}
    assert bpy.ops.xpbd.set_contact_distance(object_name="Nobody") == {"CANCELLED"}


def test_grains_fill_a_mesh_of_millimetres(bpy, units):
    units(0.001)
    bpy.ops.mesh.primitive_cube_add(size=100.0)
    assert bpy.ops.xpbd.fill_with_grains(packing="LATTICE") == {"FINISHED"}
    # as many as of a cube of 10 cm in metres, each of 3.9 mm
    assert bpy.context.object.xpbd.radius == pytest.approx(3.9, rel=1e-3)


def test_the_mean_edge_counts_each_edge_once():
    points = np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [4, 0, 0]], float)
    faces, corners = np.array([4, 3], np.int32), np.array([0, 1, 2, 3, 1, 4, 2], np.int32)
    assert mean_edge(points, faces, corners) == pytest.approx((2 + 1 + 2 + 1 + 2 + math.sqrt(5)) / 6)
    assert mean_edge(points, faces[:0], corners[:0]) == 0.0
