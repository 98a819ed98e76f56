# SPDX-License-Identifier: GPL-3.0-or-later
"""When an artist is told that nothing is heard of the worker."""

from __future__ import annotations

import pytest


@pytest.fixture
def silence(bpy):
    """A silence and a function that sets its clock."""
    from blender_xpbd.addon.baking.silence import Silence

    seconds = [0.0]
    return Silence(lambda: seconds[0]), lambda now: seconds.__setitem__(0, now)


def test_a_worker_that_hangs_is_named(silence):
    words, wait = silence[0].words, silence[1]
    assert words(3, 10.0) == ""
    wait(29.0)
    assert words(3, 10.0) == ""
    wait(31.0)
    assert words(3, 10.0).startswith("No frame for 31 s")
    assert words(4, 10.0) == ""
    wait(60.0)
    assert words(4, 10.0) == ""


def test_frames_that_take_long_have_more_time(silence):
    words, wait = silence[0].words, silence[1]
    assert words(3, 0.1) == ""
    wait(199.0)
    assert words(3, 0.1) == ""
    wait(201.0)
    assert "201 s" in words(3, 0.1)


def test_building_has_more_time_than_a_frame(silence):
    words, wait = silence[0].words, silence[1]
    assert words(0, 0.0) == ""
    wait(119.0)
    assert words(0, 0.0) == ""


def test_a_worker_that_hangs_before_its_first_frame_is_named(silence):
    words, wait = silence[0].words, silence[1]
    assert words(0, 0.0) == ""
    wait(121.0)
    assert words(0, 0.0).startswith("No frame after 121 s: much to build")
    assert "compiles for a new kind of scene" in words(0, 0.0)
    assert words(0, 0.0).endswith("the worker hangs. Cancel ends it")
    assert words(1, 0.0) == ""


def test_the_first_frame_takes_nothing_so_the_second_one_may_take_as_long_as_building(silence):
    words, wait = silence[0].words, silence[1]
    assert words(1, 0.0) == ""
    wait(119.0)
    assert words(1, 0.0) == ""
    wait(121.0)
    assert words(1, 0.0).startswith("Only the first frame after 121 s: much to build")
