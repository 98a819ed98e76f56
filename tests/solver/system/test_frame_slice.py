# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from blender_xpbd.solver.system.frame_slice import WHOLE, FrameSlice


def test_slices_follow_each_other_through_the_frame():
    times = [FrameSlice(number, 3).times(4) for number in range(3)]
    np.testing.assert_allclose(np.concatenate([times[0], times[1][1:], times[2][1:]]), np.linspace(0.0, 1.0, 13))
    start, end = np.array([0.0, 3.0]), np.array([3.0, 0.0])
    np.testing.assert_allclose(FrameSlice(1, 3).ends(start, end), [[1.0, 2.0], [2.0, 1.0]])


def test_a_whole_frame_has_the_very_places():
    start, end = np.array([0.1]), np.array([0.7])
    assert WHOLE.ends(start, end)[0] is start
    assert WHOLE.ends(start, end)[1] is end
    assert FrameSlice(0, 2).ends(start, end)[0] is start
    assert FrameSlice(1, 2).ends(start, end)[1] is end
    assert FrameSlice(0, 2).ends(start, end)[1] == pytest.approx(0.4)
