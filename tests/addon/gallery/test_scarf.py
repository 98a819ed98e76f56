# SPDX-License-Identifier: GPL-3.0-or-later
"""The fringe of a scarf hangs on it, beside the rail."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_threads_hang_on_a_scarf(bpy, bake_scene):
    from blender_xpbd.addon.gallery import scarf as scene

    baked = bake_scene(scene.SCARF)
    motion = baked.motions["Scarf"]
    threads = motion[:, scene.COLUMNS * scene.ROWS :].reshape(len(motion), 2 * scene.THREADS, scene.SEGMENTS, 3)
    lengths = np.linalg.norm(np.diff(threads, axis=2), axis=3)
    assert lengths.mean() == pytest.approx(scene.SEGMENT, rel=0.01)
    np.testing.assert_allclose(lengths, scene.SEGMENT, rtol=0.1)
    drops = threads[-1, :, 0, 2] - threads[-1, :, -1, 2]
    assert drops.min() > 0.0
    assert drops.mean() > 0.5 * (scene.SEGMENTS - 1) * scene.SEGMENT
    assert np.hypot(motion[:, :, 1], motion[:, :, 2] - scene.HEIGHT).min() >= scene.RADIUS
    assert [entry["crossings_end"] for entry in baked.summary.contact] == [0]
    assert [entry["tunnelled"] for entry in baked.summary.contact] == [0]
