# SPDX-License-Identifier: GPL-3.0-or-later
"""A curtain is drawn."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.slow
def test_the_curtain_is_drawn_into_folds_that_do_not_cross(bpy, bake_scene):
    from tutorial_scenes import CURTAIN
    from tutorial_scenes.curtain import COLUMNS, DRAWN, HEIGHT, ROWS, WIDTH

    baked = bake_scene(CURTAIN)
    curtain = baked.motions["Curtain"].reshape(-1, ROWS, COLUMNS, 3)
    width = np.ptp(curtain[..., 0], axis=2).mean(axis=1)
    assert width[0] > 0.99 * WIDTH
    assert width[-1] < 1.3 * DRAWN * WIDTH
    # it hangs as long as it is
    assert abs(np.ptp(curtain[-1, :, :, 2]) / HEIGHT - 1.0) < 0.05
    assert baked.summary.mean_strain < 0.03
    assert [entry["crossings_end"] for entry in baked.summary.contact] == [0]
