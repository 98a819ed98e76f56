# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands that cross on a ball keep a thickness apart."""

from __future__ import annotations

import numpy as np
import pytest


def distances(first, second):
    """The least distance of segments (n, 2, 3) to others (m, 2, 3), each sampled at 21 points."""
    shares = np.linspace(0.0, 1.0, 21)[:, None]
    ours = (first[:, None, 0] * (1 - shares) + first[:, None, 1] * shares).reshape(-1, 3)
    theirs = (second[:, None, 0] * (1 - shares) + second[:, None, 1] * shares).reshape(-1, 3)
    return min(np.linalg.norm(theirs - point, axis=1).min() for point in ours)


def segments(positions, nodes):
    lines = positions.reshape(-1, nodes, 3)
    return np.stack((lines[:, :-1], lines[:, 1:]), axis=2).reshape(-1, 2, 3)


@pytest.mark.slow
def test_strands_keep_a_thickness_apart(bpy, bake_scene):
    from blender_xpbd.addon.gallery import crossing_strands as scene

    motions = bake_scene(scene.CROSSING_STRANDS).motions
    for frame in range(0, 60, 10):
        below, above = (segments(motions[name][frame], scene.NODES) for name in ("Below", "Above"))
        assert distances(below, above) >= 0.98 * 2.0 * scene.RADIUS, frame
    for motion in motions.values():
        assert np.linalg.norm(motion - (0.0, 0.0, scene.BALL), axis=2).min() >= scene.BALL
