# SPDX-License-Identifier: GPL-3.0-or-later
"""*Feels Like*: the modulus goes with the length, whatever turns or scales the object."""

import numpy as np
import pytest

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
    scene = read().scene
    (track,) = scene.tracks
    np.testing.assert_allclose(track.values[[0, -1]], [8e4, 24e4], rtol=1e-6)
    assert scene.bodies[0].material.youngs_modulus == track.values[0]


@pytest.mark.parametrize(("length", "share", "digits"), [(10.0, 0.86, 0.9), (0.01, 0.00086, 0.9), (2.0, 0.16, 1.0)])
def test_what_it_should_feel_like_has_one_digit(bpy, length, share, digits):
    from blender_xpbd.addon.reading.feel import wobbly_length

    assert wobbly_length(length, share) == pytest.approx(digits)
