# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of the gallery and tutorials, made and baked with the real solver."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.result import read_result

# kernels of all these bakes, kept between runs
KERNELS = Path(__file__).resolve().parents[2] / ".cache" / "taichi"


@pytest.fixture
def bake_scene(bpy, tmp_path, monkeypatch):
    """A function that makes and bakes a scene; it answers the scene, the summary, and positions by object.

    Positions are in the world [m], shape (frames, vertices, 3). Further arguments are settings of the scene to change.
    """
    from blender_xpbd.addon.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.gallery.gallery import add_gallery_scene

    monkeypatch.setenv("XPBD_TAICHI_CACHE", str(KERNELS))

    def bake(entry, file="", **settings):
        scene = add_gallery_scene(entry, str(file))
        for name, value in settings.items():
            setattr(scene.xpbd, name, value)
        bpy.context.window.scene = scene
        options = BakeOptions(cache=tmp_path / "cache", worker_python=sys.executable)
        summary = run_bake(bpy.context, options)
        result = read_result(Path(summary.cache))
        cache = FrameCache(
            Path(summary.cache),
            result.vertex_count,
            len(result.bodies),
            len(result.statistics),
            result.orientation_count,
        )
        frames = range(scene.xpbd.frame_start, scene.xpbd.frame_end + 1)
        world = np.stack([cache.read(frame).positions for frame in frames]) + np.array(result.origin)
        motions = {b.name: world[:, b.vertex_start : b.vertex_start + b.vertex_count] for b in result.bodies}
        assert all(np.isfinite(motion).all() for motion in motions.values())
        return SimpleNamespace(scene=scene, summary=summary, motions=motions)

    return bake
