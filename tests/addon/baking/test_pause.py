# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a bake without a window looks what the worker has done."""

from __future__ import annotations

import pytest


def looks(frame_seconds, frames):
    """How often it looks, and how late it sees each frame at most [s], of frames that take so long."""
    from blender_xpbd.addon.baking.pause import Pause
    from blender_xpbd.addon.baking.progress import SOLVING, Progress

    pause, now, count, latest = Pause(), 0.0, 0, 0.0
    seen = 0
    while seen < frames:
        done = min(int(now / frame_seconds + 1e-9), frames)
        if done > seen:
            latest, seen = max(latest, now - done * frame_seconds), done
        now += pause.seconds(Progress(SOLVING, frames_done=done), now)
        count += 1
    return count / now, latest


@pytest.mark.parametrize("frame_seconds", [0.01, 0.1, 0.5, 1.0, 30.0])
def test_no_frame_is_seen_much_later_than_it_is_there(bpy, frame_seconds):
    rate, latest = looks(frame_seconds, 20)
    assert latest <= 0.0201
    assert latest <= max(0.0051, 0.0201 * frame_seconds)
    # 200 times per second while frames come fast, and 50 in the end
    assert rate < (60.0 if frame_seconds > 10.0 else 201.0)
