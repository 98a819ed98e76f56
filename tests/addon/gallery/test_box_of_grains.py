# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains lie in a box in layers, do not overlap, and are at rest."""

from __future__ import annotations

import numpy as np

from tests.addon.gallery.grain_measures import closest, last_speed


def test_a_box_holds_grains(bpy, bake_scene):
    from blender_xpbd.addon.gallery import box_of_grains as scene

    baked = bake_scene(scene.BOX_OF_GRAINS)
    motion = baked.motions["Grains"]
    places = motion[-1]
    assert len(places) == 200
    assert min(closest(frame) for frame in motion[::8]) > 0.98 * 2.0 * scene.RADIUS
    assert closest(places) > 0.98 * 2.0 * scene.RADIUS
    assert np.abs(motion[:, :, :2]).max() < scene.HALF - scene.RADIUS + 1e-4
    assert motion[:, :, 2].min() > scene.RADIUS - 1e-4
    # the third layer of balls lies above twice the height of one
    assert np.count_nonzero(places[:, 2] > scene.RADIUS + 2.0 * 1.6 * scene.RADIUS) > 10
    assert last_speed(baked.scene, motion) < 1e-3
