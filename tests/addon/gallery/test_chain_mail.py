# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings of chain mail stay linked as they were made."""

from __future__ import annotations

import numpy as np
import pytest

from tests.addon.gallery.test_crossing_strands import distances


def sides(ring):
    """The sides of a ring, shape (points, 2, 3)."""
    return np.stack((ring, np.roll(ring, -1, axis=0)), axis=1)


def linking_number(first, second):
    """How often a ring goes through another one, by Gauss's integral over their sides (solid angles)."""
    a, b = sides(first), sides(second)
    corners = b[None, :, [0, 1, 1, 0]] - a[:, None, [0, 0, 1, 1]]
    edges = np.cross(corners, np.roll(corners, -1, axis=2))
    edges /= np.linalg.norm(edges, axis=3, keepdims=True) + 1e-300
    angles = np.arcsin(np.clip((edges * np.roll(edges, -1, axis=2)).sum(axis=3), -1.0, 1.0)).sum(axis=2)
    ways = np.einsum(
        "abi,abi->ab",
        np.cross((a[:, 1] - a[:, 0])[:, None], (b[:, 1] - b[:, 0])[None]),
        b[None, :, 0] - a[:, None, 0],
    )
    return round(abs(float((angles * np.sign(ways)).sum()) / (4.0 * np.pi)))


@pytest.mark.slow
def test_rings_stay_linked(bpy, bake_scene):
    from blender_xpbd.addon.gallery import chain_mail as scene

    baked = bake_scene(scene.CHAIN_MAIL)
    rings = np.concatenate(
        [motion.reshape(len(motion), -1, scene.POINTS, 3) for _, motion in sorted(baked.motions.items())], axis=1
    )
    count = scene.ROWS**2 + 2 * scene.ROWS * (scene.ROWS - 1)
    assert rings.shape[1] == count
    pairs = [(i, j) for i in range(count) for j in range(i)]
    first, last = (np.array([linking_number(frame[i], frame[j]) for i, j in pairs]) for frame in rings[[0, -1]])
    # each ring that stands goes through two that lie
    assert first.sum() == 2 * 2 * scene.ROWS * (scene.ROWS - 1)
    np.testing.assert_array_equal(last, first)
    near = [(i, j) for i, j in pairs if np.linalg.norm(rings[-1, i].mean(0) - rings[-1, j].mean(0)) < 0.15]
    for i, j in near:
        assert distances(sides(rings[-1, i]), sides(rings[-1, j])) >= 0.94 * 2.0 * scene.WIRE, (i, j)
    assert np.linalg.norm(rings, axis=3).min() >= scene.BALL
