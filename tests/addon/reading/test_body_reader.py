# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of bodies, and their places in the world."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.transforms import transformed


def test_pin_groups_that_pin_nothing_or_everything(bpy, make_body, read):
    missing, empty, full = make_body("A"), make_body("B"), make_body("C")
    missing.xpbd.pin_group = "Nowhere"
    empty.vertex_groups.new(name="Pins")
    full.vertex_groups.new(name="Pins").add(range(25), 1.0, "REPLACE")
    empty.xpbd.pin_group = full.xpbd.pin_group = "Pins"
    reading = read()
    assert [(notice.code, notice.object_name) for notice in reading.notices] == [
        ("W_PIN_GROUP", "A"),
        ("W_PIN_GROUP", "B"),
        ("W_ALL_PINNED", "C"),
    ]
    assert [len(body.pins.vertices) for body in reading.scene.bodies] == [0, 0, 25]


def test_material_and_tetrahedra(bpy, make_body, read, tmp_path):
    jelly = make_body("Jelly", role="JELLY")
    jelly.xpbd.preset = "MATERIAL"
    jelly.xpbd.youngs_modulus = 12345.0
    jelly.xpbd.cage_resolution = 9
    jelly.xpbd.initial_velocity = (1, 2, 3)
    (tmp_path / "cube.node").write_text("# made by hand\n4 3 0 0\n1 0 0 0\n2 1 0 0 # x\n3 0 1 0\n4 0 0 1\n")
    (tmp_path / "cube.ele").write_text("1 4 0\n1 1 2 3 4\n")
    filed = make_body("Other", role="JELLY", location=(0, 0, 5))
    filed.xpbd.tetrahedralizer = "FILE"
    filed.xpbd.tetrahedra_file = str(tmp_path / "cube.ele")
    bpy.context.scene.unit_settings.scale_length = 0.5
    first, second = read().scene.bodies
    assert first.material.youngs_modulus == 12345.0
    assert first.tetrahedralization.method == "CAGE"
    assert first.tetrahedralization.resolution == 9
    assert first.velocity.tolist() == [0.5, 1.0, 1.5]
    assert second.tetrahedralization.tetrahedra.tolist() == [[0, 1, 2, 3]]
    assert second.tetrahedralization.vertices.tolist() == [[0, 0, 2.5], [0.5, 0, 2.5], [0, 0.5, 2.5], [0, 0, 3.0]]
    filed.xpbd.tetrahedra_file = str(tmp_path / "nowhere.node")
    with pytest.raises(XpbdError) as caught:
        read()
    assert (caught.value.code, caught.value.object_name) == ("E_TET_FILE", "Other")


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 3), (0.3, 1e-3, 7)])
def test_an_object_that_is_not_turned_has_the_axes_of_the_world(make_body, read, scale):
    make_body(scale=scale, location=(1, 2, 3))
    np.testing.assert_array_equal(read().scene.bodies[0].axes, np.eye(3))


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 3), (-1, 1, 1)])
def test_axes_are_those_of_the_object(make_body, read, scale):
    """Whatever its scale; of a mirrored one, as if it were mirrored at its origin."""
    body = make_body(scale=scale, rotation_euler=(0.3, 0.2, 0.1))
    expected = np.array(body.rotation_euler.to_matrix()) * np.sign(scale) * np.sign(np.prod(scale))
    np.testing.assert_allclose(read().scene.bodies[0].axes, expected, atol=1e-6)


def test_axes_under_shear_are_those_of_the_polar_decomposition(bpy, make_body, read):
    """A turned child of a parent that is scaled along one axis."""
    body, parent = make_body(rotation_euler=(0.0, 0.0, 0.7)), bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(parent)
    body.parent, parent.scale = parent, (3.0, 1.0, 1.0)
    axes = read().scene.bodies[0].axes
    stretch = axes.T @ np.array(body.matrix_world)[:3, :3]
    np.testing.assert_allclose(stretch, stretch.T, atol=1e-6)
    assert np.linalg.eigvalsh(stretch).min() > 0.0


