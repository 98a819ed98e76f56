# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds of one cloth that start nearer to each other than its thickness are told where they would be seen to part."""

from __future__ import annotations

import json

import numpy as np
import pytest

PANEL, CELLS = 0.1, 8


@pytest.fixture
def found(named_by):
    return named_by("W_NEAR")


@pytest.fixture
def strip(bpy):
    """Makes a strip of panels of 10 cm that starts in folds, so far apart; it keeps 3.1 mm to itself."""
    from blender_xpbd.addon.keys.start_pose import keep_start

    def make(panels=4, apart=0.001, is_folded_at_rest=False):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=panels * CELLS, y_subdivisions=CELLS, size=1.0)
        obj = bpy.context.object
        obj.name, obj.xpbd.role, obj.xpbd.use_self_collision = "Strip", "CLOTH", True
        places = np.array([vertex.co[:] for vertex in obj.data.vertices])
        along, across = (places[:, 0] + 0.5) * panels * PANEL, places[:, 1] * PANEL
        number = np.minimum((along / PANEL).astype(int), panels - 1)
        on = along - number * PANEL
        # the last cell of a panel leads up to the next one
        up = number + np.clip(1.0 - (PANEL - on) * CELLS / PANEL, 0.0, 1.0) * (number < panels - 1)
        folded = np.stack([np.where(number % 2, PANEL - on, on), across, 0.1 + apart * up], axis=1)
        flat = np.stack([along, across, np.full_like(along, 0.1)], axis=1)
        obj.data.vertices.foreach_set("co", (folded if is_folded_at_rest else flat).astype(np.float32).ravel())
        keep_start(obj, folded)
        return obj

    return make


def test_folds_are_told(bpy, found, strip):
    strip()
    assert found() == [("Strip",)]
    text = next(row["message"] for row in json.loads(bpy.context.scene.xpbd.findings) if row["code"] == "W_NEAR")
    # of 3.1 mm, 2.1 lack between each two
    assert "by 0.0064 m" in text
    assert "0.001 m between" in text


@pytest.mark.parametrize("case", ["apart", "at rest", "two", "no self", "left out", "no start"])
def test_what_does_not_part_as_seen_is_not_told(found, strip, case):
    obj = strip(
        panels=2 if case == "two" else 4,
        apart=0.0032 if case == "apart" else 0.001,
        is_folded_at_rest=case == "at rest",
    )
    if case == "no self":
        obj.xpbd.use_self_collision = False
    elif case == "left out":
        obj.vertex_groups.new(name="Out").add(range(len(obj.data.vertices)), 1.0, "REPLACE")
        obj.xpbd.no_contact_group = "Out"
    elif case == "no start":
        obj.data.attributes.remove(obj.data.attributes["xpbd_start"])
    assert found() == []


def test_fit_thickness_lets_folds_stay(bpy, found, strip):
    obj = strip()
    assert found()
    assert bpy.ops.xpbd.fit_thickness(object_name="Strip") == {"FINISHED"}
    assert obj.xpbd.thickness == pytest.approx(0.001, rel=0.01)
    assert found() == []
    assert bpy.ops.xpbd.fit_thickness(object_name="Strip") == {"CANCELLED"}


def test_fit_thickness_sees_folds_and_the_stack_on_them(bpy, found, strip):
    strip()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=0.1, location=(0.05, 0.0, 0.1035))
    sheet = bpy.context.object
    sheet.name, sheet.xpbd.role = "Sheet", "CLOTH"
    for height in (0.1045, 0.1055, 0.1065):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=0.099, location=(0.05, 0.0, height))
        bpy.context.object.xpbd.role = "CLOTH"
    assert len(found()) == 2
    bpy.ops.xpbd.fit_thickness(object_name="Sheet")
    assert found() == []
