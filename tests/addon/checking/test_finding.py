# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as text: what was kept comes back, and a stranger's text does no harm."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def finding(bpy):
    from blender_xpbd.addon.checking import finding

    return finding


def test_what_was_kept_comes_back(finding):
    kept = (
        finding.Finding("W_INSIDE", "Cube", "Starts inside it."),
        finding.Finding("E_NOTHING", "", "Nothing to bake."),
    )
    assert finding.findings_of(finding.findings_text(kept)) == kept
    assert [one.is_fault for one in kept] == [False, True]
    assert str(kept[0]) == 'W_INSIDE: object "Cube": Starts inside it.'
    assert str(kept[1]) == "E_NOTHING: Nothing to bake."


@pytest.mark.parametrize("text", ["", "[", "{}", "3", "[" * 100_000])
def test_what_is_no_list_is_nothing(finding, text):
    assert finding.findings_of(text) is None


def test_rows_that_are_not_ours_are_left_out(finding):
    good = {"code": "W_FALLS", "object": "", "message": "It falls."}
    rows = [good, {**good, "code": "import os"}, {**good, "object": 3}, "text", None, {"code": "W_FALLS"}]
    assert finding.findings_of(json.dumps(rows)) == (finding.Finding(**good),)


@pytest.mark.parametrize(
    ("code", "name", "label"),
    [
        ("W_INSIDE", "Cube", "Lift"),
        ("W_INSIDE", "", ""),
        ("W_FALLS", "", "Add Floor"),
        ("W_COARSE", "Cube", "Subdivide"),
        ("W_RANGE", "", "Use Scene's"),
        ("W_RIG", "", "Follow the Rig"),
        ("W_IGNORED", "Wind", ""),
    ],
)
def test_what_a_button_can_mend_says_so(bpy, finding, code, name, label):
    found = finding.Finding(code, name, "…")
    assert finding.finding_values(found) == {"code": code, "object": name, "message": "…", "remedy": label}
    if found.remedy is not None:
        module, _, function = found.remedy.operator.partition(".")
        assert hasattr(getattr(bpy.ops, module), function)
