# SPDX-License-Identifier: GPL-3.0-or-later
"""A doll hangs on strings, and follows the bar that they hang from."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_a_doll_on_strings(bpy, bake_scene):
    from blender_xpbd.addon.gallery import marionette as scene

    baked = bake_scene(scene.MARIONETTE)
    doll = baked.motions["Doll"]
    strings = baked.motions["Strings"].reshape(len(doll), -1, scene.SEGMENTS + 1, 3)
    lengths = np.linalg.norm(np.diff(strings, axis=2), axis=3).sum(axis=2)
    np.testing.assert_allclose(lengths, np.broadcast_to(lengths[0], lengths.shape), rtol=0.01)
    for end in strings[:, :, -1].swapaxes(0, 1):
        tied = np.linalg.norm(doll[0] - end[0], axis=1).argmin()
        assert np.linalg.norm(doll[:, tied] - end, axis=1).max() < 1e-3
    # hands go up and down against each other with the bar
    hands = strings[:, :2, -1, 2]
    assert np.ptp(hands[:, 0] - hands[:, 1]) > 0.15
    assert np.corrcoef(hands[24:, 0] - hands[24:, 1], strings[24:, 0, 0, 2] - strings[24:, 1, 0, 2])[0, 1] > 0.8
    # it hangs: its feet stay in the air
    assert doll[:, :, 2].min() > 0.01
    assert baked.summary.greatest_volume_change < 0.03
