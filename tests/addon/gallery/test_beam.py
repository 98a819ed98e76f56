# SPDX-License-Identifier: GPL-3.0-or-later
"""A beam swings about its sag as Euler and Bernoulli have it."""

from __future__ import annotations

import numpy as np
import pytest

GRAVITY = 9.81


def test_sag_and_period(bpy, bake_scene):
    from blender_xpbd.addon.gallery import beam

    motion = bake_scene(beam.BEAM).motions["Beam"]
    tip = motion[0, :, 0] > beam.LENGTH - 1e-6
    heights = motion[:, tip, 2].mean(axis=1)
    sunk = heights[0] - heights
    area, moment = beam.THICKNESS**2, beam.THICKNESS**4 / 12.0
    sag = beam.DENSITY * GRAVITY * area * beam.LENGTH**4 / (8.0 * beam.YOUNGS_MODULUS * moment)
    pace = np.sqrt(beam.YOUNGS_MODULUS * moment / (beam.DENSITY * area))
    period = 2.0 * np.pi / (1.8751041**2 * pace / beam.LENGTH**2)
    assert (sag, period) == pytest.approx((0.0294, 0.277), rel=3e-3)
    above = sunk - sunk.mean()
    rising = np.flatnonzero((above[:-1] < 0.0) & (above[1:] >= 0.0))
    moments = rising - above[rising] / (above[rising + 1] - above[rising])
    assert np.diff(moments).mean() / beam.FRAMES_PER_SECOND == pytest.approx(period, rel=0.05)
    whole = slice(rising[0], rising[-1])
    assert sunk[whole].mean() == pytest.approx(sag, rel=0.05)
