# SPDX-License-Identifier: GPL-3.0-or-later
"""*Feels Like*: the modulus goes with the length, whatever turns or scales the object."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from tests.solver.scenes import cloth, jelly_cube, scene

MODULUS = 60e3


@pytest.fixture
def jelly(bpy):
    bpy.ops.mesh.primitive_cube_add(size=2.0, scale=(1.0, 1.0, 2.0), rotation=(0.3, 0.7, 0.2))
    obj = bpy.context.object
    obj.xpbd.role = "JELLY"
    return obj


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
def test_the_modulus_goes_with_the_length(bpy, jelly, read, scale_length):
    bpy.context.scene.unit_settings.system, bpy.context.scene.unit_settings.scale_length = "METRIC", scale_length
    assert read().scene.bodies[0].material.youngs_modulus == pytest.approx(MODULUS)
    jelly.xpbd.feels_like = 0.5
    assert read().scene.bodies[0].material.youngs_modulus == pytest.approx(MODULUS * 4.0 / 0.5)
    jelly.xpbd.role = "CLOTH"
    assert jelly.xpbd.feels_like == 0.5
    assert read().scene.bodies[0].material.youngs_modulus == pytest.approx(MODULUS)


def test_a_keyed_modulus_is_scaled_too(jelly, read):
    jelly.xpbd.feels_like = 0.5
    jelly.xpbd.preset = "MATERIAL"
    for frame, value in ((1, 1e4), (5, 3e4)):
        jelly.xpbd.youngs_modulus = value
        jelly.keyframe_insert("xpbd.youngs_modulus", frame=frame)
    made = read().scene
    (track,) = made.tracks
    np.testing.assert_allclose(track.values[[0, -1]], [8e4, 24e4], rtol=1e-6)
    assert made.bodies[0].material.youngs_modulus == track.values[0]


@pytest.mark.parametrize(("length", "share", "digits"), [(10.0, 0.86, 1.0), (0.01, 0.00086, 1.0), (2.4, 0.2, 1.0)])
def test_what_it_should_feel_like_is_round(bpy, length, share, digits):
    from blender_xpbd.addon.reading.feel import wobbly_length

    assert wobbly_length(length, share) == pytest.approx(digits)


def test_a_compliance_has_no_modulus_to_be_scaled(jelly, read):
    jelly.xpbd.feels_like = 0.5
    jelly.xpbd.preset = "CUSTOM"
    reading = read()
    assert reading.scene.bodies[0].material.youngs_modulus == pytest.approx(MODULUS)
    assert {notice.code for notice in reading.notices}.isdisjoint({"W_SIZE", "W_FEEL"})


def looks(made, factor=1.0, keyed=()):
    from blender_xpbd.addon.reading.feel import look_notices

    return [(notice.code, notice.message) for notice in look_notices(made, {"b0": factor}, set(keyed))]


@pytest.mark.parametrize(
    ("size", "is_told"), [(10.0, "squashed flat"), (2.0, "squashed flat"), (1.0, ""), (0.1, ""), (0.01, "hard")]
)
def test_a_jelly_that_does_not_look_like_one(bpy, size, is_told):
    told = looks(scene(jelly_cube(size)))
    assert [code for code, _ in told] == (["W_SIZE"] if is_told else [])
    assert all(is_told in message for _, message in told)
    assert looks(replace(scene(jelly_cube(size)), gravity=np.zeros(3))) == []
    assert looks(scene(jelly_cube(size)), keyed=["b0"]) == []


def test_what_is_no_soft_material_is_meant_to_be_hard(bpy):
    assert looks(scene(replace(jelly_cube(0.01), material=Material(youngs_modulus=1.5e6)))) == []
    assert looks(scene(cloth(10))) == []


def test_a_bake_tells_of_another_stiffness(jelly, read):
    def told():
        return [notice.message for notice in read().notices if notice.code in {"W_SIZE", "W_FEEL"}]

    assert "squashed flat" in told()[0]
    jelly.xpbd.feels_like = 0.5
    (message,) = told()
    assert "of 0.5 m, 8 times as stiff" in message


def test_what_melts_is_meant_to_be_flat(jelly, read):
    jelly.xpbd.preset = "MATERIAL"
    for frame, value in ((1, 6e4), (5, 1e3)):
        jelly.xpbd.youngs_modulus = value
        jelly.keyframe_insert("xpbd.youngs_modulus", frame=frame)
    assert "W_SIZE" not in {notice.code for notice in read().notices}


@pytest.mark.parametrize("role", ["JELLY", "CLOTH", "GRAINS"])
@pytest.mark.parametrize("has_neighbour", [False, True])
def test_a_mesh_without_vertices_is_a_fault_and_no_error(bpy, jelly, read, role, has_neighbour):
    if not has_neighbour:
        bpy.data.objects.remove(jelly)
    empty = bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Empty Mesh"))
    bpy.context.scene.collection.objects.link(empty)
    empty.xpbd.role = role
    with pytest.raises(XpbdError) as caught:
        read()
    assert caught.value.code == "E_GEOM_EMPTY"
    bpy.ops.xpbd.check()
    assert "E_GEOM_EMPTY" in bpy.context.scene.xpbd.findings
