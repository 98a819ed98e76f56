# SPDX-License-Identifier: GPL-3.0-or-later
"""The stiffness of XPBD stays where substeps and iterations change, and that of PBD does not."""

from __future__ import annotations

import pytest


@pytest.mark.slow
def test_xpbd_keeps_its_stiffness_and_pbd_does_not(bpy, bake_scene):
    from blender_xpbd.addon.gallery.pbd_beside_xpbd import PBD_BESIDE_XPBD

    sags = {}
    for substeps, iterations in ((5, 1), (20, 1), (20, 16), (80, 1), (80, 16)):
        motions = bake_scene(PBD_BESIDE_XPBD, substeps=substeps, iterations=iterations).motions
        for name, motion in motions.items():
            # further scenes have blocks of the same names, with a number
            mode = name.partition(".")[0]
            sags[mode, substeps, iterations] = motion[0, :, 2].min() - motion[-1, :, 2].min()
    physical = [sag for (mode, substeps, _), sag in sags.items() if mode == "XPBD" and substeps >= 20]
    assert max(physical) < 1.15 * min(physical)
    assert sags["PBD", 5, 1] > 10.0 * sags["PBD", 80, 1]
