# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake in slices, as a window's timer advances it."""

from __future__ import annotations

import time

import pytest

from blender_xpbd.scene.errors import XpbdError


@pytest.fixture
def window_bake(bpy, fake_worker, tmp_path):
    from blender_xpbd.addon.baking import window_bake

    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.substeps, settings.cache_directory = 20, 2, str(tmp_path / "cache")
    yield window_bake
    window_bake.stop()


def advance_until(bake, condition, limit=20.0):
    """Slices until the condition holds; the summary, if the bake has ended."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        summary = bake.advance()
        if summary is not None or condition():
            return summary
        time.sleep(0.005)
    raise AssertionError("too slow")


def test_slices_to_the_end(bpy, make_body, window_bake):
    body = make_body()
    bake = window_bake.start(bpy.context)
    status = bpy.context.window_manager.xpbd
    assert status.is_baking
    assert window_bake.current() is bake
    summary = advance_until(bake, lambda: False)
    assert summary.frames == 20
    assert len(body.data.shape_keys.key_blocks) == 21
    assert not status.is_baking
    assert window_bake.current() is None


def test_a_window_that_is_slow_to_draw_leaves_half_of_the_time_to_the_bake(bpy, make_body, window_bake):
    from blender_xpbd.addon.baking.progress import READING, Progress

    def reading():
        while True:
            time.sleep(0.01)
            counted.append(1)
            yield Progress(READING)

    make_body()
    bake = window_bake.start(bpy.context)
    bake._steps = reading()
    counted = []
    bake._left_at = time.perf_counter()
    bake.advance()
    quick, counted = len(counted), []
    time.sleep(0.15)
    bake.advance()
    # a sleep may take longer than it was asked for
    assert quick <= 5
    assert len(counted) > quick
    assert window_bake.slice_seconds(0.15) == 0.15
    assert window_bake.slice_seconds(0.0) == window_bake.SLICE_SECONDS
    assert window_bake.slice_seconds(9.0) == window_bake.MOST_SLICE_SECONDS


def test_a_window_that_is_slow_to_draw_leaves_the_solver_its_cores(bpy, make_body, window_bake, monkeypatch):
    from blender_xpbd.addon.baking.progress import READING, SOLVING, Progress

    make_body()
    bake = window_bake.start(bpy.context)
    shown, stages, now = [], [SOLVING], [100.0]

    def steps():
        while True:
            shown.append(now[0])
            yield Progress(stages[0])

    bake._steps = steps()
    monkeypatch.setattr(window_bake.time, "perf_counter", lambda: now[0])
    bake._left_at = now[0]

    def ticks(drawing, seconds):
        """The timer's ticks for so long, the first one after the window was drawn; how many frames were shown."""
        shown.clear()
        now[0] += drawing
        end = now[0] + seconds
        while now[0] < end:
            bake.advance()
            now[0] += 0.02
        return len(shown)

    bake.advance()
    # three times as long as it took, and then at each tick, for nothing has to be drawn again
    assert ticks(0.2, 0.58) == 0
    assert ticks(0.0, 0.1) >= 4
    # nobody waits for a quick one
    assert ticks(0.03, 0.11) >= 5
    assert window_bake.rest_seconds(window_bake.QUICK_SECONDS) == 0.0
    assert window_bake.rest_seconds(9.0) == window_bake.MOST_REST_SECONDS
    # reading is work of this process
    stages[0] = READING
    bake._is_solving = False
    monkeypatch.setattr(window_bake, "slice_seconds", lambda _seconds: -1.0)
    assert ticks(0.2, 0.1) >= 4


def test_one_at_a_time(bpy, make_body, window_bake):
    make_body()
    window_bake.start(bpy.context)
    with pytest.raises(XpbdError, match="E_LOCKED"):
        window_bake.start(bpy.context)
    assert not bpy.ops.xpbd.bake.poll()
    assert bpy.ops.xpbd.cancel.poll()
    assert not bpy.ops.xpbd.clear.poll()


def test_cancel_keeps_the_frames_that_are_done(bpy, make_body, window_bake, fake_worker):
    fake_worker(seconds=0.1)
    body = make_body()
    bake = window_bake.start(bpy.context)
    status = bpy.context.window_manager.xpbd
    advance_until(bake, lambda: status.newest_frame >= 3)
    bpy.ops.xpbd.cancel()
    assert bake.stop_wanted
    begin = time.monotonic()
    bake.stop()
    # two seconds on a quiet machine; the bake itself would take longer
    assert time.monotonic() - begin < 15.0
    assert 3 <= len(body.data.shape_keys.key_blocks) - 1 < 20
    assert not status.is_baking
    bake.stop()


