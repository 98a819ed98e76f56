# SPDX-License-Identifier: GPL-3.0-or-later
"""A pillow is blown up."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_the_pillow_is_round_and_lies_on_the_floor(bpy, bake_scene):
    from tutorial_scenes import PILLOW
    from tutorial_scenes.pillow import CELLS, MODELLED, SIZE

    baked = bake_scene(PILLOW)
    pillow = baked.motions["Pillow"]
    middle = (CELLS + 1) * (CELLS // 2) + CELLS // 2
    below = (CELLS + 1) ** 2 + (CELLS - 1) * (CELLS // 2 - 1) + CELLS // 2 - 1
    thickness = np.linalg.norm(pillow[:, middle] - pillow[:, below], axis=1)
    assert abs(thickness[0] - MODELLED) < 0.01
    assert thickness[-1] > 0.2 * SIZE
    assert pillow[:, :, 2].min() > -0.001
    assert pillow[-1, :, 2].min() < 0.01
    assert baked.summary.mean_strain < 0.03
