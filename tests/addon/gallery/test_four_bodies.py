# SPDX-License-Identifier: GPL-3.0-or-later
"""A body among three that attract it goes its way and keeps its energy."""

from __future__ import annotations

import numpy as np


def test_four_bodies(bpy, bake_scene):
    from blender_xpbd.addon.gallery import four_bodies as scene

    motion = bake_scene(scene.FOUR_BODIES).motions["Masses"]
    held, free = motion[:, :3], motion[:, 3]
    np.testing.assert_allclose(held, np.broadcast_to(scene.RING, held.shape), atol=1e-6)
    np.testing.assert_allclose(free[2 * scene.FRAMES_PER_SECOND], (0.4769, 0.4693, 0.0), atol=0.01)
    speeds = 0.5 * scene.FRAMES_PER_SECOND * (free[2:] - free[:-2])
    pulls = scene.ATTRACTION / np.linalg.norm(free[1:-1, None] - scene.RING, axis=2)
    energies = 0.5 * (speeds**2).sum(axis=1) - pulls.sum(axis=1)
    np.testing.assert_allclose(energies, -1.435, rtol=0.01)