def test_an_error_ends_it(bpy, make_body, window_bake):
    make_body().xpbd.area_density = 0.0
    bake = window_bake.start(bpy.context)
    with pytest.raises(XpbdError, match="E_PARAM"):
        advance_until(bake, lambda: False)
    status = bpy.context.window_manager.xpbd
    assert not status.is_baking
    assert status.message.startswith("E_PARAM")
    assert window_bake.current() is None


def test_another_file_ends_it(bpy, make_body, window_bake):
    make_body()
    bake = window_bake.start(bpy.context)
    advance_until(bake, lambda: bpy.context.window_manager.xpbd.newest_frame >= 1)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert window_bake.current() is None
    assert bake.advance() is None
    assert not bpy.context.window_manager.xpbd.is_baking


def test_disabling_the_add_on_ends_it(bpy, make_body, window_bake):
    import blender_xpbd

    make_body()
    window_bake.start(bpy.context)
    blender_xpbd.unregister()
    try:
        assert window_bake.current() is None
    finally:
        blender_xpbd.register()


def test_an_undo_finds_the_file_as_it_was_before(bpy, make_body, window_bake, dump):
    """What Blender's undo keeps or frees must not be ours: it would leave freed shape keys in a mesh."""
    body = make_body()
    before = dump(body)
    bake = window_bake.start(bpy.context)
    advance_until(bake, lambda: body.data.shape_keys is not None)
    for handler in bpy.app.handlers.undo_pre:
        handler(bpy.context.scene)
    assert dump(body) == before
    summary = advance_until(bake, lambda: False)
    assert summary.frames == 20
    assert len(body.data.shape_keys.key_blocks) == 21


def test_an_undo_leaves_finished_bakes_alone(bpy, make_body, window_bake):
    body = make_body()
    advance_until(window_bake.start(bpy.context), lambda: False)
    window_bake.start(bpy.context)
    for handler in bpy.app.handlers.undo_pre:
        handler(bpy.context.scene)
    assert len(body.data.shape_keys.key_blocks) == 21


def test_no_two_bakes_leave_the_same_bytes(bpy, make_body, window_bake, dump):
    """Else an undo may take a mesh for unchanged, and leave it with keys that it frees."""
    body = make_body()
    before = dump(body)
    stamps = set()
    for _ in range(2):
        advance_until(window_bake.start(bpy.context), lambda: False)
        assert body.data.xpbd_bake == body.data.shape_keys.xpbd_bake
        stamps.add(body.data.xpbd_bake)
    assert len(stamps - {""}) == 2
    bpy.ops.xpbd.clear(all=True)
    assert dump(body) == before


@pytest.mark.parametrize("handlers", ["undo_post", "redo_post"])
def test_an_undo_leaves_no_orphans_of_ours(bpy, make_body, window_bake, handlers):
    body, other = make_body("Body"), make_body("Other", role="NONE")
    other.shape_key_add(name="Basis")
    advance_until(window_bake.start(bpy.context), lambda: False)
    for keys in bpy.data.shape_keys:
        keys.user_clear()
    for handler in getattr(bpy.app.handlers, handlers):
        handler(bpy.context.scene)
    assert list(bpy.data.shape_keys) == [other.data.shape_keys]
    assert body.data.shape_keys is None


@pytest.mark.parametrize("handlers", ["undo_post", "redo_post"])
@pytest.mark.parametrize("busy", ["", "is_baking", "is_playing"])
def test_an_undo_leaves_no_copies_of_a_bake_that_has_ended(bpy, make_body, window_bake, handlers, busy, monkeypatch):
    from blender_xpbd.addon.data.bake_status import STATUS
    from blender_xpbd.addon.deformers.played_scene import OwnScene
    from blender_xpbd.addon.deformers.probe import Probe

    body = make_body("Body")
    Probe(OwnScene().scene, body)
    names = {*bpy.data.objects.keys(), *bpy.data.meshes.keys(), *bpy.data.scenes.keys()}
    if busy:
        monkeypatch.setattr(STATUS, busy, True)
    for handler in getattr(bpy.app.handlers, handlers):
        handler(bpy.context.scene)
    left = {*bpy.data.objects.keys(), *bpy.data.meshes.keys(), *bpy.data.scenes.keys()}
    # what reads or writes needs its copies to the end
    assert left == (names if busy else {"Body", body.data.name, bpy.context.scene.name})


