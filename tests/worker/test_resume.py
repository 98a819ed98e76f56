# SPDX-License-Identifier: GPL-3.0-or-later
"""What an earlier run has left, whole and damaged."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.jobs.checkpoint import write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.result import BodyResult, Result, write_result
from blender_xpbd.jobs.status import Status, write_status
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import FrameRange
from blender_xpbd.worker.resume import find_start, had_checkpoint

FRAMES = FrameRange(-3, 20, 2)
KEPT = [-3, -1, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 20]
STATE = np.arange(3.0)


@pytest.fixture
def left(tmp_path):
    """A function that leaves what a run leaves: frames up to one of them, and a checkpoint of one or none."""

    def leave(newest=20, checkpoint=20, state="COMPLETE"):
        cache = FrameCache(tmp_path, 4, 1, 2)
        for frame in KEPT[: KEPT.index(newest) + 1]:
            cache.publish(frame, np.full((4, 3), frame, np.float32), np.zeros((1, 2)))
        write_result(tmp_path, Result((0, 0, 0), 4, (BodyResult("b0", "A", 0, 4, 4, 0, {}, ""),), "CPU", ("x", "y")))
        if checkpoint is not None:
            write_checkpoint(tmp_path, checkpoint, {"x": STATE})
        write_status(tmp_path, Status(state))
        return cache

    return leave


@pytest.fixture
def start(tmp_path):
    def find(cache):
        return find_start(tmp_path, FRAMES, cache, STATE.nbytes, was_saved=had_checkpoint(tmp_path))

    return find


def flip(path):
    content = bytearray(path.read_bytes())
    # early enough to be no white space at the end of a text
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-3])


def empty(path):
    path.write_bytes(b"")


def delete(path):
    path.unlink()


DAMAGES = [flip, truncate, empty, delete]


def state_of(found):
    return None if found.saved is None else found.saved[0]


@pytest.mark.parametrize(
    ("newest", "checkpoint", "state"), [(20, 20, "COMPLETE"), (9, 6, "RUNNING"), (3, None, "RUNNING")]
)
def test_what_is_whole_is_gone_on_from_without_a_word(left, start, newest, checkpoint, state):
    found = start(left(newest, checkpoint, state))
    assert state_of(found) == checkpoint
    assert found.notice is None


def test_a_first_run(tmp_path, start):
    found = start(FrameCache(tmp_path, 4, 1, 2))
    assert (found.saved, found.notice) == (None, None)


@pytest.mark.parametrize("damage", DAMAGES)
def test_frames_are_named_and_all_computed_again(left, start, damage):
    cache = left()
    for frame in (1, 7):
        damage(cache.path(frame))
    found = start(cache)
    what = "missing" if damage is delete else "damaged"
    assert found.saved is None
    assert str(found.notice) == (
        f"W_CACHE_DAMAGED: Frames 1 and 7 of the cache are {what}. All frames were computed again, from frame -3 on."
    )


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_frame_after_the_checkpoint_costs_no_more(left, start, damage):
    cache = left(11, 6, "RUNNING")
    damage(cache.path(9))
    found = start(cache)
    assert state_of(found) == 6
    assert "Frame 9 of the cache is" in found.notice.message
    assert "went on after frame 6" in found.notice.message


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_before_the_first_checkpoint_is_told_too(left, start, damage):
    cache = left(5, None, "RUNNING")
    damage(cache.path(1))
    found = start(cache)
    assert found.saved is None
    assert "Frame 1 of the cache is" in found.notice.message
    assert "from frame -3 on" in found.notice.message


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("state", ["COMPLETE", "INTERRUPTED"])
def test_a_checkpoint(left, start, tmp_path, damage, state):
    cache = left(state=state)
    damage(tmp_path / "checkpoint.bin")
    found = start(cache)
    assert found.saved is None
    assert str(tmp_path / "checkpoint.bin") in found.notice.message
    assert "All frames were computed again" in found.notice.message


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_result(left, start, tmp_path, damage):
    cache = left()
    damage(tmp_path / "result.json")
    found = start(cache)
    assert state_of(found) == 20
    assert str(tmp_path / "result.json") in found.notice.message
    assert "No frame had to be computed again" in found.notice.message


def test_a_checkpoint_of_another_frame(left, start):
    found = start(left(checkpoint=21))
    assert found.saved is None
    assert "is of frame 21" in found.notice.message


def test_a_checkpoint_larger_than_the_state(left, start, tmp_path):
    cache = left()
    write_checkpoint(tmp_path, 20, {"x": np.zeros(2**18)})
    found = start(cache)
    assert found.saved is None
    assert "more than a state of this job may have" in found.notice.message


def test_many_frames_are_counted(left, start):
    cache = left()
    for frame in KEPT[1:9]:
        empty(cache.path(frame))
    assert "Frames -1, 1, 3, 5, 7 and 3 more of the cache are damaged." in start(cache).notice.message


def test_a_torn_status_is_no_obstacle(left, start, tmp_path):
    cache = left()
    (tmp_path / "status.json").write_bytes(bytes(40))
    assert state_of(start(cache)) == 20


def test_a_file_that_cannot_be_read_is_no_damage(left, start, tmp_path, monkeypatch):
    from blender_xpbd.worker import resume

    cache = left()

    def refuse(_folder):
        raise XpbdError("E_IO", "Input/output error.")

    monkeypatch.setattr(resume, "read_result", refuse)
    with pytest.raises(XpbdError, match="E_IO"):
        start(cache)
