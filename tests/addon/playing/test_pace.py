# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of a run, and how coarse it gets."""

from __future__ import annotations

import pytest


@pytest.fixture
def pace(bpy):
    from blender_xpbd.addon.playing.pace import Pace

    made = Pace(0.04)
    made.begin(20, has_solids=False)
    return made


def test_frames_are_due_by_the_clock_and_not_made_up_for_after_a_stop(pace):
    assert pace.is_due(100.0)
    pace.note_asked(100.0)
    assert not pace.is_due(100.03)
    assert pace.is_due(100.0401)
    pace.note_asked(100.05)
    # the clock goes on from when the frame was due
    assert pace.is_due(100.081)
    pace.note_asked(103.0)
    assert not pace.is_due(103.03)


def test_substeps_get_fewer_only_where_frames_are_late_for_long(pace):
    for _ in range(30):
        assert not pace.note_frame(0.02)
    for _ in range(5):
        assert not pace.note_frame(0.06)
    assert not pace.note_frame(0.02)
    assert not pace.is_coarser
    changes = [pace.note_frame(seconds) for seconds in (0.06, 0.06, 3.0, 0.06, 0.06, 0.06)]
    assert changes == [False] * 5 + [True]
    # so that a frame takes 0.7 of its time, whatever the one that had to wait took
    assert pace.substeps == 9
    assert pace.is_coarser


def test_substeps_get_more_again_where_there_is_time_for_them(pace):
    for _ in range(14):
        pace.note_frame(0.08)
    assert pace.substeps == 7
    counts = []
    for _ in range(120):
        pace.note_frame(0.001 * pace.substeps)
        counts.append(pace.substeps)
    assert sorted(set(counts)) == [7, 10, 15, 20]


def test_the_first_frames_do_not_count_and_some_substeps_stay(pace):
    assert not any(pace.note_frame(1.0) for _ in range(13))
    while pace.substeps > 2:
        pace.note_frame(1.0)
    assert not any(pace.note_frame(1.0) for _ in range(30))
    assert pace.substeps == 2


@pytest.mark.parametrize(("full", "least"), [(19, 7), (60, 20), (4, 2), (2, 2)])
def test_a_jelly_keeps_a_third_of_its_substeps(bpy, full, least):
    """With fewer it flies apart; the run is slower than its clock instead."""
    from blender_xpbd.addon.playing.pace import Pace

    pace = Pace(0.04)
    pace.begin(full, has_solids=True)
    for _ in range(200):
        pace.note_frame(5.0)
    assert pace.substeps == least
