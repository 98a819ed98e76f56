# SPDX-License-Identifier: GPL-3.0-or-later
"""A helix sags as a coil spring, and shaking does not tangle it."""

from __future__ import annotations

import math

import numpy as np
import pytest

GRAVITY = 9.81


@pytest.mark.slow
def test_sag_and_shaking(bpy, bake_scene):
    from blender_xpbd.addon.gallery import helix

    motion = bake_scene(helix.HELIX).motions["Curl"]
    wire, turn = helix.WIRE, 2.0 * helix.RADIUS
    length = math.hypot(math.pi * turn * helix.TURNS, helix.HEIGHT)
    weight = helix.DENSITY * math.pi * (0.5 * wire) ** 2 * length * GRAVITY
    sag = 0.5 * weight / (helix.SHEAR_MODULUS * wire**4 / (8.0 * turn**3 * helix.TURNS))
    sunk = motion[0, -1, 2] - motion[:, -1, 2]
    rest = int(1.0 * helix.FRAMES_PER_SECOND)
    before = sunk[: 1 + helix.HANGS * helix.FRAMES_PER_SECOND][-rest:]
    assert before.mean() == pytest.approx(sag, rel=0.1)
    assert sunk[-rest:].mean() == pytest.approx(sag, rel=0.1), "it comes back as it was"
    lengths = np.linalg.norm(np.diff(motion, axis=1), axis=2).sum(axis=1)
    assert np.abs(lengths / lengths[0] - 1.0).max() <= 0.01
    drops = -np.diff(motion[-1, :, 2])
    assert (drops > 0.0).all(), "no turn has passed another"
