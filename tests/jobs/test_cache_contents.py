# SPDX-License-Identifier: GPL-3.0-or-later
"""Job folders are told apart from what else lies in a cache, freed, and handed on whole."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.jobs import cache_contents
from blender_xpbd.jobs.cache_contents import (
    folder_size,
    free_jobs,
    hand_on,
    hand_on_all,
    job_folders,
    last_change,
    needed_jobs,
)
from blender_xpbd.jobs.checkpoint import checkpoint_frame, write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.milestones import states_until, write_milestone
from blender_xpbd.jobs.status import Status, read_status, write_status
from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def computed(job):
    """A job with a frame, a state and a status."""
    FrameCache(job, 4, 1, 2).publish(1, np.ones((4, 3), np.float32), np.zeros((1, 2)))
    write_checkpoint(job, 1, {"x": np.arange(3.0)})
    write_status(job, Status("COMPLETE"))
    return job


def test_only_jobs_are_jobs(computed):
    cache = computed.parent
    (cache / ("0" * 24)).mkdir()
    (cache / "notes").mkdir()
    (cache / "notes" / "job.json").write_text("{}")
    (cache / ("1" * 24)).symlink_to(computed)
    assert job_folders(cache) == [computed]
    assert job_folders(cache / "missing") == []


def test_unused_jobs_go_and_nothing_else_does(computed):
    cache = computed.parent
    (cache / "notes.txt").write_text("mine")
    size = folder_size(computed)
    assert size > 1000
    assert free_jobs(cache, {computed.name}) == (0, 0)
    count, freed = free_jobs(cache, set())
    assert (count, freed) == (1, size)
    assert [path.name for path in cache.iterdir()] == ["notes.txt"]


def test_a_job_that_is_being_computed_stays(computed):
    with JobLock(computed):
        assert free_jobs(computed.parent, set()) == (0, 0)
    assert computed.is_dir()


def test_what_another_process_deletes_meanwhile_is_skipped(computed, monkeypatch):
    gone = computed.with_name("0" * 24)
    monkeypatch.setattr(cache_contents, "job_folders", lambda _cache: [gone, computed])
    assert last_change(computed.parent) == pytest.approx(time.time(), abs=60.0)
    assert free_jobs(computed.parent, set())[0] == 1
    assert not computed.exists()


def test_none_of_two_that_delete_a_job_leaves_the_rest(computed, monkeypatch):
    delete = shutil.rmtree

    def begin_with(folder, **_options):
        monkeypatch.setattr(shutil, "rmtree", delete)
        (folder / "job.json").unlink()
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(shutil, "rmtree", begin_with)
    assert free_jobs(computed.parent, set()) == (0, 0)
    assert not computed.exists()


def test_what_a_link_leads_to_stays(computed, tmp_path):
    far = tmp_path / "far"
    far.mkdir()
    (far / "kept.txt").write_text("mine")
    (computed / "frames" / "more").symlink_to(far)
    free_jobs(computed.parent, set())
    assert (far / "kept.txt").read_text() == "mine"


def test_a_job_is_handed_on_whole(computed, scene, tmp_path):
    target = tmp_path / "other" / computed.name
    hand_on(computed, target)
    assert write_job(tmp_path / "other", scene) == target
    assert read_job(target).frames == scene.frames
    assert FrameCache(target, 4, 1, 2).read(1).positions.tobytes() == np.ones((4, 3), np.float32).tobytes()
    assert checkpoint_frame(target) == 1
    assert read_status(target) == Status("COMPLETE")
    # a new frame of one is none of the other
    FrameCache(target, 4, 1, 2).publish(1, np.zeros((4, 3), np.float32), np.zeros((1, 2)))
    assert FrameCache(computed, 4, 1, 2).read(1).positions.all()


def test_a_job_is_copied_where_links_are_refused(computed, tmp_path, monkeypatch):
    def refuse(*_arguments, **_keywords):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    target = tmp_path / "other" / computed.name
    hand_on(computed, target)
    assert FrameCache(target, 4, 1, 2).verify(1)
    assert checkpoint_frame(target) == 1


def test_a_job_takes_along_what_it_goes_on_from(computed, scene, tmp_path):
    write_milestone(computed, 1, {"x": np.arange(3.0)})
    later = write_job(computed.parent, replace(scene, beginning=Beginning(computed.name, 0)))
    gone = Beginning("0" * 24, 0)
    last = write_job(computed.parent, replace(scene, air_density=2.0, beginning=gone))
    assert needed_jobs(computed.parent, [later.name]) == {computed.name, later.name}
    assert needed_jobs(computed.parent, [last.name]) == {last.name, gone.job}
    hand_on_all(later, tmp_path / "other")
    hand_on_all(last, tmp_path / "other")
    assert {path.name for path in job_folders(tmp_path / "other")} == {computed.name, later.name, last.name}
    assert not (tmp_path / "other" / gone.job).exists()
    (computed / "checkpoint.bin").unlink()
    assert states_until(tmp_path / "other" / computed.name, 5)[-1][0] == 1


def test_a_played_run_that_nobody_keeps_goes_with_its_folder(computed):
    cache = computed.parent
    played = cache / f"played_{'ab' * 6}"
    played.mkdir()
    computed.rename(played / computed.name)
    assert job_folders(cache) == [played / computed.name]
    assert free_jobs(cache, {computed.name}) == (0, 0)
    assert free_jobs(cache, set())[0] == 1
    assert not played.exists()


def test_a_link_among_the_frames_leads_nowhere(computed, tmp_path):
    (tmp_path / "secret").write_text("mine")
    (computed / "result.json").symlink_to(tmp_path / "secret")
    with pytest.raises(XpbdError) as caught:
        hand_on(computed, tmp_path / "other" / computed.name)
    assert caught.value.code == "E_CACHE"
