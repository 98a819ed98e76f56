# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery's flag, at default settings."""

from __future__ import annotations

import pytest


@pytest.mark.slow
def test_the_flag_flies(bpy, bake_scene):
    from tutorial_scenes import FLAG

    from blender_xpbd.addon.gallery.flag import COLUMNS, ROWS, WIDTH

    baked = bake_scene(FLAG)
    flown = baked.motions["Flag"].reshape(-1, ROWS, COLUMNS, 3)[-48:, :, -1]
    assert flown[:, :, 0].mean() > 0.5 * WIDTH
    assert flown[:, :, 1].std(axis=0).mean() > 0.02
    assert baked.summary.mean_strain < 0.03
    assert [entry["crossings_end"] for entry in baked.summary.contact] == [0]
