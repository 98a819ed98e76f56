# SPDX-License-Identifier: GPL-3.0-or-later
"""Sand runs through the hole of a funnel, and through nothing else of it."""

from __future__ import annotations

import numpy as np

from tests.addon.gallery.grain_measures import closest


def test_sand_goes_through_the_hole_alone(bpy, bake_scene):
    from blender_xpbd.addon.gallery import funnel as scene

    motion = bake_scene(scene.FUNNEL).motions["Sand"]
    heights, far = motion[:, :, 2], np.linalg.norm(motion[:, :, :2], axis=2)
    is_beside = (heights > scene.HOLE_HEIGHT) & (heights < scene.RIM_HEIGHT)
    share = (heights - scene.HOLE_HEIGHT) / (scene.RIM_HEIGHT - scene.HOLE_HEIGHT)
    cone = scene.HOLE + share * (scene.RIM - scene.HOLE)
    assert (far < cone)[is_beside].all()
    assert np.count_nonzero(is_beside) > 1000
    assert min(closest(frame) for frame in motion[::12]) > 0.98 * 2.0 * scene.RADIUS
    assert (heights[-1] < scene.HOLE_HEIGHT).mean() >= 0.8
    assert heights.min() > scene.RADIUS - 1e-4
