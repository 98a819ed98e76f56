# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth of so short edges that the limit of substeps lets its weight stretch it."""

from __future__ import annotations

import numpy as np
import pytest

TOLD = "W_QUALITY"


@pytest.fixture
def cloth(bpy):
    """A function that adds a primitive of a size [m] as cloth above a floor."""
    bpy.context.scene.xpbd.use_floor = True

    def add(primitive, size):
        getattr(bpy.ops.mesh, f"primitive_{primitive}_add")()
        obj = bpy.context.object
        obj.dimensions = size / max(obj.dimensions) * np.array(obj.dimensions)
        obj.location.z = 2.0 * size
        bpy.context.view_layer.update()
        obj.xpbd.role = "CLOTH"
        return obj

    return add


@pytest.mark.parametrize(
    ("primitive", "size", "is_told"),
    [
        ("monkey", 0.01, True),
        ("monkey", 0.1, False),
        ("monkey", 1.0, False),
        ("torus", 0.01, True),
        ("torus", 0.1, False),
        ("ico_sphere", 0.01, False),
        ("grid", 0.01, True),
        ("cube", 0.01, False),
    ],
)
def test_check_tells_what_the_bake_does(bpy, cloth, codes, worker_tells, primitive, size, is_told):
    cloth(primitive, size)
    bpy.ops.xpbd.check()
    assert (TOLD in codes()) is is_told
    assert worker_tells() is is_told


@pytest.fixture
def worker_tells(bpy, taichi_cpu):
    """Whether a worker would tell it of the scene."""
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.solver.system.advice import stretch_advice
    from blender_xpbd.solver.system.system import build_system

    return lambda: bool(stretch_advice(build_system(read_first_frame(bpy.context, BakeOptions()).scene)))


@pytest.mark.parametrize("setting", [("quality", "FIXED"), ("quality", "FINAL"), ("solver_mode", "PBD")])
def test_what_does_not_go_by_the_limit_is_not_told(bpy, cloth, codes, setting):
    cloth("monkey", 0.01)
    setattr(bpy.context.scene.xpbd, *setting)
    bpy.ops.xpbd.check()
    assert TOLD not in codes()


def test_grains_at_the_vertices_of_a_mesh_are_no_cloth(bpy, cloth, codes):
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.checking.expense import cell_of
    from blender_xpbd.addon.checking.substep_bounds import substep_bound
    from blender_xpbd.addon.data.bake_options import BakeOptions

    obj = cloth("monkey", 0.01)
    obj.xpbd.role, obj.xpbd.radius = "GRAINS", 0.01
    bpy.ops.xpbd.check()
    assert TOLD not in codes()
    # nor does what a bake costs go by its faces
    scene = read_first_frame(bpy.context, BakeOptions()).scene
    assert substep_bound(scene, scene.bodies[0], cell_of(scene.bodies[0])) < 100.0


def test_the_button_allows_as_many_substeps_as_are_needed(bpy, cloth, codes):
    obj = cloth("monkey", 0.01)
    settings = bpy.context.scene.xpbd
    bpy.ops.xpbd.check()
    assert TOLD in codes()
    assert bpy.ops.xpbd.allow_substeps(object_name=obj.name) == {"FINISHED"}
    assert TOLD not in codes()
    assert settings.maximum_substeps == 360
    # there is nothing left to allow
    assert bpy.ops.xpbd.allow_substeps(object_name=obj.name) == {"CANCELLED"}
    assert settings.maximum_substeps == 360


def test_what_no_number_of_substeps_shows_is_refused(bpy, cloth, codes):
    obj = cloth("monkey", 1e-5)
    bpy.ops.xpbd.check()
    assert TOLD in codes()
    assert bpy.ops.xpbd.allow_substeps(object_name=obj.name) == {"CANCELLED"}
    assert bpy.context.scene.xpbd.maximum_substeps == 160


def test_the_substeps_that_another_object_asks_for_count(bpy, cloth, codes, worker_tells):
    """All objects share the most of what objects ask for."""
    cloth("monkey", 0.01)
    cloth("cube", 1.0).xpbd.minimum_substeps = 500
    bpy.ops.xpbd.check()
    assert TOLD not in codes()
