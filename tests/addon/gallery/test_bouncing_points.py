# SPDX-License-Identifier: GPL-3.0-or-later
"""Points bounce to the heights that their restitution says."""

from __future__ import annotations

import pytest


def test_apexes(bpy, bake_scene):
    from blender_xpbd.addon.gallery import bouncing_points as scene

    motion = bake_scene(scene.BOUNCING_POINTS).motions["Balls"]
    assert motion.shape[1] == 64
    heights = motion[:, :, 2] - scene.RADIUS
    for column in heights.T[::9]:
        tops = column[1:-1][(column[1:-1] > column[:-2]) & (column[1:-1] >= column[2:])]
        assert tops[0] == pytest.approx(0.64, rel=0.02)
        assert tops[1] == pytest.approx(0.41, rel=0.02)
    assert heights.min() >= -1e-4
