# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh as arrays."""

from __future__ import annotations

import numpy as np


def test_own_shape_keys_make_the_rest_shape(bpy, make_body, read):
    body = make_body()
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="Smile")
    smile.points[3].co = (2.0, 3.0, 4.0)
    frown = body.shape_key_add(name="Frown")
    frown.points[3].co = (2.0, 3.0, 6.0)
    frown.relative_key = smile
    half = body.vertex_groups.new(name="Half")
    half.add([3], 0.5, "REPLACE")
    frown.vertex_group = "Half"
    smile.value, frown.value = 0.5, 0.25
    bpy.context.view_layer.update()
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shown = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    np.testing.assert_allclose(read().scene.bodies[0].positions, shown, atol=1e-6)
    smile.mute = True
    bpy.context.view_layer.update()
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    shown = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    np.testing.assert_allclose(read().scene.bodies[0].positions, shown, atol=1e-6)


def test_an_armature_before_a_subdivision_is_fine(bpy, make_body, read):
    body = make_body()
    body.modifiers.new("Armature", "ARMATURE")
    body.modifiers.new("Subdivision", "SUBSURF")
    read()
