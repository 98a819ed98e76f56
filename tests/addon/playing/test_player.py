# SPDX-License-Identifier: GPL-3.0-or-later
"""Play without a window: inputs in, frames out; nothing stays, or the run becomes keys that a bake gives again."""

from __future__ import annotations

import shutil
import time

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.recorded_layout import RecordedLayout

ORIGIN = np.array([0.3, 0.2, 3.0])
DOWN = np.array([0.0, 0.0, -1.0])


@pytest.fixture
def play(bpy, tmp_path):
    """Begins a player with a cache of the test's own, and ends it."""
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.playing.player import Player

    players = []

    def begin(**options):
        player = Player(bpy.context, BakeOptions(cache=tmp_path / "cache", **{"substeps": 6, **options}))
        players.append(player)
        until(player, lambda: player.state == "PLAYING" and player.shown_positions())
        return player

    yield begin
    for player in players:
        player.close()


def until(player, condition, seconds=300.0):
    """Nothing here is about speed: the limit ends a run that hangs, and not one that waits for a busy processor."""
    limit = time.monotonic() + seconds
    while not condition():
        player.advance()
        assert time.monotonic() < limit
        time.sleep(0.001)


def state_of(bpy):
    """What an artist may see of the file."""
    found = {}
    for obj in bpy.data.objects:
        mesh = obj.data
        coordinates = np.zeros(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", coordinates)
        keys = mesh.shape_keys
        shapes = {}
        for block in keys.key_blocks if keys else ():
            points = np.zeros(3 * len(mesh.vertices), np.float32)
            block.points.foreach_get("co", points)
            shapes[block.name] = (block.value, block.frame, points.tobytes())
        found[obj.name] = (
            coordinates.tobytes(),
            shapes,
            keys.eval_time if keys else None,
            obj.active_shape_key_index,
            obj.show_only_shape_key,
            obj.xpbd.is_property_set("play_record"),
            mesh.is_property_set("xpbd_bake"),
        )
    scene = bpy.context.scene
    return found, scene.frame_current, len(bpy.data.meshes), len(bpy.data.shape_keys), len(bpy.data.actions)


@pytest.mark.parametrize("keyed", [False, True])
def test_frames_are_shown_and_nothing_of_them_stays(bpy, make_body, play, keyed, tmp_path):
    body = make_body("A", location=(0, 0, 1))
    if keyed:
        body.shape_key_add(name="Basis", from_mix=False)
        body.shape_key_add(name="Smile", from_mix=False).value = 0.25
        body.active_shape_key_index = 1
    before = state_of(bpy)
    player = play()
    until(player, lambda: player.frame >= 6)
    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[12].co.z
    assert shown == pytest.approx(player.shown_positions()[0][12, 2] - 1.0, abs=1e-6)
    assert shown < -0.05
    player.end()
    bpy.context.view_layer.update()
    assert state_of(bpy) == before
    assert body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[12].co.z == pytest.approx(0.0)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_hand_holds_what_its_ray_hits_and_keep_gives_the_same_keys_as_a_bake_of_the_inputs(bpy, make_body, play):
    from blender_xpbd.addon.playing.keep import keep_run
    from blender_xpbd.addon.process.cache_folder import is_unkept
    from blender_xpbd.addon.process.worker_process import WorkerProcess
    from blender_xpbd.addon.process.worker_python import find_python

    body = make_body("A", location=(0, 0, 1))
    player = play()
    assert player.take_hold(np.array([5.0, 5.0, 5.0]), DOWN) is None
    point = player.take_hold(ORIGIN, DOWN)
    assert point == pytest.approx([0.3, 0.2, 1.0], abs=0.02)
    player.drag_to(point + np.array([0.0, 0.0, 0.5]))
    until(player, lambda: player.frame >= 12)
    held = player.shown_positions()[0]
    assert abs(held[12] - [0.0, 0.0, 1.5]).max() < 0.35
    player.let_go()
    player.acceleration = np.array([0.0, 0.0, 15.0])
    last = player.frame
    until(player, lambda: player.frame >= last + 4)
    assert is_unkept(player.job)
    summary = keep_run(bpy.context, player)
    assert not is_unkept(player.job)
    assert summary.complete
    assert summary.frames == player.frame
    assert body.data.shape_keys.use_relative is False
    bpy.context.scene.frame_set(12)
    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    kept = np.array([shown.matrix_world @ vertex.co for vertex in shown.data.vertices])
    assert kept == pytest.approx(held, abs=1e-5)

    folder = player.job
    frames = {path.name: path.read_bytes() for path in (folder / "frames").iterdir()}
    assert set(frames) == {f"frame_{frame:08d}.bin" for frame in range(1, len(frames) + 1)}
    shutil.rmtree(folder / "frames")
    (folder / "checkpoint.bin").unlink()
    worker = WorkerProcess(find_python(), folder)
    limit = time.monotonic() + 60.0
    while not worker.poll():
        assert time.monotonic() < limit
        time.sleep(0.01)
    worker.kill()
    assert {path.name: path.read_bytes() for path in (folder / "frames").iterdir()} == frames


def test_a_run_can_be_paused_stepped_and_begun_again(bpy, make_body, play):
    make_body("A", location=(0, 0, 1))
    player = play()
    until(player, lambda: player.frame >= 5)
    player.is_paused = True
    until(player, lambda: player._asked == player.frame)
    at = player.frame
    for _ in range(20):
        player.advance()
        time.sleep(0.005)
    assert player.frame == at
    player.step()
    until(player, lambda: player.frame == at + 1)
    player.restart()
    until(player, lambda: player.frame == 1 and player.shown_positions()[0][12, 2] > 0.999)
    player.is_paused = False
    until(player, lambda: player.frame >= 3)
    assert player.shown_positions()[0][12, 2] > 0.9


def test_gravity_and_materials_are_followed_while_it_runs(bpy, make_body, play):
    body = make_body("A", location=(0, 0, 1))
    player = play()
    until(player, lambda: player.frame >= 3)
    bpy.context.scene.gravity = (0.0, 0.0, 0.0)
    body.xpbd.preset = "OWN_MATERIAL" if "OWN_MATERIAL" in enum_names(body) else body.xpbd.preset
    body.xpbd.density = 2.0 * body.xpbd.density
    asked = player._asked
    until(player, lambda: player.frame >= asked + 6)
    heights = player.shown_positions()[0][:, 2].mean()
    until(player, lambda: player.frame >= asked + 8)
    # in flight without gravity: as far in each frame
    fallen = heights - player.shown_positions()[0][:, 2].mean()
    assert 0.0 < fallen < 0.2


def enum_names(body):
    return {item.identifier for item in body.xpbd.bl_rna.properties["preset"].enum_items}


def test_a_pose_can_become_the_shape_at_rest(bpy, make_body, play):
    from blender_xpbd.addon.playing.keep import use_as_rest_shape

    body = make_body("A", location=(0, 0, 1))
    player = play()
    until(player, lambda: player.frame >= 6)
    pose = player.shown_positions()[0]
    assert use_as_rest_shape(player) == ["A"]
    world = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices])
    assert world == pytest.approx(pose, abs=1e-5)
    assert body.data.shape_keys is None


