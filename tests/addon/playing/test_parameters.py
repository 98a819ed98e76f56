# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that are changed while a run is played."""

from __future__ import annotations

import itertools

import pytest


@pytest.mark.parametrize("role", ["GRAINS", "CLOTH"])
def test_a_wider_radius_comes_slowly(bpy, make_body, role):
    """Wider all at once, what touches would be thrown apart."""
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.playing.parameters import LiveParameters

    scene, body = bpy.context.scene, make_body("Peas", role=role)
    body.xpbd.radius = 0.01
    live = LiveParameters(scene, read_first_frame(bpy.context, BakeOptions()), 1.0)

    def told():
        materials = live.changes(scene, 0).materials
        return materials["b0"]["radius"] if materials else 0.01

    assert told() == 0.01
    body.xpbd.radius, step = 0.02, 0.02 / 24
    radii = [told() for _ in range(14)]
    assert radii[0] == pytest.approx(0.01 + step)
    assert all(after - before <= step * 1.0001 for before, after in itertools.pairwise(radii))
    assert radii[-1] == pytest.approx(0.02)
    # what was told stays while nothing is changed, and narrower it is at once
    assert told() == radii[-1]
    body.xpbd.radius = 0.005
    assert told() == pytest.approx(0.005)
    # another run begins with what was read
    body.xpbd.radius = 0.02
    live.begin_again()
    assert told() == pytest.approx(0.01 + step)
