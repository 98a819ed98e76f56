# SPDX-License-Identifier: GPL-3.0-or-later
"""Stress as an attribute: von Mises' of a free surface, by the material."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError


def stresses(bpy, body):
    mesh = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    values = np.zeros(len(mesh.vertices), np.float32)
    mesh.attributes["xpbd_stress"].data.foreach_get("value", values)
    assert mesh.attributes["xpbd_stress_color"].data_type == "FLOAT_COLOR"
    return values


def deformed(bpy, body, matrix):
    """Show the mesh deformed by a matrix, in the world."""
    world = np.array(body.matrix_world)[:3, :3]
    body.shape_key_add(name="Basis")
    block = body.shape_key_add(name="Deformed")
    block.value = 1.0
    for point, vertex in zip(block.points, body.data.vertices, strict=True):
        point.co = np.linalg.solve(world, matrix @ world @ np.array(vertex.co))
    bpy.context.view_layer.update()


def flat(bpy, triangles, role="CLOTH"):
    """A flat, unevenly scaled and turned sheet of quadrilaterals or triangles."""
    import bmesh

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=3)
    body = bpy.context.object
    if triangles:
        shape = bmesh.new()
        shape.from_mesh(body.data)
        bmesh.ops.triangulate(shape, faces=shape.faces[:])
        shape.to_mesh(body.data)
        shape.free()
    body.scale, body.rotation_euler = (2.0, 0.5, 1.0), (0.0, 0.0, 0.4)
    body.xpbd.role = role
    bpy.context.view_layer.update()
    return body


def von_mises(matrix, modulus, ratio):
    """By the principal stretches and the law of plane stress itself."""
    first, second = np.linalg.svd(matrix[:2, :2], compute_uv=False) - 1.0
    k = modulus / (1.0 - ratio**2)
    a, b = k * (first + ratio * second), k * (second + ratio * first)
    return np.sqrt(a * a - a * b + b * b)


DEFORMATIONS = {
    "stretched": np.diag((1.2, 1.0, 1.0)),
    "uniaxial": np.diag((1.1, 1.0 - 0.1 * 0.3, 1.0)),
    "squashed": np.diag((0.8, 0.9, 1.0)),
    "sheared": np.array([[1.0, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    "turned": np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]),
}


@pytest.mark.parametrize("name", DEFORMATIONS)
@pytest.mark.parametrize("triangles", [False, True])
def test_it_is_that_of_plane_stress(bpy, name, triangles):
    from blender_xpbd.addon.keys.stress_map import elasticity, show_stress

    body = flat(bpy, triangles)
    deformed(bpy, body, DEFORMATIONS[name])
    show_stress(body, 0.0, "XPBD")
    modulus, ratio = elasticity(body, "XPBD")
    assert (modulus, ratio) == pytest.approx((body.xpbd.stretch_stiffness, 0.3))
    # in single precision a square root of what cancels
    np.testing.assert_allclose(
        stresses(bpy, body), von_mises(DEFORMATIONS[name], modulus, ratio), rtol=2e-3, atol=2e-3 * modulus
    )


def test_jelly_goes_by_its_modulus_and_uniaxial_tension_is_hookes(bpy):
    from blender_xpbd.addon.keys.stress_map import elasticity, show_stress

    body = flat(bpy, False, "JELLY")
    body.xpbd.preset = "RUBBER"
    modulus, ratio = elasticity(body, "XPBD")
    assert modulus == pytest.approx(body.xpbd.youngs_modulus)
    deformed(bpy, body, np.diag((1.1, 1.0 - 0.1 * ratio, 1.0)))
    show_stress(body, 0.0, "XPBD")
    np.testing.assert_allclose(stresses(bpy, body), 0.1 * modulus, rtol=2e-3)


def test_the_ratio_of_cloth_is_the_solvers():
    from blender_xpbd.addon.keys.stress_map import _CLOTH_RATIO
    from blender_xpbd.bodies.cloth import MEMBRANE_POISSONS_RATIO

    assert _CLOTH_RATIO == MEMBRANE_POISSONS_RATIO


@pytest.mark.parametrize("case", ["experts", "PBD", "strand"])
def test_what_has_no_stiffness_in_units_is_told(bpy, make_body, case):
    from blender_xpbd.addon.keys.stress_map import elasticity

    body = make_body("A", role="GRAINS" if case == "strand" else "JELLY")
    if case == "experts":
        body.xpbd.preset = "CUSTOM"
    with pytest.raises(XpbdError, match="E_PARAM") as caught:
        elasticity(body, "PBD" if case == "PBD" else "XPBD")
    assert caught.value.object_name == "A"


def test_the_operator_shows_one_of_both_and_takes_it_back(bpy, make_body, select):
    from blender_xpbd.addon.keys.strain_map import STRAIN, STRESS, shown_map

    body = make_body("A")
    select(body)
    assert bpy.ops.xpbd.show_stress(full_stress=50.0) == {"FINISHED"}
    assert shown_map(body) == STRESS
    assert bpy.context.scene.xpbd.show_strain
    bpy.ops.xpbd.show_strain()
    assert shown_map(body) == STRAIN
    assert len(body.modifiers) == 1
    bpy.ops.xpbd.show_stress()
    bpy.ops.xpbd.show_stress()
    assert shown_map(body) == ""
    assert not body.modifiers
    assert not body.add_rest_position_attribute
    body.xpbd.preset = "CUSTOM"
    assert bpy.ops.xpbd.show_stress() == {"CANCELLED"}


def test_what_has_no_stiffness_hinders_nobody(bpy, make_body, select):
    from blender_xpbd.addon.keys.strain_map import STRESS, shown_map

    bodies = [make_body(name) for name in "ABC"]
    bodies[1].xpbd.preset = "CUSTOM"
    select(*bodies)
    assert bpy.ops.xpbd.show_stress() == {"FINISHED"}
    assert [shown_map(body) for body in bodies] == [STRESS, "", STRESS]
    # one that shows it, and has lost its stiffness since
    bodies[2].xpbd.preset = "CUSTOM"
    assert bpy.ops.xpbd.show_stress() == {"FINISHED"}
    assert [shown_map(body) for body in bodies] == ["", "", ""]
