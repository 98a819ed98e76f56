# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball tears a hole into a sheet."""

from __future__ import annotations

import re

import numpy as np
import pytest


@pytest.mark.slow
def test_the_sheet_tears_around_the_ball(bpy, bake_scene):
    from blender_xpbd.addon.gallery.tearing import TEARING, VERTICES

    baked = bake_scene(TEARING)
    motion = baked.motions["Sheet"]
    told = [text for text in baked.summary.warnings if "W_TORN" in str(text)]
    assert len(told) == 1
    torn, count = map(int, re.findall(r"(\d+) of (\d+) seams", str(told[0]))[0])
    assert count == 2 * (VERTICES - 1) * (VERTICES - 2)
    assert 8 <= torn <= 130
    # copies of a vertex are at one place until it tears there
    identifiers = np.unique(motion[0].round(5), axis=0, return_inverse=True)[1].reshape(-1)
    spread = np.array([max(np.ptp(f[identifiers == k], axis=0).max() for k in range(VERTICES**2)) for f in motion])
    assert (spread[:8] == 0.0).all()
    assert spread[-1] > 0.05
    # what holds the sheet still does
    pinned = np.abs(motion[0, :, 0]) > 0.499
    assert np.abs(motion[-1, pinned] - motion[0, pinned]).max() < 1e-5
