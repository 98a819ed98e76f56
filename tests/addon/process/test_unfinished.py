# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bake of a cache was stopped, and which is none to tell of."""

from __future__ import annotations

import time

import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.status import Status, write_status
from tests.solver.scenes import cloth, scene


@pytest.fixture
def cache(bpy, tmp_path):
    """With a job of which 3 of 9 frames are there; the function writes another status of another job."""
    made = []

    def add(state="INTERRUPTED", done=3, frames=9):
        job = write_job(tmp_path / "cache", scene(cloth(4), frames=(1, frames + len(made)), substeps=2))
        time.sleep(0.01)
        write_status(job, Status(state, 3, done, frames))
        made.append(job)
        return job

    add()
    return add


def found(job, since=0.0):
    from blender_xpbd.addon.process.unfinished import unfinished_bake

    status = unfinished_bake(job.parent, since)
    return None if status is None else (status.frames_done, status.frames_total)


@pytest.mark.parametrize("state", ["RUNNING", "INTERRUPTED", "STARTING"])
def test_the_newest_that_was_stopped_or_killed(cache, state):
    assert found(cache(state, 5)) == (5, 9)


@pytest.mark.parametrize(("state", "done"), [("COMPLETE", 9), ("FAILED", 5), ("RUNNING", 0)])
def test_none_where_the_newest_is_whole_has_failed_or_has_no_frame(cache, state, done):
    assert found(cache(state, done)) is None


def test_none_that_the_file_knows_of(cache):
    assert found(cache(), time.time() + 5.0) is None


def test_none_that_another_is_computing(cache):
    job = cache()
    with JobLock(job):
        assert found(job) is None
    assert found(job) == (3, 9)


def test_what_is_damaged_is_none(cache):
    job = cache()
    (job / "status.json").write_text("[[[", encoding="utf-8")
    assert found(job) is None
