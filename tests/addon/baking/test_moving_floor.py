# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies on a floor whose height has keys is carried, lifted and shaken, with the real solver."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.result import read_result

FRAMES = np.arange(1, 97)
# what bodies keep to the floor, and how far they may press into it [m]: jelly that begins warm is pressed by a hit
GAP = 0.005
DEEPEST = 1.5e-3


def shaken(k):
    return 0.1 * np.sin(k * FRAMES / 300)


def lifted():
    """Up by half a metre in ten frames, and down in five: faster than a fall."""
    return np.interp(FRAMES, [20, 30, 50, 55], [0.0, 0.5, 0.5, 0.0])


@pytest.fixture
def lying(bpy):
    """A jelly cube and a sheet of cloth, 0.2 m wide, that lie at their gap above a floor of the height 0."""

    def make(name, role, points, polygons, x):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata((0.2 * np.asarray(points)).tolist(), [], polygons)
        obj = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(obj)
        obj.location = (x, 0.0, GAP)
        obj.xpbd.role = role
        return obj

    cube = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    jelly = make("Jelly", "JELLY", cube, faces, 0.0)
    jelly.xpbd.cage_resolution = 4
    x, y = (grid.ravel() / 8 for grid in np.meshgrid(np.arange(9.0), np.arange(9.0)))
    quads = [(i, i + 1, i + 10, i + 9) for row in range(8) for i in range(9 * row, 9 * row + 8)]
    make("Cloth", "CLOTH", np.column_stack((x, y, 0.0 * x)), quads, 1.0)
    return jelly


def key_floor(scene, heights):
    scene.xpbd.use_floor = True
    for frame, height in zip(FRAMES.tolist(), heights.tolist(), strict=True):
        scene.xpbd.floor_height = height
        scene.keyframe_insert("xpbd.floor_height", frame=frame)


def baked(bpy, tmp_path):
    """World positions of each body at every frame [m], shapes (frames, vertices, 3), and the warnings."""
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    options = BakeOptions(frame_start=1, frame_end=len(FRAMES), cache=tmp_path / "cache", worker_python=sys.executable)
    summary = run_bake(bpy.context, options)
    result = read_result(Path(summary.cache))
    cache = FrameCache(Path(summary.cache), result.vertex_count, len(result.bodies), len(result.statistics))
    world = np.stack([cache.read(int(frame)).positions for frame in FRAMES]) + np.array(result.origin)
    bodies = {b.name: world[:, b.vertex_start : b.vertex_start + b.vertex_count] for b in result.bodies}
    return bodies, summary.warnings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heights", "highest"),
    [(shaken(1), 0.001), (shaken(10), 0.001), (shaken(100), 0.05), (lifted(), 0.7)],
    ids=["slow", "swell", "shaken", "lifted"],
)
def test_a_body_on_a_moving_floor_stays_above_it(bpy, lying, tmp_path, heights, highest):
    """No deeper into its gap than a millimetre and a half, and no higher above it than the floor can throw a body."""
    heights = heights - heights[0]
    key_floor(bpy.context.scene, heights)
    bodies, warnings = baked(bpy, tmp_path)
    assert warnings == []
    for name, positions in bodies.items():
        gaps = positions[:, :, 2].min(axis=1) - heights - GAP
        assert gaps.min() > -DEEPEST, name
        assert gaps.max() < highest, name
        assert abs(gaps[-1]) < DEEPEST, name
        # as large as it was, however it has turned
        sizes = np.linalg.norm(positions - positions.mean(axis=1, keepdims=True), axis=2).max(axis=1)
        assert sizes[-1] == pytest.approx(sizes[0], rel=0.05), name
        assert sizes.max() < 1.5 * sizes[0], name
