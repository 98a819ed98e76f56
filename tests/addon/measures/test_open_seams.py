# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams that a bake leaves open are told; those that it closes are not."""

from __future__ import annotations

import sys

import numpy as np
import pytest


@pytest.mark.parametrize("frames", [4, 20])
def test_seams_at_the_last_frame(bpy, tmp_path, make_body, frames):
    """Panels 0.5 m apart, sewn without gravity: 0.125 s close a quarter of that, 0.8 s all of it."""
    from blender_xpbd.addon.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 5)))
    panels = [np.column_stack((x + side * 1.5, y, np.zeros(25))) for side in (0, 1)]
    quads = [(i, i + 1, i + 6, i + 5) for row in range(4) for i in range(5 * row, 5 * row + 4)]
    seams = [(5 * row + 4, 25 + 5 * row) for row in range(5)]
    mesh = bpy.data.meshes.new("Panels")
    mesh.from_pydata(np.concatenate(panels).tolist(), seams, quads + [tuple(i + 25 for i in quad) for quad in quads])
    body = make_body("Panels", mesh=mesh)
    body.xpbd.use_stitches = True
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    options = BakeOptions(frame_start=1, frame_end=frames, cache=tmp_path / "cache", worker_python=sys.executable)
    told = [text for text in run_bake(bpy.context, options).warnings if text.startswith("W_OPEN_SEAM")]
    assert len(told) == (1 if frames == 4 else 0)
    if told:
        assert '"Panels": 5 of 5 seam edges are open' in told[0]