@pytest.fixture
def saved_half_way(bpy, make_body, window_bake, tmp_path):
    """A file that was saved in the middle of a bake, which has ended since."""
    make_body("Body")
    bake = window_bake.start(bpy.context)
    advance_until(bake, lambda: bpy.data.objects["Body"].data.shape_keys is not None)
    path = str(tmp_path / "half.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    advance_until(bake, lambda: False)
    return path


def test_the_middle_of_a_bake_is_told_where_a_file_brings_it_back(bpy, window_bake, saved_half_way):
    """Keys that nothing plays were there without a word."""
    bpy.ops.wm.open_mainfile(filepath=saved_half_way)
    status = bpy.context.window_manager.xpbd
    assert status.message.startswith('E_INTERRUPTED: object "Body": This is the middle of a bake')
    summary = advance_until(window_bake.start(bpy.context), lambda: False)
    assert summary.from_cache
    for handler in bpy.app.handlers.undo_post:
        handler(bpy.context.scene)
    assert not status.message


def test_the_middle_of_a_bake_is_told_after_an_undo_alone(bpy, make_body, window_bake):
    body = make_body("Body")
    status = bpy.context.window_manager.xpbd
    bake = window_bake.start(bpy.context)

    def undo():
        for handler in bpy.app.handlers.undo_post:
            handler(bpy.context.scene)

    advance_until(bake, lambda: body.data.shape_keys is not None)
    undo()
    assert not status.message, "it goes on"
    advance_until(bake, lambda: False)
    undo()
    assert not status.message, "it is whole"
    body.data.shape_keys.animation_data_clear()
    undo()
    assert "This is the middle of a bake" in status.message
    bpy.ops.xpbd.clear(all=True)
    undo()
    assert not status.message


def test_words_of_the_progress_bar(bpy):
    from blender_xpbd.addon.baking.progress import READING, SOLVING, STARTING, TAKING_OUT, WAITING, WRITING, Progress
    from blender_xpbd.addon.baking.window_bake import status_text

    # these frames are counted again when they are solved
    words = status_text(Progress(READING, None, 11, 120, message="Following animated objects"))
    assert words == "11 / 120 · Following animated objects"
    assert status_text(Progress(STARTING, message="Starting the solver")) == "Starting the solver"
    words = status_text(Progress(SOLVING, 3, 2, 10, 123.456, 75.0, "Solving"))
    assert words == "2 / 10 · 123 fps · 1:15 left"
    # all frames are there, and it takes a while yet
    assert status_text(Progress(WRITING, None, 21, 120, message=TAKING_OUT)) == "21 / 120 · Taking deformers out"
    assert status_text(Progress(WAITING, 3, 10, 10, message="Waiting: leave Edit Mode of A")) == (
        "Waiting: leave Edit Mode of A"
    )


def test_a_bake_says_whose_edit_mode_it_waits_for(bpy, make_body, window_bake, fake_worker):
    from blender_xpbd.addon.ui import panels
    from tests.addon.recorded_layout import draw

    first, second = make_body("First"), make_body("Second", location=(3, 0, 0))
    third = make_body("Third", location=(6, 0, 0))
    fake_worker(seconds=0.05)
    bake = window_bake.start(bpy.context)
    status = bpy.context.window_manager.xpbd
    advance_until(bake, lambda: status.newest_frame >= 1)
    for body in (first, second):
        body.select_set(True)
    bpy.context.view_layer.objects.active = first
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.objects.active = third
    bpy.ops.object.mode_set(mode="SCULPT")
    third.name = "Renamed"
    advance_until(bake, lambda: status.status.startswith("Waiting"))
    assert status.status == "Waiting: leave Edit Mode of First, Second and Sculpt Mode of Renamed"
    words = draw(panels.XPBD_PT_main).words
    assert "Waiting" in words
    assert status.status in " ".join(words)
    assert "its keys are taken back" in " ".join(words)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = first
    bpy.ops.object.mode_set(mode="OBJECT")
    assert advance_until(bake, lambda: False).frames == 20
    assert "Waiting" not in draw(panels.XPBD_PT_main).words
