# SPDX-License-Identifier: GPL-3.0-or-later
"""``OBJECT.PROPERTY=VALUE`` by the type of the property."""

from __future__ import annotations

import pytest

from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def assign(bpy):
    from blender_xpbd.addon.data.property_text import set_property

    return lambda text: set_property(bpy.context.scene, text)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("friction=0.25", "friction", 0.25),
        ("cage_resolution=12", "cage_resolution", 12),
        ("role=JELLY", "role", "JELLY"),
        ("pin_group=a=b.c", "pin_group", "a=b.c"),
        ("initial_velocity=1, 2 3", "initial_velocity", (1.0, 2.0, 3.0)),
    ],
)
@pytest.mark.parametrize("name", ["Cube", "Cube.001", "a.b=c.d", "Wo rd: ü/.."])
def test_objects(make_body, assign, name, text, attribute, value):
    body = make_body(name)
    assign(f"{name}.{text}")
    found = getattr(body.xpbd, attribute)
    assert (tuple(found) if isinstance(value, tuple) else found) == value


def test_the_scene(bpy, assign):
    assign("use_floor=yes")
    assign("floor_height=-1.5")
    assign("substeps=7")
    settings = bpy.context.scene.xpbd
    assert (settings.use_floor, settings.floor_height, settings.substeps) == (True, -1.5, 7)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Cube.friction", "E_PARAM"),
        ("Cube.frictoin=1", "E_PARAM"),
        ("Cube.friction=much", "E_PARAM"),
        ("Cube.friction=-1", "E_PARAM"),
        ("Cube.friction=nan", "E_PARAM"),
        ("Cube.cage_resolution=1.5", "E_PARAM"),
        ("Cube.cage_resolution=100000", "E_PARAM"),
        ("Cube.role=SOUP", "E_PARAM"),
        ("Cube.initial_velocity=1,2", "E_PARAM"),
        ("Cube.bake_record=x", "E_PARAM"),
        ("use_floor=maybe", "E_PARAM"),
        ("Cube.attach_object=Nobody", "E_PARAM"),
        ("Cube.collision_collection=Nowhere", "E_PARAM"),
        ("Cone.friction=1", "E_NOTHING"),
        ("=1", "E_NOTHING"),
    ],
)
def test_refusals(make_body, assign, text, code):
    make_body("Cube")
    with pytest.raises(XpbdError) as caught:
        assign(text)
    assert caught.value.code == code


def test_a_value_of_the_material_goes_before_the_preset(make_body, assign):
    body = make_body("Cube", role="JELLY")
    assert body.xpbd.preset == "JELLY_MEDIUM"
    assign("Cube.friction=0.1")
    assert body.xpbd.preset == "JELLY_MEDIUM"
    assign("Cube.youngs_modulus=1000")
    assert (body.xpbd.preset, body.xpbd.youngs_modulus) == ("MATERIAL", 1000.0)
    assign("Cube.stretch_compliance=0.4")
    assert body.xpbd.preset == "CUSTOM"
    assign("Cube.density=1")
    assert body.xpbd.preset == "CUSTOM"
    assign("Cube.youngs_modulus=1000")
    assert body.xpbd.preset == "MATERIAL"


def test_an_object_is_given_by_its_name(make_body, assign):
    body, jelly = make_body("Cube"), make_body("Jelly=1.001", role="JELLY")
    assign("Cube.attach_object=Jelly=1.001")
    assert body.xpbd.attach_object == jelly
    assign("Cube.attach_object=")
    assert body.xpbd.attach_object is None


def test_a_collection_by_its_name(bpy, make_body, assign):
    body, collection = make_body("Cube"), bpy.data.collections.new("Wal=ls.001")
    assign("Cube.collision_collection=Wal=ls.001")
    assert body.xpbd.collision_collection == collection
    assign("Cube.collision_collection=")
    assert body.xpbd.collision_collection is None
