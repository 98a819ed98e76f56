# SPDX-License-Identifier: GPL-3.0-or-later
"""When jellies are measured for being thin: where it is told, one in each step, and once while nothing changes."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def measured(bpy, monkeypatch):
    """Numbers of vertices of what is measured, one entry for each time; nothing is kept from before."""
    from blender_xpbd.addon.measures import kept_measures, solid_measures

    calls = []

    def measure(points, *others):
        calls.append(len(points))
        return solid_measures.measure_solid(points, *others)

    monkeypatch.setattr(kept_measures, "measure_solid", measure)
    monkeypatch.setattr(kept_measures, "_kept", {})
    return calls


@pytest.fixture
def plates(bpy):
    """Three unlike thin jellies above the floor."""
    bpy.context.scene.xpbd.use_floor = True
    found = []
    for number in range(3):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(3.0 * number, 0.0, 1.0))
        body = bpy.context.object
        body.name, body.xpbd.role = f"Plate {number}", "JELLY"
        for vertex in body.data.vertices:
            vertex.co.z *= 0.04 + 0.01 * number
        found.append(body)
    bpy.context.view_layer.update()
    return found


def test_a_bake_measures_one_jelly_in_each_step_and_tells_it(bpy, plates, measured, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import BakeSession
    from blender_xpbd.addon.data.bake_options import BakeOptions

    session = BakeSession(bpy.context, BakeOptions(cache=tmp_path, frame_end=3))
    steps, counts = session.run(bpy.context), [0]
    while counts[-1] < len(plates):
        next(steps)
        counts.append(len(measured))
    steps.close()
    assert np.diff(counts).max() == 1
    told = [text for text in session.summary.warnings if text.startswith("W_THIN")]
    assert len(told) == len(plates)
    assert all(f'"{plate.name}"' in text for plate, text in zip(plates, told, strict=True))


def test_what_tells_nothing_measures_nothing(bpy, plates, measured, read):
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions

    read()
    read_first_frame(bpy.context, BakeOptions())
    assert measured == []


def test_what_has_not_changed_is_measured_once(bpy, plates, measured):
    bpy.ops.xpbd.check()
    assert len(measured) == 3
    for _ in range(2):
        bpy.ops.xpbd.check()
    assert len(measured) == 3
    plates[0].vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
    plates[0].xpbd.pin_group = "Pins"
    plates[1].data.vertices[0].co.x += 0.1
    plates[2].scale.z = 2.0
    bpy.context.view_layer.update()
    for changed in (3, 0):
        measured.clear()
        bpy.ops.xpbd.check()
        assert len(measured) == changed


def test_as_many_surfaces_are_kept_as_there_is_room_for(measured, monkeypatch):
    from blender_xpbd.addon.measures import kept_measures
    from tests.geometry.surfaces import cube

    monkeypatch.setattr(kept_measures, "MOST_KEPT", 2)
    points, triangles = cube()
    sizes, nobody = np.full(len(triangles), 3), np.zeros(0, np.int32)
    for scale in (1.0, 2.0, 1.0, 3.0, 2.0, 1.0):
        found = kept_measures.kept_measures(scale * points, sizes, triangles.ravel(), nobody, np.zeros(3))
        assert found is not None
        assert found.length == pytest.approx(scale * np.ptp(points, axis=0).max())
    assert len(measured) == 4
