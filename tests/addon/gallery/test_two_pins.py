# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloth that hangs from two corners hardly stretches."""

from __future__ import annotations

import numpy as np


def test_strain(bpy, bake_scene):
    from blender_xpbd.addon.gallery.two_pins import TWO_PINS

    baked = bake_scene(TWO_PINS)
    motion = baked.motions["Cloth"]
    edges = np.array([edge.vertices[:] for edge in bpy.data.objects["Cloth"].data.edges])
    lengths = np.linalg.norm(motion[:, edges[:, 0]] - motion[:, edges[:, 1]], axis=2)
    strains = np.abs(lengths / lengths[0] - 1.0)
    assert strains.mean(axis=1).max() <= 0.005
    assert strains.max() <= 0.05
    assert motion[60, :, 2].min() < 0.6, "it hangs"
