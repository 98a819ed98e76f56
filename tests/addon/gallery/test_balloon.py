# SPDX-License-Identifier: GPL-3.0-or-later
"""A balloon comes to rest on its string."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_a_balloon_on_a_string(bpy, bake_scene):
    from blender_xpbd.addon.gallery import balloon as scene

    motions = bake_scene(scene.BALLOON).motions
    balloon, string = motions["Balloon"], motions["String"]
    lengths = np.linalg.norm(np.diff(string, axis=1), axis=2).sum(axis=1)
    np.testing.assert_allclose(lengths, scene.LENGTH, rtol=0.015)
    assert np.linalg.norm(string[-1, -1] - string[-1, 0]) > 0.97 * scene.LENGTH
    np.testing.assert_allclose(string[:, 0], string[0, :1].repeat(len(string), axis=0), atol=1e-6)
    tied = np.linalg.norm(balloon[0] - string[0, -1], axis=1).argmin()
    np.testing.assert_allclose(string[:, -1], balloon[:, tied], atol=1e-3)
    sizes = np.ptp(balloon, axis=1)
    np.testing.assert_allclose(sizes[:, :2], 2.0 * scene.RADIUS, rtol=0.05)
    # it hangs in the air, and hardly moves in the last half second
    assert balloon[-1, :, 2].min() > 0.9 * scene.LENGTH
    assert balloon[-1].mean(axis=0) == pytest.approx(balloon[-13].mean(axis=0), abs=0.02)
