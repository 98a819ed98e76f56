# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball breaks through a slab of jelly."""

from __future__ import annotations

import re

import numpy as np
import pytest

from blender_xpbd.geometry.surface.topology import triangulate


def volumes(positions, triangles, pieces):
    """Of each piece [m³], shape (pieces,)."""
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    sixths = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    return np.bincount(pieces[triangles[:, 0]] - 1, sixths)


@pytest.mark.slow
def test_a_ball_breaks_through_the_slab(bpy, bake_scene):
    from blender_xpbd.addon.data.link_attributes import SEAM
    from blender_xpbd.addon.gallery.breaking_jelly import BREAKING_JELLY, HEIGHT, PIECES, SIZE, STRIKE
    from blender_xpbd.addon.keys.clearing import clear_bake
    from blender_xpbd.addon.reading.points import read_polygons

    baked = bake_scene(BREAKING_JELLY)
    motion = baked.motions["Slab"]
    told = [text for text in baked.summary.warnings if "W_TORN" in str(text)]
    assert len(told) == 1
    torn, count = map(int, re.findall(r"(\d+) of (\d+) seams", str(told[0]))[0])
    assert 10 < torn < count
    mesh = bpy.data.objects["Slab"].data
    pieces = np.array([item.value for item in mesh.attributes[SEAM].data])
    assert len(np.unique(pieces)) == PIECES
    # what was cut is at one place until it tears there
    places = np.unique(motion[0], axis=0, return_inverse=True)[1].reshape(-1)
    spread = np.array([max(np.ptp(frame[places == k], axis=0).max() for k in np.unique(places)) for frame in motion])
    assert (spread[:STRIKE] < 1e-6).all()
    assert spread[-1] > 0.1
    # some pieces have fallen, and the ends stay
    middles = np.array([motion[-1, pieces == piece, 2].mean() for piece in range(1, PIECES + 1)])
    assert (middles < 0.3 * HEIGHT).any()
    ends = np.abs(motion[0, :, 0]) > 0.499 * SIZE[0]
    assert np.abs(motion[-1, ends] - motion[0, ends]).max() < 1e-3
    assert motion[:, :, 2].min() > -1e-3
    triangles = triangulate(*read_polygons(mesh))
    kept = volumes(motion[-1], triangles, pieces) / volumes(motion[0], triangles, pieces)
    assert np.abs(kept - 1.0).max() < 0.1
    # the bake is taken back, and what was cut stays cut
    obj = bpy.data.objects["Slab"]
    assert obj.data.shape_keys is not None
    clear_bake(obj)
    assert obj.data.shape_keys is None
    assert len(obj.data.vertices) == motion.shape[1]
