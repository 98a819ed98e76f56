# SPDX-License-Identifier: GPL-3.0-or-later
"""The report in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(autouse=True)
def _needs_blender(bpy):
    pass


@pytest.mark.parametrize(
    ("frames", "waiting", "words"),
    [
        (0, 0, "before its first frame"),
        (0, 5, "0 of 11 frames are shape keys, 5 more"),
        (3, 0, "3 of 11 frames are shape keys. Bake again to go on"),
        (3, 5, "3 of 11 frames are shape keys, 5 more are solved and wait in the cache. Bake again to get them"),
    ],
)
def test_after_a_cancel(frames, waiting, words):
    from blender_xpbd.addon.baking.report_text import cancelled_text, summary_rows

    report = {"frames": frames, "frames_waiting": waiting, "frame_start": 1, "frame_end": 51, "frame_step": 5}
    assert words in cancelled_text(json.dumps(report))
    if frames:
        assert ("In the Cache", "5 more") in summary_rows(json.dumps(report)) or not waiting


@pytest.mark.parametrize(
    ("frames", "complete", "words"),
    [
        (16, True, "The bake before is back"),
        (0, False, "the region stays"),
        (3, False, "undo, and take the region back"),
    ],
)
def test_after_a_cancel_of_what_takes_a_region_back(frames, complete, words):
    from blender_xpbd.addon.baking.report_text import cancelled_text

    report = {"taken_back": "Shirt", "frames": frames, "complete": complete, "frame_start": 1, "frame_end": 16}
    text = cancelled_text(json.dumps(report | {"frame_step": 1, "frames_waiting": 16 - frames}))
    assert words in text
    assert "Bake again" not in text


def test_a_jelly():
    from blender_xpbd.addon.baking.report_text import summary_rows

    report = {
        "frames": 250,
        "seconds": {"total": 75.2},
        "solver_fps": 1234.5,
        "device": "CPU",
        "tetrahedra": 10,
        "greatest_strain": 0.123,
        "greatest_volume_change": 2.5,
        "inverted_tetrahedra": 3,
    }
    assert summary_rows(json.dumps(report)) == (
        ("Frames", "250 in 1:15"),
        ("Solver", "1,234 fps"),
        ("Device", "CPU"),
        ("Greatest Strain", "12.3 %"),
        ("Volume Change", "250 %"),
        ("Inside Out", "3 tetrahedra"),
    )


@pytest.mark.parametrize(("step", "wanted"), [(1, 101), (10, 11), (30, 5)])
def test_an_unfinished_bake(step, wanted):
    from blender_xpbd.addon.baking.report_text import summary_rows

    report = {"frames": 3, "complete": False, "frame_start": 0, "frame_end": 100, "frame_step": step}
    assert summary_rows(json.dumps(report)) == (("Frames", f"3 of {wanted}"),)
    assert summary_rows(json.dumps({**report, "complete": True})) == (("Frames", "3"),)


def test_a_cloth_has_no_volume():
    from blender_xpbd.addon.baking.report_text import summary_rows

    report = {"frames": 2, "seconds": {}, "solver_fps": 0.55, "tetrahedra": 0, "greatest_volume_change": None}
    assert summary_rows(json.dumps(report)) == (("Frames", "2"), ("Solver", "0.55 fps"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('E_PARAM: object "A": too low.', 'Object "A": too low. (E_PARAM)'),
        ("W_PRECISION: far away", "Far away (W_PRECISION)"),
        ("something else: so", "something else: so"),
        ("", ""),
    ],
)
def test_the_code_goes_to_the_end(text, words):
    from blender_xpbd.addon.baking.report_text import plain_words

    assert plain_words(text) == words


def test_faults_are_told_one_by_one_and_objects_of_the_same_fault_together():
    from blender_xpbd.addon.baking.report_text import fault_paragraphs

    text = """E_DATA_LINKED: object "A": Make it local.
E_GEOM_EMPTY: object "B": The mesh has no faces.
E_DATA_LINKED: object "C": Make it local.
E_TRANSFORM_SINGULAR: object "D" frame 3: Give it a size.
E_WORKER: It crashed. Its last words: one
two"""
    assert fault_paragraphs(text) == [
        'Objects "A", "C": Make it local. (E_DATA_LINKED)',
        'Object "B": The mesh has no faces. (E_GEOM_EMPTY)',
        'Object "D" frame 3: Give it a size. (E_TRANSFORM_SINGULAR)',
        "It crashed. Its last words: one\ntwo (E_WORKER)",
    ]
    assert fault_paragraphs("Baked 5 frames") == ["Baked 5 frames"]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3),
    max_leaves=4,
)
_NAMES = st.sampled_from(
    [
        "frames",
        "seconds",
        "solver_fps",
        "device",
        "tetrahedra",
        "greatest_strain",
        "warnings",
        "error",
        "frame_start",
        "frame_end",
        "frame_step",
        "complete",
    ]
)


@given(st.dictionaries(_NAMES, _VALUES).map(json.dumps) | st.text(max_size=20))
def test_nothing_in_a_file_breaks_the_panel(report):
    from blender_xpbd.addon.baking.report_text import fault_paragraphs, summary_error, summary_rows, summary_warnings

    assert all(isinstance(word, str) for row in summary_rows(report) for word in row)
    assert all(isinstance(word, str) for word in summary_warnings(report))
    assert all(isinstance(word, str) for word in fault_paragraphs(summary_error(report)))


def test_a_bake_that_was_refused_leaves_the_cache_of_the_one_before_to_be_found():
    from blender_xpbd.addon.baking.report_text import report_after, summary_of

    former = json.dumps({"frames": 3, "cache": "/cache/job", "cache_bytes": 5000000})
    refused = json.dumps({"frames": 0, "cache": "", "cache_bytes": 0, "error": "E_FRAME_RANGE: no"})
    kept = summary_of(report_after(former, refused))
    assert kept == {"frames": 0, "cache": "/cache/job", "cache_bytes": 5000000, "error": "E_FRAME_RANGE: no"}
    other = json.dumps({"frames": 1, "cache": "/cache/other", "cache_bytes": 1})
    assert report_after(former, other) == other
    assert report_after("", refused) == refused
    assert report_after("[]", refused) == refused


CANCELLED = {"frames": 3, "frames_waiting": 2, "whole": True, "complete": False, "error": ""}


@pytest.mark.parametrize(
    ("changes", "goes_on"),
    [
        ({}, True),
        ({"frames": 0}, True),
        ({"frames": 0, "frames_waiting": 0}, False),
        ({"whole": False}, False),
        ({"complete": True}, False),
        ({"error": "E_DIVERGED: so"}, False),
    ],
)
def test_bake_goes_on_with_what_was_cancelled(changes, goes_on):
    from blender_xpbd.addon.baking.report_text import was_cancelled

    assert was_cancelled(json.dumps(CANCELLED | changes)) is goes_on


@pytest.mark.parametrize("report", ["", "{", "[]", '{"frames": 3, "frames_waiting": 2}', '{"frames": "x"}'])
def test_what_does_not_tell_was_not_cancelled(report):
    from blender_xpbd.addon.baking.report_text import was_cancelled

    assert not was_cancelled(report)
