# SPDX-License-Identifier: GPL-3.0-or-later
"""A bear of jelly drops onto a plate."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_the_bear_is_squashed_wobbles_and_stays_on_the_plate(bpy, bake_scene):
    from tutorial_scenes import TOY_ON_A_PLATE

    baked = bake_scene(TOY_ON_A_PLATE)
    bear = baked.motions["Bear"]
    height = np.ptp(bear[:, :, 2], axis=1)
    assert height.min() < 0.95 * height[0]
    # it has come back, and sags a little
    assert 0.85 * height[0] < height[-1] < 1.05 * height[0]
    # the face of the plate is at 2 cm
    on_face = np.hypot(bear[:, :, 0], bear[:, :, 1]) < 0.15
    assert bear[:, :, 2][on_face].min() > 0.018
    # a few of the paws are inside out at the hit, and come back
    assert baked.summary.inverted_tetrahedra < 0.002 * baked.summary.tetrahedra
    assert baked.summary.mean_strain < 0.05
