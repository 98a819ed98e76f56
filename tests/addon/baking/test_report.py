# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary of a bake is strict JSON, whatever the numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from blender_xpbd.scene.errors import Notice, XpbdError


def test_statistics_keep_the_greatest(bpy):
    from blender_xpbd.addon.baking.report import BakeSummary

    names = ("greatest_strain", "mean_strain", "volume_change", "inverted_tetrahedra")
    summary = BakeSummary()
    summary.add_statistics(names, np.array([[0.1, 0.05, -0.3, 0.0], [0.2, 0.9, 0.1, 2.0]]))
    summary.add_statistics(names, np.array([[np.nan, np.inf, np.nan, 0.0], [0.1, 0.0, 0.0, 1.0]]))
    assert summary.greatest_strain == 0.2
    assert summary.greatest_volume_change == 0.3
    assert summary.inverted_tetrahedra == 2


def test_json_is_strict_and_on_one_line(bpy):
    from blender_xpbd.addon.baking.report import BakeSummary

    summary = BakeSummary(objects=['"\n'], solver_fps=float("inf"), seconds={"solve": float("nan")})
    summary.add_notice(Notice("W_PIN_GROUP", "text", "A"))
    summary.add_notice(Notice("W_PIN_GROUP", "text", "A"))
    summary.fail(XpbdError("E_IO", "text"))
    text = summary.to_json()
    assert "\n" not in text
    values = json.loads(text, parse_constant=lambda name: 1 / 0)
    assert values["solver_fps"] is None
    assert values["seconds"] == {"solve": None}
    assert values["warnings"] == ['W_PIN_GROUP: object "A": text']
    assert values["error"] == "E_IO: text"


@pytest.mark.parametrize("code", ["W_THIN", "W_ALL_PINNED"])
def test_what_reading_and_worker_tell_is_told_once_by_what_told_it_first(bpy, code):
    from blender_xpbd.addon.baking.report import BakeSummary

    summary = BakeSummary()
    for text, name in (("by rays", "A"), ("by volume", "A"), ("by volume", "B")):
        summary.add_notice(Notice(code, text, name))
    summary.add_notice(Notice("W_PIN_GROUP", "one", "A"))
    summary.add_notice(Notice("W_PIN_GROUP", "other", "A"))
    assert [text.split()[-1] for text in summary.warnings] == ["rays", "volume", "one", "other"]
