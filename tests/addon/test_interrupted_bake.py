# SPDX-License-Identifier: GPL-3.0-or-later
"""A script drives a bake, and the add-on or the file goes away: a clean end, at whichever step."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def options(tmp_path):
    from blender_xpbd.addon.data.bake_options import BakeOptions

    return BakeOptions(cache=tmp_path / "cache", frame_start=1, frame_end=200, substeps=2)


@pytest.fixture
def steps(bpy, make_body, fake_worker, options):
    """A long bake of an object that is followed through the frames, before its first step."""
    from blender_xpbd.addon.baking.bake import bake

    body = make_body("Body")
    for frame, height in ((1, 0.0), (200, 5.0)):
        body.location.z = height
        body.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(7)
    fake_worker(seconds=0.02)
    return bake(bpy.context, options)


def until(steps, condition):
    for progress in steps:
        if condition(progress):
            return
        time.sleep(0.002)


MOMENTS = {
    "first": lambda progress: True,
    "reading": lambda progress: progress.frames_done >= 5,
    "starting": lambda progress: progress.stage == "STARTING",
    "solving": lambda progress: progress.stage == "SOLVING" and progress.frames_done >= 5,
}


@pytest.fixture
def restart():
    """A function that disables the add-on; it is enabled again after the test."""
    import blender_xpbd

    def disable(again):
        blender_xpbd.unregister()
        if again:
            blender_xpbd.register()

    yield disable
    from blender_xpbd.addon.command_line import _command_handle

    if _command_handle is None:
        blender_xpbd.register()


@pytest.mark.parametrize("again", [False, True], ids=["disabled", "enabled again"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_disabling_the_add_on_ends_a_script_s_bake(bpy, steps, restart, moment, again):
    until(steps, MOMENTS[moment])
    restart(again)
    assert bpy.context.scene.frame_current == 7
    with pytest.raises(XpbdError, match="The add-on was disabled") as caught:
        next(steps)
    assert caught.value.code == "E_INTERRUPTED"
    with pytest.raises(StopIteration):
        next(steps)


def test_what_was_done_is_kept_and_the_worker_has_stopped(bpy, steps, restart):
    until(steps, MOMENTS["solving"])
    restart(True)
    report = json.loads(bpy.context.scene.xpbd.report)
    keys = bpy.data.objects["Body"].data.shape_keys
    assert report["frames"] == len(keys.key_blocks) - 1 >= 5
    assert keys.animation_data.action is not None
    assert report["error"].startswith("E_INTERRUPTED")
    assert read_status(Path(report["cache"])).state == "INTERRUPTED"


def test_a_bake_that_goes_on_from_an_earlier_one_ends_as_well(bpy, steps, restart, options):
    from blender_xpbd.addon.baking.bake import bake

    until(steps, MOMENTS["solving"])
    steps.close()
    again = bake(bpy.context, options)
    until(again, MOMENTS["solving"])
    restart(False)
    with pytest.raises(XpbdError, match="E_INTERRUPTED"):
        next(again)


def test_a_bake_that_has_not_begun_does_not_begin(bpy, steps, restart):
    restart(False)
    with pytest.raises(XpbdError, match="enable it") as caught:
        next(steps)
    assert caught.value.code == "E_INTERRUPTED"


def test_closing_after_the_add_on_has_gone_is_nothing(bpy, steps, restart):
    until(steps, MOMENTS["solving"])
    restart(False)
    steps.close()


@pytest.mark.parametrize("moment", MOMENTS)
def test_opening_another_file_ends_a_script_s_bake(bpy, steps, moment):
    until(steps, MOMENTS[moment])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with pytest.raises(XpbdError, match="Another file was opened") as caught:
        next(steps)
    assert caught.value.code == "E_INTERRUPTED"


def test_run_bake_reports_it(bpy, steps, restart, options):
    from blender_xpbd.addon.baking.bake import run_bake

    def disable_soon(progress):
        if progress.frames_done >= 3 and progress.stage == "SOLVING":
            restart(False)

    with pytest.raises(XpbdError, match="The add-on was disabled"):
        run_bake(bpy.context, options, on_progress=disable_soon)


def test_a_bake_that_has_ended_is_forgotten(bpy, steps):
    from blender_xpbd.addon.baking import bake

    until(steps, MOMENTS["starting"])
    assert len(bake._running) == 1
    steps.close()
    assert bake._running == []
