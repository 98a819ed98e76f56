# SPDX-License-Identifier: GPL-3.0-or-later
"""The way on after a bake was cancelled: a button, and the same bytes as without the cancel."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.addon.recorded_layout import draw

CONTINUE, BODY = "Continue", "Body"
FRAMES = 12


@pytest.fixture
def panel(bpy):
    from blender_xpbd.addon.ui.panels import XPBD_PT_main

    return XPBD_PT_main


@pytest.fixture
def status(bpy):
    from blender_xpbd.addon.data.bake_status import STATUS

    yield STATUS
    STATUS.reset()


@pytest.fixture
def cancelled(bpy, make_body, status):
    """A function that begins a bake of a body, as the window does, and cancels it amid its frames."""
    from blender_xpbd.addon.baking import window_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    make_body(BODY)
    settings = bpy.context.scene.xpbd
    settings.frame_start, settings.frame_end, settings.substeps = 1, FRAMES, 2

    def begin(frames=3, **options):
        bake = window_bake.start(bpy.context, BakeOptions(**options))
        end = time.monotonic() + 60.0
        while status.newest_frame < frames and time.monotonic() < end:
            assert bake.advance() is None
            time.sleep(0.002)
        bake.stop()
        return bake.summary

    yield begin
    window_bake.stop()


def test_a_cancelled_bake_can_be_continued(bpy, panel, cancelled, fake_worker):
    from blender_xpbd.addon.baking.bake import run_bake

    assert CONTINUE not in draw(panel).words
    fake_worker(seconds=0.1)
    cancelled()
    layout = draw(panel)
    assert layout.words.count(CONTINUE) == 1
    assert layout.operators.count(("xpbd.bake", "INVOKE_DEFAULT")) == 2
    fake_worker()
    assert run_bake(bpy.context).frames == FRAMES
    assert CONTINUE not in draw(panel).words


def test_the_file_that_was_saved_after_a_cancel_has_the_button(bpy, panel, cancelled, fake_worker, tmp_path):
    fake_worker(seconds=0.1)
    cancelled()
    path = str(tmp_path / "lamp.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert draw(panel).words.count(CONTINUE) == 1


def test_what_bake_would_not_go_on_with_has_no_button(bpy, panel, cancelled, fake_worker):
    fake_worker(seconds=0.1)
    # amid the frames of a part, and before the first frame of all
    cancelled(only=(BODY,))
    assert CONTINUE not in draw(panel).words
    fake_worker(seconds=5.0)
    cancelled(frames=0)
    assert CONTINUE not in draw(panel).words


def test_no_button_is_left_where_the_keys_are_cleared(bpy, panel, cancelled, fake_worker):
    from blender_xpbd.addon.keys.clearing import clear_bake

    fake_worker(seconds=0.1)
    cancelled()
    clear_bake(bpy.data.objects[BODY])
    assert CONTINUE not in draw(panel).words


def test_a_continued_bake_keeps_the_frames_and_gives_the_same_bytes(bpy, cancelled, monkeypatch):
    from blender_xpbd.addon.baking import bake
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    def search(_preference=""):
        yield
        return WorkerPython(sys.executable, "3.11", worker_environment([]))

    monkeypatch.setattr(bake, "search_python", search)
    settings = bpy.context.scene.xpbd
    # so that it is not done before the cancel
    settings.frame_end, settings.substeps = 60, 5000
    first = cancelled()
    kept = {path.name: path.stat().st_mtime_ns for path in frames_of(first)}
    assert 3 <= len(kept) < 60
    second = bake.run_bake(bpy.context)
    assert second.cache == first.cache
    assert second.resumed_after is not None
    assert {path.name for path in frames_of(second) if kept.get(path.name) == path.stat().st_mtime_ns} == set(kept)
    continued = [path.read_bytes() for path in frames_of(second)]
    shutil.rmtree(second.cache)
    whole = bake.run_bake(bpy.context)
    assert not whole.from_cache
    assert whole.resumed_after is None
    assert [path.read_bytes() for path in frames_of(whole)] == continued


def frames_of(summary):
    """The files of the frames of a job."""
    return sorted((Path(summary.cache) / "frames").iterdir())
