# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes that end where they begin."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import read_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import FrameRange

FRAMES, COUNT = 14, 6


def frames_of(summary):
    result = read_result(Path(summary.cache))
    counts = len(result.bodies), len(result.statistics), result.orientation_count
    return FrameCache(Path(summary.cache), result.vertex_count, *counts)


@pytest.fixture
def bake(bpy, tmp_path):
    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values):
        wishes = {"cache": tmp_path / "cache", "frame_start": 1, "frame_end": FRAMES, "substeps": 4, **values}
        return run_bake(bpy.context, BakeOptions(**wishes))

    return run


@pytest.mark.slow
def test_the_end_is_simulated_into_the_beginning_and_taken_back(bpy, bake, make_body, dump):
    body = make_body("Tuch")
    before = dump(body)
    fall = bake()
    loop = bake(loop=COUNT)
    first = frames_of(loop).read(1).positions.astype(np.float64)
    last = frames_of(loop).read(FRAMES).positions
    fallen = frames_of(fall).read(FRAMES).positions
    assert np.linalg.norm(fallen - first, axis=1).max() > 0.5
    seam = np.linalg.norm(last - first, axis=1).max()
    assert seam < 1e-4
    assert loop.seam_error_mm == pytest.approx(1e3 * seam, rel=1e-6)
    # it fell with 5 m/s
    assert 0.0 < loop.seam_velocity_error_mm_s < 200.0
    assert (loop.loop, fall.loop, loop.complete, loop.stale) == (COUNT, 0, True, [])
    for frame in range(1, FRAMES + 1):
        same = frames_of(loop).path(frame).read_bytes() == frames_of(fall).path(frame).read_bytes()
        assert same == (frame <= FRAMES - COUNT)
    rows = dict(_rows(bpy))
    assert rows["Loop"] == f"{COUNT} frames"
    assert rows["Seam"].endswith(" mm/s")
    # again from the cache, another one from the fall and not from the loop, and the fall as it was
    assert bake(loop=COUNT).from_cache
    other = bake(loop=COUNT - 2)
    assert other.seam_error_mm < 0.1
    assert frames_of(other).path(9).read_bytes() == frames_of(fall).path(9).read_bytes()
    again = bake()
    assert (again.from_cache, again.stale, again.loop) == (True, [], 0)
    bake(loop=COUNT)
    bpy.context.view_layer.objects.active = body
    body.select_set(True)
    bpy.ops.xpbd.clear()
    assert dump(body) == before


def test_springs_of_a_loop_are_swept_as_often_as_those_of_the_bake(bake, fake_worker, make_body):
    make_body()
    fake_worker(spring_sweeps=8)
    fall = bake()
    fake_worker()
    settings = read_job(Path(bake(loop=COUNT).cache)).settings
    assert (settings.quality, settings.substeps, settings.spring_sweeps) == ("FIXED", 4, 8)
    assert read_job(Path(fall.cache)).settings.spring_sweeps == 1


def _rows(bpy):
    from blender_xpbd.addon.baking.report_text import summary_rows

    return summary_rows(bpy.context.scene.xpbd.report)


def test_a_loop_needs_a_bake_and_frames(bake, fake_worker, make_body):
    make_body()
    with pytest.raises(XpbdError, match=r"E_NOTHING.*bake all frames first"):
        bake(loop=3)
    bake()
    for count in (0, FRAMES):
        with pytest.raises(XpbdError, match=rf"E_PARAM.*1 to {FRAMES - 1}"):
            bake(loop=count)
    with pytest.raises(XpbdError, match="E_CACHE_STALE"):
        bake(loop=3, frame_end=FRAMES + 5)


def test_the_ghost_leaves_with_the_motion_and_comes_with_the_first_velocity(bpy):
    from blender_xpbd.addon.baking.loop import _ghosts

    velocity = np.array([[1.0, 2.0, 0.0]])

    class Straight:
        def at(self, frame):
            return 0.1 * frame * velocity

        def velocity(self, _frame):
            return velocity

    frames = FrameRange(1, 41, 1, 0.1)
    ghosts = _ghosts(Straight(), frames, 20)
    np.testing.assert_allclose(ghosts[40], 0.1 * velocity)
    np.testing.assert_allclose(ghosts[20], Straight().at(21))
    assert np.abs(ghosts[21] - Straight().at(22)).max() < 0.02
    # the last step, by the parabola through the last three
    slope = (3.0 * ghosts[40] - 4.0 * ghosts[39] + ghosts[38]) / 0.2
    assert np.abs(slope - velocity).max() < 0.2


def test_a_headless_loop(bpy, bake, make_body, tmp_path, capfd):
    from blender_xpbd.addon import command_line

    make_body("Tuch")
    arguments = ["--cache", str(tmp_path / "cache"), "--frames", "1", "10", "--substeps", "4", "--loop", "5", "--json"]
    assert command_line.main([*arguments, "--output", str(tmp_path / "out.npz")]) == 0
    summary = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert summary["loop"] == 5
    assert summary["seam_error_mm"] < 0.1
    with np.load(tmp_path / "out.npz") as arrays:
        places = arrays["Tuch/positions"]
    np.testing.assert_allclose(places[-1], places[0], atol=1e-4)


def test_the_operator_makes_a_loop_of_the_bake(bpy, bake, make_body):
    bpy.context.scene.xpbd.frame_end = FRAMES
    make_body()
    assert not bpy.ops.xpbd.loop.poll()
    scene = bpy.context.scene.xpbd
    scene.substeps, scene.use_floor = 4, False
    bpy.ops.xpbd.bake()
    assert bpy.ops.xpbd.loop(frames=COUNT) == {"FINISHED"}
    assert json.loads(scene.report)["loop"] == COUNT


def test_a_loop_names_what_changed_since_its_bake(bpy, bake, make_body):
    body = make_body("Tuch")
    bake()
    body.xpbd.friction = 0.77
    bpy.context.scene.gravity.z = -5.0
    loop = bake(loop=COUNT)
    assert set(loop.stale) == {"Tuch: Friction", "gravity"}
    (warning,) = [text for text in loop.warnings if text.startswith("W_IGNORED")]
    assert f"until frame {FRAMES - COUNT}" in warning
    assert "Tuch: Friction" in warning
    # of the bake that it was made of, which is still the old one
    assert set(bake(loop=COUNT - 2).stale) == set(loop.stale)


def test_a_loop_of_a_bake_that_fits_tells_of_no_change(bpy, bake, make_body):
    body = make_body("Tuch")
    body.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    body.xpbd.pin_group = "Pin"
    for frame, height in ((1, 0.0), (FRAMES, 1.0)):
        body.location.z = height
        body.keyframe_insert("location", frame=frame)
    bake()
    loop = bake(loop=COUNT)
    assert (loop.stale, [text for text in loop.warnings if "W_IGNORED" in text]) == ([], [])


def test_the_operator_warns_of_a_change_and_the_panel_has_it(bpy, bake, make_body):
    from blender_xpbd.addon.baking.report_text import stale_inputs, summary_warnings

    scene = bpy.context.scene.xpbd
    scene.frame_end, scene.substeps, scene.use_floor = FRAMES, 4, False
    body = make_body("Tuch")
    bpy.ops.xpbd.bake()
    body.xpbd.friction = 0.77
    bpy.ops.xpbd.loop(frames=COUNT)
    assert stale_inputs(scene.report) == ["Tuch: Friction"]
    assert any("Tuch: Friction" in text for text in summary_warnings(scene.report))
