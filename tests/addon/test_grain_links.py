# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains whose mesh has edges: links hold them, other edges do nothing, and both get keys."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def row(bpy):
    """A function that adds three grains in a row with two edges, which are links of the kinds that it is given."""

    def add(*kinds):
        mesh = bpy.data.meshes.new("Row")
        mesh.from_pydata([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.0)], [(0, 1), (1, 2)], [])
        if kinds:
            mesh.attributes.new("xpbd_link", "INT", "EDGE").data.foreach_set("value", np.array(kinds, np.int32))
        obj = bpy.data.objects.new("Row", mesh)
        bpy.context.scene.collection.objects.link(obj)
        obj.xpbd.role = "GRAINS"
        bpy.context.view_layer.update()
        return obj

    return add


@pytest.mark.parametrize(("kinds", "is_told"), [((), True), ((1, 0), True), ((1, 2), False)])
def test_grains_with_edges_get_keys(bpy, row, fake_worker, tmp_path, kinds, is_told):
    from blender_xpbd.addon.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    obj = row(*kinds)
    summary = run_bake(bpy.context, BakeOptions(frame_start=1, frame_end=3, substeps=2, cache=tmp_path / "cache"))
    assert summary.complete
    assert summary.keys == 3
    assert len(obj.data.shape_keys.key_blocks) > 3
    assert any("The edges and faces" in str(text) for text in summary.warnings) == is_told
