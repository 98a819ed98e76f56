# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain whose end is driven goes the way that a solution of its equations of motion goes."""

from __future__ import annotations

import numpy as np


def test_the_tip_of_a_driven_chain(bpy, bake_scene):
    from blender_xpbd.addon.gallery import driven_chain as scene

    baked = bake_scene(scene.DRIVEN_CHAIN)
    motion = baked.motions["Chain"]
    assert motion.shape[1] == scene.NODES
    for seconds, place in ((0.2, (0.011, 0.057)), (0.3, (0.156, 0.320))):
        tip = motion[round(seconds * scene.FRAMES_PER_SECOND), -1]
        np.testing.assert_allclose(tip[[0, 2]], place, atol=0.01)
    links = np.linalg.norm(np.diff(motion, axis=1), axis=2)
    np.testing.assert_allclose(links, scene.LINK, rtol=1e-3)
    assert np.ptp(motion[:, :, 1]) <= 1e-6
    # links are no edges that do nothing, and grains that have them get keys
    assert not [text for text in baked.summary.warnings if "W_IGNORED" in str(text)]
    assert baked.summary.keys == len(motion)
