# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("bpy")

from blender_xpbd.addon.baking.notice_groups import notice_groups, result_line

INVERTED = "tetrahedra are inverted at frame"


def test_objects_of_the_same_notice_are_named_together():
    """Three fine Suzannes gave seven warnings."""
    names = ("Suzanne", "Suzanne.001", "Suzanne.002")
    told = [
        *(f'W_INVERTED: object "{name}": {4 + n} {INVERTED} {10 - n}.' for n, name in enumerate(names)),
        *(f'W_GEOM_LOOSE: object "{name}": 1,2{n}4 vertices belong to no face' for n, name in enumerate(names)),
        "W_IGNORED: the wind blows elsewhere.",
    ]
    assert notice_groups(told) == [
        f'"Suzanne", "Suzanne.001", "Suzanne.002": 4 to 6 {INVERTED} 8 to 10. (W_INVERTED)',
        '"Suzanne", "Suzanne.001", "Suzanne.002": 1,204 to 1,224 vertices belong to no face (W_GEOM_LOOSE)',
        "The wind blows elsewhere. (W_IGNORED)",
    ]


def test_what_is_said_otherwise_has_a_line_of_its_own_in_the_same_notice():
    told = [
        f'W_INVERTED: object "A": 6 {INVERTED} 4.',
        'W_INVERTED: object "B": 1 tetrahedron is inverted at frame 4.',
        'W_INVERTED: object "B": it meets "A.001".',
        'W_INVERTED: object "B": it meets "A.002".',
    ]
    assert notice_groups(told) == [
        (
            f'"A": 6 {INVERTED} 4.\n"B": 1 tetrahedron is inverted at frame 4.\n"B": it meets "A.001".\n'
            '"B": it meets "A.002". (W_INVERTED)'
        )
    ]


def test_many_names_are_counted():
    told = [f'W_QUALITY: object "{n}": too soft.' for n in range(9)]
    assert notice_groups(told) == ['"0", "1", "2" and 6 more: too soft. (W_QUALITY)']


@given(st.lists(st.text(max_size=20) | st.from_regex(r'W_[A-Z]{1,3}: (object "[a-z0-9.]*": )?[a-z0-9 "]*'), max_size=6))
def test_nothing_in_a_file_breaks_it(warnings):
    groups = notice_groups(warnings)
    assert all(isinstance(group, str) for group in groups)
    assert len(groups) <= len(warnings)


@pytest.mark.parametrize(
    ("report", "notices", "line"),
    [
        ({"frames": 72, "seconds": {"total": 4.0}}, 3, "Baked 72 frames in 4.0 s · 3 notices"),
        ({"frames": 1, "seconds": {"total": 75.0}}, 1, "Baked 1 frame in 1:15 · 1 notice"),
        ({"frames": 72, "from_cache": True, "seconds": {"total": 0.4}}, 0, "Baked 72 frames from cache"),
        # with the first word the end would be cut off
        ({"frames": 250, "from_cache": True}, 1, "250 frames from cache · 1 notice"),
        ({"frames": 250, "seconds": {"total": 12.3}}, 10, "250 frames in 12.3 s · 10 notices"),
        ({"frames": 5, "frame_start": 1, "frame_end": 9, "frame_step": 1, "complete": False}, 0, "Baked 5 of 9 frames"),
        (
            {"frames": 231, "frame_start": 1, "frame_end": 250, "frame_step": 1, "complete": False}
            | {"seconds": {"total": 54.5}},
            2,
            "Baked 231 of 250 frames · 2 notices",
        ),
        ({"frames": 0}, 2, "2 notices"),
        ([], 0, ""),
    ],
)
def test_the_line(report, notices, line):
    assert result_line(json.dumps(report), notices) == line
