# SPDX-License-Identifier: GPL-3.0-or-later
"""The resolution of a cage that is chosen from its mesh."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation


def add(bpy, select, kind, name="Body", extent=(1.0, 1.0, 1.0), **options):
    """A primitive whose vertices are stretched, selected."""
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(**options)
    body = bpy.context.object
    body.name = name
    points = np.empty((len(body.data.vertices), 3), np.float32)
    body.data.vertices.foreach_get("co", points.ravel())
    body.data.vertices.foreach_set("co", (points * np.float32(extent)).ravel())
    select(body)
    return body


def chosen(bpy, body):
    body.xpbd.property_unset("role")
    bpy.ops.xpbd.set_role(role="JELLY")
    return body.xpbd.cage_resolution


@pytest.mark.parametrize(
    ("kind", "extent", "resolution"),
    [
        ("cube", (1.0, 1.0, 1.0), 12),
        ("cube", (1.0, 0.1, 0.1), 20),
        ("cube", (1.0, 1.0, 0.1), 20),
        ("torus", (1.0, 1.0, 1.0), 16),
        ("monkey", (1.0, 1.0, 1.0), 19),
        ("uv_sphere", (1.0, 1.0, 1.0), 12),
    ],
)
def test_two_cells_lie_across_what_is_thin(bpy, select, kind, extent, resolution):
    body = add(bpy, select, kind, extent=extent)
    assert chosen(bpy, body) == pytest.approx(resolution, abs=2)
    assert body.xpbd.normal_resolution == body.xpbd.cage_resolution


def test_a_rotation_of_the_object_changes_nothing(bpy, select):
    body = add(bpy, select, "monkey", extent=(1.0, 0.4, 1.3))
    body.scale = (1.3, 0.4, 2.1)
    body.rotation_mode = "QUATERNION"
    upright = chosen(bpy, body)
    for seed in range(12):
        turn = Rotation.random(random_state=seed).as_quat()
        body.rotation_quaternion = (turn[3], *turn[:3])
        body.location = (seed, 100.0 * seed, -0.1)
        bpy.context.view_layer.update()
        assert chosen(bpy, body) == upright
    body.scale = (0.013, 0.004, 0.021)
    bpy.context.view_layer.update()
    assert chosen(bpy, body) == upright


def test_the_scale_of_an_object_counts(bpy, select):
    scaled, modelled = add(bpy, select, "cube", "Scaled"), None
    scaled.scale = (1.0, 0.1, 0.1)
    bpy.context.view_layer.update()
    found = chosen(bpy, scaled)
    modelled = add(bpy, select, "cube", "Modelled", extent=(1.0, 0.1, 0.1))
    assert found == chosen(bpy, modelled) == 20


def test_no_more_tetrahedra_than_bake_in_seconds(bpy, select):
    from blender_xpbd.addon.baking.needs import tetrahedra
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.checking.resolutions import MOST_TETRAHEDRA
    from blender_xpbd.addon.data.bake_options import BakeOptions

    plate = add(bpy, select, "cube", extent=(1.0, 1.0, 0.02))
    assert 30 < chosen(bpy, plate) < 60
    (body,) = read_first_frame(bpy.context, BakeOptions()).scene.bodies
    assert 0.7 * MOST_TETRAHEDRA < tetrahedra(body) <= MOST_TETRAHEDRA


def test_what_is_typed_stays(bpy, select):
    body = add(bpy, select, "cube", extent=(1.0, 0.1, 0.1))
    body.xpbd.cage_resolution = 11
    assert chosen(bpy, body) == 11
    assert body.xpbd.normal_resolution == 0
    bpy.context.scene.xpbd.quality = "DRAFT"
    assert body.xpbd.cage_resolution == 11
    bpy.context.scene.xpbd.quality = "MATERIAL"
    assert bpy.ops.xpbd.suit_mesh() == {"FINISHED"}
    assert (body.xpbd.cage_resolution, body.xpbd.normal_resolution) == (20, 20)


def test_a_script_that_sets_the_role_gets_the_default(bpy, make_body):
    assert make_body(role="JELLY").xpbd.cage_resolution == 16


def test_the_quality_scales_what_was_chosen(bpy, select):
    body = add(bpy, select, "cube", extent=(1.0, 0.1, 0.1))
    chosen(bpy, body)
    settings = bpy.context.scene.xpbd
    found = {}
    for quality in ("DRAFT", "FINAL", "AUTOMATIC", "MATERIAL"):
        settings.quality = quality
        found[quality] = body.xpbd.cage_resolution
    assert found == {"DRAFT": 15, "FINAL": 25, "AUTOMATIC": 20, "MATERIAL": 20}
    settings.quality = "DRAFT"
    # typed substeps are Fixed, which has the resolution of Normal
    settings.substeps = 30
    assert body.xpbd.cage_resolution == 20


def test_the_quality_that_a_bake_is_given_counts_for_the_resolution_too(bpy, select):
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions

    chosen(bpy, add(bpy, select, "cube", extent=(1.0, 0.1, 0.1)))
    for options, resolution in ((BakeOptions(quality="DRAFT"), 15), (BakeOptions(), 20), (BakeOptions(substeps=9), 20)):
        (body,) = read_first_frame(bpy.context, options).scene.bodies
        assert body.tetrahedralization.resolution == resolution


def test_a_subdivided_mesh_is_measured_again(bpy, select, monkeypatch):
    from blender_xpbd.addon.checking import resolutions

    monkeypatch.setattr(resolutions, "FEWEST", 8)
    body = add(bpy, select, "cube")
    assert chosen(bpy, body) == 8
    bpy.ops.xpbd.subdivide(object_name=body.name)
    assert body.xpbd.cage_resolution == 12


def test_copied_settings_are_measured_on_each_mesh(bpy, select):
    bar = add(bpy, select, "cube", "Bar", extent=(1.0, 0.1, 0.1))
    plate = add(bpy, select, "cube", "Plate", extent=(1.0, 1.0, 0.2))
    select(bar)
    chosen(bpy, bar)
    select(bar, plate)
    bpy.ops.xpbd.copy_settings()
    assert (bar.xpbd.cage_resolution, plate.xpbd.cage_resolution) == (20, 12)
    bar.xpbd.cage_resolution = 33
    bpy.ops.xpbd.copy_settings()
    assert (plate.xpbd.cage_resolution, plate.xpbd.normal_resolution) == (33, 0)


def test_what_cannot_be_measured_is_left(bpy, select):
    body = add(bpy, select, "cube", extent=(0.0, 0.0, 0.0))
    assert chosen(bpy, body) == 16
    flat = add(bpy, select, "plane", "Flat")
    assert chosen(bpy, flat) >= 8
    cloth = add(bpy, select, "plane", "Cloth")
    bpy.ops.xpbd.set_role(role="CLOTH")
    assert bpy.ops.xpbd.suit_mesh() == {"CANCELLED"}
    assert cloth.xpbd.normal_resolution == 0
