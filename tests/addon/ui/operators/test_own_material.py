# SPDX-License-Identifier: GPL-3.0-or-later
"""A preset becomes an own material."""

from __future__ import annotations

import pytest


def test_a_preset_becomes_an_own_material(bpy, make_body, select):
    body = make_body(role="JELLY")
    select(body)
    body.xpbd.preset = "RUBBER"
    bpy.ops.xpbd.own_material()
    assert body.xpbd.preset == "MATERIAL"
    assert body.xpbd.youngs_modulus == pytest.approx(1.5e6)
    assert not bpy.ops.xpbd.own_material.poll()
