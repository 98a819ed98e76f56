# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands swing as long as theory has it, and in their plane."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_periods(bpy, bake_scene):
    from blender_xpbd.addon.gallery import pendulums

    motions = bake_scene(pendulums.PENDULUMS).motions
    wanted = {"Link from 10°": (2.0099, 0.005), "Link from 90°": (2.3678, 0.005), "Chain": (1.6684, 0.01)}
    for name, (period, tolerance) in wanted.items():
        motion = motions[name]
        aside = motion[:, -1, 0]
        falling = np.flatnonzero((aside[:-1] > 0.0) & (aside[1:] <= 0.0))
        moments = falling + aside[falling] / (aside[falling] - aside[falling + 1])
        found = np.diff(moments).mean() / pendulums.FRAMES_PER_SECOND
        assert found == pytest.approx(period, rel=tolerance), name
        assert np.ptp(motion[:, :, 1]) <= 1e-4, name
        links = np.linalg.norm(np.diff(motion, axis=1), axis=2)
        assert np.abs(links / links[0] - 1.0).max() <= 1e-3, name