def test_what_an_undo_or_a_crash_brings_back_is_taken_away(bpy, make_body, play):
    from blender_xpbd.addon.playing import display

    body = make_body("A", location=(0, 0, 1))
    before = state_of(bpy)
    player = play()
    until(player, lambda: player.frame >= 3)
    player.end_worker()
    # as a file that was recovered: nobody plays it
    assert body.data.shape_keys is not None
    display.take_back_all()
    assert state_of(bpy) == before
    body.xpbd.play_record = '{"created": 3}'
    display.take_back_all()
    assert not body.xpbd.play_record


def test_nothing_can_be_kept_before_anything_was_played(bpy, make_body, play):
    from blender_xpbd.addon.playing.keep import keep_run

    make_body("A", location=(0, 0, 1))
    player = play()
    # the worker may have been faster
    player.frame = player.reading.scene.frames.start
    with pytest.raises(XpbdError, match="Nothing was played"):
        keep_run(bpy.context, player)


@pytest.mark.parametrize("what", ["killed worker", "disk that refuses"])
def test_what_was_played_before_a_fault_can_be_kept(bpy, make_body, play, monkeypatch, what):
    """The run was removed with all that was played, whatever had ended its worker."""
    from blender_xpbd.addon.playing import window_play
    from blender_xpbd.addon.playing.keep import keep_run
    from blender_xpbd.addon.ui.play_header import header_text, keys_text
    from blender_xpbd.addon.ui.play_panel import draw_playing
    from blender_xpbd.jobs.play_inputs import PlayInputs

    def refuse(*_given):
        raise XpbdError("E_IO", "Cannot write the input: No space left on device.")

    body = make_body("A", location=(0, 0, 1))
    player = play()
    until(player, lambda: player.frame >= 4)
    if what == "killed worker":
        player._worker._process.kill()
    else:
        monkeypatch.setattr(PlayInputs, "publish", refuse)
    until(player, lambda: player.fault is not None)
    last = player.frame
    assert player.fault.code == ("E_WORKER" if what == "killed worker" else "E_IO")
    assert player.is_open
    assert f"stopped ({player.fault.code}): Enter keeps it until here" in header_text(player)
    monkeypatch.setattr(window_play, "_current", player)
    layout = RecordedLayout()
    draw_playing(layout, 400)
    assert any(player.fault.message[:20] in words for words in layout.words)
    assert [button.action for button in layout.greyed_operators] == ["PAUSE", "STEP", "RESTART"]
    # there is no worker for them, and no bake to go on with
    assert "Space: pause" not in keys_text(player)
    assert "bake again" not in player.fault.message
    player.is_paused = True
    for act in (player.step, player.restart, player.advance):
        act()
    assert last <= player.frame <= last + 2
    summary = keep_run(bpy.context, player)
    assert summary.complete
    assert not player.is_open
    assert len(body.data.shape_keys.key_blocks) == 1 + player.frame


def test_a_fault_before_anything_was_played_ends_the_run(bpy, make_body, play, monkeypatch):
    make_body("A", location=(0, 0, 1))
    player = play()
    # the worker may be faster than the kill: what it has computed since is not shown
    monkeypatch.setattr(player, "_first", player.frame)
    monkeypatch.setattr(player, "_show_newest", lambda: False)
    player._worker._process.kill()
    with pytest.raises(XpbdError, match="killed"):
        until(player, lambda: False)
    assert player.fault is None