def test_far_from_the_origin(bpy, make_body, read):
    make_body(location=(1e6, 0, 0))
    assert [notice.code for notice in read().notices] == ["W_PRECISION"]
    make_body("Giant", location=(1e6, 0, 0), scale=(1e6, 1e6, 1e6))
    told = [(notice.code, notice.object_name) for notice in read().notices]
    # edges of 1,000 km are also long for their Contact Distance
    assert told == [("W_PRECISION", "Body"), ("W_GAP", "Giant")]


@pytest.mark.parametrize(("distance", "is_told"), [(1.0, False), (880.0, True)])
def test_a_single_grain_is_as_large_as_its_radius(bpy, make_body, read, distance, is_told):
    """It was told to be 1e+300 times its size from the origin, wherever it was."""
    mesh = bpy.data.meshes.new("Grain")
    mesh.from_pydata([(0.0, 0.0, distance)], [], [])
    make_body("Grain", "GRAINS", mesh).xpbd.radius = 0.04
    told = [notice.message for notice in read().notices if notice.code == "W_PRECISION"]
    assert len(told) == is_told
    assert all("1.1e+04 times" in text for text in told)


def random_matrices(seed, count):
    """Transforms with rotation, scale, shear and translation, shape (count, 4, 4)."""
    random = np.random.default_rng(seed)
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, :3] += random.uniform(-0.3, 0.3, (count, 3, 3))
    matrices[:, :3, 3] = random.uniform(-5.0, 5.0, (count, 3))
    return matrices


def test_motion_from_rest_moves_the_world_as_the_object(bpy):
    from blender_xpbd.addon.reading.body_motion import motion_from_rest

    @given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([1.0, 0.01, 1000.0]))
    def check(seed, count, unit_scale):
        matrices = random_matrices(seed, count)
        local = np.random.default_rng(seed).uniform(-2.0, 2.0, (7, 3))
        world = np.array([transformed(matrix, local) * unit_scale for matrix in matrices])
        motion = motion_from_rest(matrices, unit_scale)
        np.testing.assert_array_equal(motion[0], np.eye(4))
        assert (motion[:, 3] == (0.0, 0.0, 0.0, 1.0)).all()
        found = np.array([transformed(matrix, world[0]) for matrix in motion])
        np.testing.assert_allclose(found, world, atol=1e-9 * unit_scale)

    check()


def test_groups_scale_the_material(bpy, make_body):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    body = make_body()
    body.vertex_groups.new(name="Half").add([3], 0.5, "REPLACE")
    body.xpbd.stiffness_group, body.xpbd.density_group = "Half", "Missing"
    found = read_cloth(body, 1.0)
    assert list(found.vertex_factors) == ["stiffness"]
    assert (found.vertex_factors["stiffness"][3], found.vertex_factors["stiffness"].sum()) == (0.5, 0.5)
    assert [(notice.code, '"Missing"' in notice.message) for notice in found.notices] == [("W_GROUP", True)]


def test_only_woven_cloth_needs_a_uv_map(bpy, make_body):
    from blender_xpbd.addon.reading.body_reader import read_cloth

    body = make_body()
    body.data.uv_layers.new(name="Weave")
    body.xpbd.preset = "MATERIAL"
    body.xpbd.membrane_model = "ISOTROPIC"
    assert len(read_cloth(body, 1.0).uvs) == 0
    body.xpbd.membrane_model = "ORTHOTROPIC"
    assert len(read_cloth(body, 1.0).uvs) == len(body.data.loops)


@pytest.mark.parametrize(("distance", "is_told"), [(9_990.0, False), (10_010.0, True)])
@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_far_is_ten_thousand_times_the_size(bpy, distance, is_told, size):
    from blender_xpbd.addon.reading.body_reader import precision_notice

    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    body = Body("b0", "Body", "CLOTH", (square - [distance, 0.0, 0.0]) * size, np.array([4]), np.arange(4))
    notice = precision_notice(body)
    assert (notice is not None) == is_told
    assert notice is None or (notice.code, notice.object_name) == ("W_PRECISION", "Body")


def test_what_has_no_size_is_left_to_who_refuses_it(bpy):
    from blender_xpbd.addon.reading.body_reader import precision_notice

    point = np.tile([5.0, 0.0, 0.0], (4, 1))
    assert precision_notice(Body("b0", "Body", "CLOTH", point, np.array([4]), np.arange(4))) is None
