# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's scenes and pictures in small; .ci/run runs the whole of it."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np


def test_scenes_share_a_stage_and_hold_their_bodies(bpy: ModuleType) -> None:
    scenes = importlib.import_module("demo_scenes").build()
    roles = [{thing.name: thing.xpbd.role for thing in scene.objects if thing.xpbd.role != "NONE"} for scene in scenes]
    assert roles[0] == {"Suzanne": "JELLY"}
    assert roles[1] == {"Cloth": "CLOTH", "Sphere": "COLLIDER"}
    assert roles[2] == roles[0] | roles[1]
    for scene in scenes:
        assert scene.camera is not None
        assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (scene.frame_start, scene.frame_end)
        assert scene.xpbd.use_floor


def test_images_are_kept_as_they_are(bpy: ModuleType, tmp_path: Path) -> None:
    demo_render = importlib.import_module("demo_render")
    pixels = np.random.default_rng(1).integers(0, 256, (6, 8, 4)).astype(np.float32) / 255.0
    pixels[..., 3] = 1.0
    demo_render._save(pixels, tmp_path / "picture.png")
    np.testing.assert_allclose(demo_render._pixels(tmp_path / "picture.png"), pixels, atol=1e-6)
