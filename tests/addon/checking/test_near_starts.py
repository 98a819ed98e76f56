# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that start nearer than their gaps are told where they would be seen to move apart."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def found(named_by):
    return named_by("W_NEAR")


def sheets(bpy, count, apart, size=0.1, cells=8):
    """Level sheets above each other, each a little smaller than the one below it; they keep 3.1 mm."""
    made = []
    for k in range(count):
        bpy.ops.mesh.primitive_grid_add(
            x_subdivisions=cells,
            y_subdivisions=cells,
            size=size * (1.0 - 0.002 * k),
            location=(0.0, 0.0, 0.1 + apart * k),
        )
        obj = bpy.context.object
        obj.name, obj.xpbd.role = f"Sheet{k}", "CLOTH"
        made.append(obj)
    return made


def test_a_stack_is_told_once(bpy, found):
    sheets(bpy, 5, 0.001)
    assert [row[:5] for row in found()] == [("Sheet0", "Sheet1", "Sheet2", "Sheet3", "Sheet4")]
    text = next(row["message"] for row in json.loads(bpy.context.scene.xpbd.findings) if row["code"] == "W_NEAR")
    # of 3.1 mm, 2.1 lack between each two
    assert "by 0.0084 m" in text
    assert "0.001 m between" in text


@pytest.mark.parametrize(
    ("count", "apart", "size"), [(2, 0.001, 0.1), (5, 0.0031, 0.1), (5, 0.0025, 0.1), (5, 0.001, 1.0)]
)
def test_what_hardly_moves_is_not_told(bpy, found, count, apart, size):
    sheets(bpy, count, apart, size)
    assert found() == []


@pytest.mark.parametrize("case", ["beside", "unseen", "left out", "small", "in one place"])
def test_what_does_not_push_is_not_told(bpy, found, case):
    made = sheets(bpy, 5, 0.001)
    for number, obj in enumerate(made):
        if case == "beside":
            obj.location.x = 0.098 * number
        elif case == "unseen":
            obj.xpbd.use_body_collision = False
        elif case == "left out":
            obj.vertex_groups.new(name="Out").add(range(len(obj.data.vertices)), 1.0, "REPLACE")
            obj.xpbd.no_contact_group = "Out"
        elif case == "small":
            obj.xpbd.contact_offset = 0.001
        else:
            obj.location.z, obj.scale = 0.1, [0.1 / obj.dimensions.x] * 3
    assert found() == []


def test_what_crosses_is_told_so_alone(bpy, found, named_by):
    crossing, apart = sheets(bpy, 5, 0.0, cells=7), sheets(bpy, 5, 0.001)
    for number, obj in enumerate(crossing):
        # about a line through the middles, at whose ends they are up to 1 mm apart
        obj.rotation_euler.x, obj.location.x = 0.005 * number, 0.2
    assert [row[:5] for row in found()] == [tuple(obj.name for obj in apart)]
    assert [row[:2] for row in named_by("W_TANGLED")()] == [(f"Sheet{k}", f"Sheet{k + 1}") for k in range(4)]
    assert bpy.ops.xpbd.fit_thickness(object_name="Sheet0") == {"CANCELLED"}


def test_fit_thickness_lets_them_stay(bpy, found):
    made = sheets(bpy, 5, 0.001)
    assert found()
    assert bpy.ops.xpbd.fit_thickness(object_name="Sheet0") == {"FINISHED"}
    assert [obj.xpbd.thickness for obj in made] == pytest.approx([0.001] * 5, rel=1e-3)
    assert found() == []
    assert bpy.ops.xpbd.fit_thickness(object_name="Sheet0") == {"CANCELLED"}


def test_what_all_but_touches_has_to_be_moved(bpy, found):
    made = sheets(bpy, 5, 0.00008)
    assert found()
    assert bpy.ops.xpbd.fit_thickness(object_name="Sheet0") == {"CANCELLED"}
    assert [obj.xpbd.thickness for obj in made] == [0.0] * 5


def test_a_loose_vertex_makes_nothing_longer(bpy, found):
    made = sheets(bpy, 5, 0.001)
    mesh = made[0].data
    mesh.vertices.add(1)
    mesh.vertices[-1].co = (5.0, 0.0, 0.0)
    assert len(found()) == 1
