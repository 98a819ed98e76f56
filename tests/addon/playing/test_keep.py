# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run leaves, and that it goes on where that is refused."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.playing.test_player import play, until

__all__ = ["play"]


def goes_on(player):
    asked = player.frame
    until(player, lambda: player.frame >= asked + 2)
    return True


def test_a_run_whose_keys_are_refused_goes_on(bpy, make_body, play):
    from blender_xpbd.addon.playing.keep import keep_run

    body = make_body("A", location=(0, 0, 1))
    player = play()
    until(player, lambda: player.frame >= 4)
    late = make_body("B")
    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        keep_run(bpy.context, player)
    assert player.is_open
    assert goes_on(player)
    bpy.data.objects.remove(late)
    summary = keep_run(bpy.context, player)
    assert summary.complete
    # "Free Unused of 0.1 MB", and "Baked 6 frames of 1 object in 0.1 s"
    files = [file for file in player.job.rglob("*") if file.is_file()]
    assert summary.cache_bytes == sum(file.stat().st_size for file in files) > 0
    assert summary.seconds["total"] > 0.0
    assert not player.is_open
    assert body.xpbd.bake_record
    assert not body.xpbd.play_record


def test_a_run_that_is_kept_tells_what_is_thin(bpy, play):
    """As a bake does; while it is played nothing is measured."""
    from blender_xpbd.addon.playing.keep import keep_run

    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 1.0))
    plate = bpy.context.object
    plate.xpbd.role = "JELLY"
    for vertex in plate.data.vertices:
        vertex.co.z *= 0.04
    player = play()
    until(player, lambda: player.frame >= 2)
    told = [text for text in keep_run(bpy.context, player).warnings if text.startswith("W_THIN")]
    assert len(told) == 1
    # by rays; the worker tells of the volume
    assert "A fifth of it or more" in told[0]


def test_a_run_that_is_kept_tells_how_few_substeps_it_had(bpy, make_body, play):
    from blender_xpbd.addon.ui.operators.play import KEEP, end_run

    make_body("A", location=(0, 0, 1))
    player = play()
    player.pace.substeps = 3
    until(player, lambda: player.frame >= 4)
    player.pace.substeps = 6
    until(player, lambda: player.frame >= 8)
    assert end_run(bpy.context, player, KEEP).endswith(", with as few as 3 of 6 substeps")
    report = bpy.context.scene.xpbd.report
    assert "W_QUALITY: It was played with as few as 3 substeps" in report


def test_a_run_that_begins_again_forgets_the_substeps_that_it_had(bpy, make_body, play):
    from blender_xpbd.addon.ui.operators.play import KEEP, end_run

    make_body("A", location=(0, 0, 1))
    player = play()
    player.pace.substeps = 3
    until(player, lambda: player.frame >= 4)
    player.pace.substeps = 6
    player.restart()
    until(player, lambda: player.frame >= 4)
    assert "substeps" not in end_run(bpy.context, player, KEEP)
    assert "W_QUALITY" not in bpy.context.scene.xpbd.report


@pytest.mark.parametrize("baked", [False, True])
def test_a_run_whose_pose_is_refused_as_rest_shape_goes_on(bpy, make_body, play, baked):
    from blender_xpbd.addon.playing.keep import keep_run, use_as_rest_shape

    body = make_body("A", location=(0, 0, 1))
    if baked:
        first = play()
        until(first, lambda: first.frame >= 3)
        keep_run(bpy.context, first)
    else:
        body.shape_key_add(name="Basis")
        body.shape_key_add(name="Own")
    player = play()
    until(player, lambda: player.frame >= 4)
    with pytest.raises(XpbdError, match="E_PARAM"):
        use_as_rest_shape(player)
    assert player.is_open
    assert goes_on(player)
    assert player.job.exists()


@pytest.mark.slow
@pytest.mark.parametrize("role", ["CLOTH", "JELLY"])
@pytest.mark.parametrize("kind", ["plain", "own keys", "scaled and moving"])
def test_the_next_run_begins_in_the_pose(bpy, make_body, play, role, kind):
    import bmesh

    from blender_xpbd.addon.playing.keep import use_as_start

    bpy.context.scene.xpbd.use_floor = True
    body = make_body("A", role=role, location=(0, 0, 0.8))
    if role == "JELLY":
        ball = bmesh.new()
        bmesh.ops.create_icosphere(ball, subdivisions=2, radius=0.5)
        ball.to_mesh(body.data)
    if kind == "own keys":
        body.shape_key_add(name="Basis")
        body.shape_key_add(name="Own")
    elif kind == "scaled and moving":
        body.scale, bpy.context.scene.frame_end = (1.0, 2.0, 0.5), 60
        for frame, x in ((1, 0.0), (60, 1.0)):
            body.location.x = x
            body.keyframe_insert("location", frame=frame)
    rest = [vertex.co.copy() for vertex in body.data.vertices]
    player = play()
    until(player, lambda: player.frame >= 10)
    pose = player.shown_positions()[0].copy()
    assert use_as_start(player) == ["A"]
    assert [vertex.co for vertex in body.data.vertices] == rest
    assert not player.is_open
    again = play()
    size = np.ptp(pose, axis=0).max()
    assert again.frame >= 1
    again.restart()
    until(again, lambda: again.frame == 1 and not again._has_begun_again)
    np.testing.assert_allclose(again.shown_positions()[0], pose, atol=(1e-5 if role == "CLOTH" else 0.03) * size)


def test_a_start_is_kept_in_the_file_told_when_the_mesh_is_edited_and_cleared(bpy, make_body, play, tmp_path):
    from blender_xpbd.addon.playing.keep import use_as_start
    from blender_xpbd.addon.reading.start_reader import has_start, read_start

    make_body("A", location=(0, 0, 1))
    player = play()
    until(player, lambda: player.frame >= 4)
    use_as_start(player)
    path = str(tmp_path / "start.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    body = bpy.data.objects["A"]
    start, notices = read_start(body)
    assert (len(start), notices) == (len(body.data.vertices), ())
    copy = body.data.copy()
    body.data.vertices.add(1)
    start, notices = read_start(body)
    assert (len(start), [notice.code for notice in notices]) == (0, ["W_IGNORED"])
    body.data = copy
    bpy.context.view_layer.objects.active = body
    assert bpy.ops.xpbd.clear_start() == {"FINISHED"}
    assert not has_start(body)
    assert "xpbd_start" not in body.data.attributes
    assert not bpy.ops.xpbd.clear_start.poll()


@pytest.mark.slow
def test_what_cannot_be_kept_is_refused_before_the_run_ends(bpy, play):
    from blender_xpbd.addon.playing.keep import use_as_start
    from tests.addon.strands import make_curve

    make_curve(("POLY",))
    player = play()
    until(player, lambda: player.frame >= 3)
    with pytest.raises(XpbdError, match="E_NOTHING"):
        use_as_start(player)
    assert goes_on(player)
