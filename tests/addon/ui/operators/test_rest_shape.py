# SPDX-License-Identifier: GPL-3.0-or-later
"""Set as Rest Shape, and the button that mutes deformers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.addon.deformers import animate


def shown(bpy, obj):
    """What the object shows at the present frame, shape (vertices, 3)."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co[:] for vertex in mesh.vertices])


@pytest.fixture
def baked(bpy, make_body, select, short, fake_worker):
    """Bakes an object and goes to frame 4."""

    def bake(obj):
        select(obj)
        assert bpy.ops.xpbd.bake() == {"FINISHED"}
        bpy.context.scene.frame_set(4)
        return shown(bpy, obj)

    return bake


def test_the_mesh_gets_the_shape_that_is_shown(bpy, make_body, baked):
    body = make_body("Body")
    before = shown(bpy, body)
    shape = baked(body)
    assert np.abs(shape - before).max() > 0.01
    assert bpy.ops.xpbd.set_rest_shape() == {"FINISHED"}
    assert body.data.shape_keys is None
    assert not body.xpbd.bake_record
    np.testing.assert_allclose(shown(bpy, body), shape, atol=1e-6)


@pytest.mark.parametrize("is_animated", [False, True])
def test_own_shape_keys_keep_what_they_add(bpy, make_body, baked, is_animated):
    body = make_body("Body")
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="Up")
    for point in key.points:
        point.co.z += 1.0
    key.value = 0.5
    if is_animated:
        animate(key, "value", {1: 0.0, 5: 1.0})
    shape = baked(body)
    bpy.ops.xpbd.set_rest_shape()
    blocks = body.data.shape_keys.key_blocks
    assert [block.name for block in blocks] == ["Basis", "Up"]
    np.testing.assert_allclose([b.co.z - a.co.z for a, b in zip(*(block.points for block in blocks), strict=True)], 1.0)
    np.testing.assert_allclose(shown(bpy, body), shape, atol=1e-6)


def test_what_is_not_baked_has_no_such_shape(bpy, make_body, select):
    select(make_body("Body"))
    assert not bpy.ops.xpbd.set_rest_shape.poll()


def test_a_shared_mesh_is_left_alone(bpy, make_body, baked, select):
    body = make_body("Body")
    baked(body)
    make_body("Other", mesh=body.data, role="NONE")
    select(body)
    assert bpy.ops.xpbd.set_rest_shape() == {"CANCELLED"}
    assert body.xpbd.bake_record


def test_mute_is_what_a_check_offers(bpy, make_body, select):
    target, body = make_body("Target", role="NONE", location=(0.0, 0.0, -0.2)), make_body("Body")
    body.modifiers.new("Surface", "SURFACE_DEFORM").target = target
    with bpy.context.temp_override(object=body, active_object=body):
        bpy.ops.object.surfacedeform_bind(modifier="Surface")
    body.xpbd.goal_source = "DEFORMED"
    bpy.ops.xpbd.check()
    codes = [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]
    assert "W_DEFORMER" in codes
    assert bpy.ops.xpbd.mute_deformers(object_name="Body") == {"FINISHED"}
    assert body.xpbd.mute_deformers
    assert "W_DEFORMER" not in [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]
    assert bpy.ops.xpbd.mute_deformers(object_name="Nobody") == {"CANCELLED"}
