# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a bake, or a run, that ended with its file."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.addon.recorded_layout import draw


@pytest.fixture
def status(bpy):
    from blender_xpbd.addon.data.bake_status import STATUS

    yield STATUS
    STATUS.reset()


@pytest.fixture
def half_baked(bpy, make_body, fake_worker, tmp_path):
    """A file with a body; the function begins its bake and stops amid it, with the file still open."""
    from blender_xpbd.addon.baking import window_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.data.bake_status import STATUS

    make_body()
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.substeps = 20, 2
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "lamp.blend"))
    fake_worker(seconds=0.1)

    def begin(**options):
        bake = window_bake.start(bpy.context, BakeOptions(**options))
        end = time.monotonic() + 20.0
        while STATUS.newest_frame < 3 and time.monotonic() < end:
            assert bake.advance() is None
            time.sleep(0.005)

    yield begin
    window_bake.stop()


def other_file(bpy):
    """A new file in the place of the one that is open."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)


def test_a_bake_that_ends_with_its_file_is_told_in_the_next_one(bpy, status, half_baked):
    from blender_xpbd.addon.ui.panels import XPBD_PT_main

    half_baked()
    other_file(bpy)
    assert status.message.startswith("E_INTERRUPTED: The bake was stopped, for another file was opened: ")
    assert "of 20 frames are kept in its cache. To go on, open lamp.blend again and press Continue." in status.message
    assert Path(status.former_file).name == "lamp.blend"
    assert not status.is_stopped
    assert not status.is_baking
    layout = draw(XPBD_PT_main)
    assert "Open lamp.blend" in layout.words
    assert "Continue" not in layout.words


def test_the_file_tells_it_when_it_is_opened_again_and_continue_goes_on(bpy, status, half_baked, fake_worker, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.ui.panels import XPBD_PT_main

    half_baked()
    other_file(bpy)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "lamp.blend"))
    assert status.message.startswith("E_INTERRUPTED: The bake was stopped, when this file was last open: ")
    assert status.is_stopped
    assert not status.former_file
    assert "Continue" in draw(XPBD_PT_main).words
    fake_worker()
    assert run_bake(bpy.context).frames == 20
    # it is whole now
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "lamp.blend"))
    assert not status.message


def test_the_same_file_opened_again_tells_it_once(bpy, status, half_baked, tmp_path):
    half_baked()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "lamp.blend"))
    assert status.message.count("E_INTERRUPTED") == 1
    assert status.is_stopped


def test_what_was_saved_after_the_bake_stopped_knows_of_it(bpy, status, half_baked, tmp_path):
    from blender_xpbd.addon.baking import window_bake

    half_baked()
    window_bake.stop()
    bpy.ops.wm.save_mainfile()
    later = time.time() + 5.0
    os.utime(tmp_path / "lamp.blend", (later, later))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "lamp.blend"))
    assert not status.message


def test_a_file_that_cannot_be_opened_leaves_the_bake_to_be_gone_on_with(bpy, status, half_baked, tmp_path):
    half_baked()
    broken = tmp_path / "broken.blend"
    # the head of a file, and nothing after it
    broken.write_bytes((tmp_path / "lamp.blend").read_bytes()[:4000])
    with pytest.raises(RuntimeError):
        bpy.ops.wm.open_mainfile(filepath=str(broken))
    assert "for another file was to be opened" in status.message
    assert "Continue goes on from there." in status.message
    assert status.is_stopped


def test_a_selected_bake_is_not_what_continue_goes_on_with(bpy, status, half_baked, monkeypatch):
    from blender_xpbd.addon.baking import window_bake

    half_baked()
    monkeypatch.setattr(window_bake.current(), "is_whole", False)
    other_file(bpy)
    assert "To go on, open lamp.blend again and do the same again." in status.message


def test_a_file_that_was_never_saved_is_told_as_what_it_is(bpy, status, make_body, fake_worker):
    from blender_xpbd.addon.baking import window_bake

    make_body()
    window_bake.start(bpy.context)
    other_file(bpy)
    assert "The bake was stopped before its first frame" in status.message
    assert "Recover > Auto Save" in status.message
    assert not status.former_file


def test_a_run_that_ends_with_its_file_is_told(bpy, status, make_body, monkeypatch):
    from blender_xpbd.addon.playing import window_play
    from blender_xpbd.addon.playing.player import Player

    make_body()
    monkeypatch.setattr(window_play, "_current", Player(bpy.context))
    other_file(bpy)
    assert status.message == (
        "E_INTERRUPTED: The run was ended, for another file was opened. Only what is ended with Keep is kept."
    )
    assert window_play.current() is None


def test_a_bake_that_ends_with_its_window_is_told_in_the_others(bpy, status, half_baked, capsys):
    from blender_xpbd.addon.ui.cut_short import stop_with_window

    half_baked()
    stop_with_window()
    assert status.message.startswith("E_INTERRUPTED: The bake was stopped, for its window was closed: ")
    assert status.is_stopped
    assert "of 20 frames are kept in its cache" in capsys.readouterr().out
    # as when Blender frees the operator of a file that has gone
    status.reset()
    stop_with_window()
    assert not status.message


def test_a_run_and_an_earlier_bake_are_both_told(bpy, status, half_baked, tmp_path, monkeypatch):
    from blender_xpbd.addon.baking import window_bake
    from blender_xpbd.addon.playing import window_play
    from blender_xpbd.addon.playing.player import Player

    half_baked()
    window_bake.stop()
    monkeypatch.setattr(window_play, "_current", Player(bpy.context))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "lamp.blend"))
    assert "The run was ended" in status.message
    assert "when this file was last open" in status.message
    assert status.is_stopped


def test_a_file_that_is_gone_tells_nothing(bpy, status, half_baked, tmp_path):
    from blender_xpbd.addon.baking import window_bake
    from blender_xpbd.addon.ui.cut_short import tell

    half_baked()
    window_bake.stop()
    (tmp_path / "lamp.blend").unlink()
    tell()
    assert not status.message


@pytest.fixture
def move(bpy, status, monkeypatch):
    """A function that gives the waiting operator an event, and answers whether it told then."""
    from blender_xpbd.addon.ui import cut_short

    told = []
    monkeypatch.setattr(cut_short, "_show_popup", told.append)
    status.message = "E_INTERRUPTED: The bake was stopped."
    operator = SimpleNamespace(_place=None, _end=math.inf, cancel=lambda _context: None)

    def give(x, y, kind="MOUSEMOVE"):
        event = SimpleNamespace(type=kind, mouse_x=x, mouse_y=y)
        outcome = cut_short.XPBD_OT_tell.modal(operator, bpy.context, event)
        # whoever waits for events after it, as what quits Blender does, gets them all
        assert "PASS_THROUGH" in outcome
        assert ("FINISHED" in outcome) is bool(told)
        return bool(told)

    return give


def test_it_is_told_where_the_mouse_is_once_that_moves(move):
    assert not move(10, 20)
    assert not move(11, 21, "TIMER")
    assert move(11, 20)


def test_blender_itself_moves_no_mouse(move):
    assert not any(move(10, 20) for _ in range(5))


def test_nothing_is_told_where_another_bake_has_begun(bpy, status, move):
    from blender_xpbd.addon.ui.cut_short import XPBD_OT_tell

    status.reset()
    event = SimpleNamespace(type="TIMER", mouse_x=0, mouse_y=0)
    operator = SimpleNamespace(_place=None, _end=math.inf, cancel=lambda _context: None)
    assert XPBD_OT_tell.modal(operator, bpy.context, event) == {"CANCELLED", "PASS_THROUGH"}


def test_nobody_waits_for_the_mouse_for_long(bpy, status, move, monkeypatch):
    """Blender saves no copy by itself while an operator waits."""
    from blender_xpbd.addon.ui import cut_short

    assert not move(10, 20)
    monkeypatch.setattr(cut_short.time, "monotonic", lambda: 1e12)
    event = SimpleNamespace(type="TIMER", mouse_x=10, mouse_y=20)
    operator = SimpleNamespace(_place=None, _end=0.0, cancel=lambda _context: None)
    assert cut_short.XPBD_OT_tell.modal(operator, bpy.context, event) == {"CANCELLED", "PASS_THROUGH"}
