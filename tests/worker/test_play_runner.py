# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is played: inputs in, frames out; recorded inputs give the same bytes again, and after a stop too."""

import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.play_inputs import PlayInputs
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.scene.play import Changes, Grab, PlayInput
from blender_xpbd.worker.play_runner import run_any_job
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, jelly_cube, plane, scene

KERNELS = Path(__file__).resolve().parents[2] / ".cache" / "taichi"
FRAMES = 12
CORNER = Grab("b0", (0, 1, 6), (1.0, 0.0, 0.0), 0.2, 4.0, (-0.5, -0.5, 0.3))

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def lying_cloth(**settings):
    return scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, FRAMES), substeps=6, **settings)


def record(folder, inputs):
    played = PlayInputs(folder)
    run = played.begin_run()
    for given in inputs:
        played.publish(run, given)
    return folder


def run(folder, *, stop=None, is_played=False):
    return run_any_job(folder, StopSignal() if stop is None else stop, KERNELS, is_played=is_played)


def positions(folder):
    result = read_result(folder)
    cache = FrameCache(folder, result.vertex_count, len(result.bodies), len(result.statistics))
    return {frame: cache.read(frame).positions + np.float32(result.origin) for frame in cache.available()}


def nothing(last=FRAMES):
    return [PlayInput(frame) for frame in range(2, last + 1)]


@pytest.mark.slow
def test_a_grab_draws_its_patch_to_the_hand(tmp_path):
    held = [PlayInput(frame, CORNER) for frame in range(2, FRAMES + 1)]
    holding, falling = (
        record(write_job(tmp_path / name, lying_cloth()), what) for name, what in (("held", held), ("free", nothing()))
    )
    assert run(holding) == run(falling) == ExitCode.COMPLETE
    drawn, free = positions(holding), positions(falling)
    assert abs(drawn[FRAMES][0] - CORNER.target).max() < 0.05
    assert free[FRAMES][0, 2] < 0.1
    # what is far from the hand falls as without one
    assert drawn[FRAMES][-1, 2] < 0.1


def test_a_hand_that_runs_away_draws_no_spike_out_of_a_jelly(tmp_path):
    """Nor at a corner, nor with few substeps, by which a run keeps up."""
    cube = jelly_cube(1.0)
    away = tuple(cube.positions[0] + [-2.0, 0.0, 0.0])
    grab = Grab("b0", (0, 1, 2), (1.0, 0.0, 0.0), 0.3, 2.0, away)
    folder = write_job(tmp_path / "job", scene(cube, frames=(1, 6), substeps=4))
    assert run(record(folder, [PlayInput(frame, grab) for frame in range(2, 7)])) == ExitCode.COMPLETE
    ends = cube.corners.reshape(-1, 3)[:, [0, 1]].T
    rest, drawn = (
        np.linalg.norm(np.subtract(*places[ends]), axis=1) for places in (cube.positions, positions(folder)[6])
    )
    # 2.8 where each vertex of the patch got an equal force; the corner is at its hand all the same
    assert (drawn / rest).max() < 2.0
    assert positions(folder)[6][0, 0] < cube.positions[0, 0] - 0.3


def test_a_push_lifts_and_a_pull_draws_to_its_point(tmp_path):
    push = [PlayInput(frame, acceleration=(0.0, 0.0, 20.0)) for frame in range(2, FRAMES + 1)]
    pull = [PlayInput(frame, pull=60.0, pull_point=(0.0, 0.0, 1.0)) for frame in range(2, FRAMES + 1)]
    pushed, pulled = (record(write_job(tmp_path / name, lying_cloth()), what) for name, what in
                      (("push", push), ("pull", pull)))  # fmt: skip
    assert run(pushed) == run(pulled) == ExitCode.COMPLETE
    time_up = (FRAMES - 1) / 24
    # uniform acceleration, less a substep's worth
    assert positions(pushed)[FRAMES][:, 2].mean() == pytest.approx(0.3 + 0.5 * 10.19 * time_up**2, rel=0.05)
    assert 0.6 < positions(pulled)[FRAMES][:, 2].mean() < 1.4


@pytest.mark.slow
@pytest.mark.parametrize("make", [lying_cloth, lambda: scene(jelly_cube(1.0), colliders=[plane()],
                                                             frames=(1, FRAMES), substeps=6)])  # fmt: skip
def test_recorded_inputs_give_the_same_bytes_again_and_after_a_stop(tmp_path, capfd, make):
    grab = Grab("b0", (0, 1, 2), (0.2, 0.3, 0.5), 0.1, 3.0, (0.2, 0.1, 0.9))
    material = {"b0": {**make().bodies[0].material.values(), "friction": 0.9}}
    inputs = [
        PlayInput(
            frame,
            grab if 3 <= frame <= 8 else None,
            (1.0, 0.0, 3.0) if frame > 6 else (0.0, 0.0, 0.0),
            20.0 if frame > 9 else 0.0,
            (0.0, 1.0, 1.0),
            Changes(substeps=4) if frame == 6 else Changes(materials=material) if frame > 6 else Changes(),
        )
        for frame in range(2, FRAMES + 1)
    ]
    folder = record(write_job(tmp_path / "whole", make()), inputs)
    assert run(folder) == ExitCode.COMPLETE
    whole = positions(folder)
    assert sorted(whole) == list(range(1, FRAMES + 1))

    again = tmp_path / "again" / folder.name
    shutil.copytree(folder, again, ignore=shutil.ignore_patterns("frames", "checkpoint.bin", "status.json"))
    later = again / "inputs" / "run_0001"
    kept = {path: path.read_bytes() for path in later.iterdir() if int(path.stem.split("_")[1]) > 8}
    for path in kept:
        path.unlink()
    assert run(again) == ExitCode.COMPLETE
    assert sorted(positions(again)) == list(range(1, 9))
    for path, content in kept.items():
        path.write_bytes(content)
    assert run(again) == ExitCode.COMPLETE
    assert "Going on after frame 8." in capfd.readouterr().out
    for frame, points in positions(again).items():
        assert points.tobytes() == whole[frame].tobytes(), frame


def wait_for(condition, seconds=60.0):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.002)


def test_the_worker_waits_for_each_input_and_begins_again(tmp_path):
    folder = write_job(tmp_path, lying_cloth())
    inputs, stop = PlayInputs(folder), StopSignal()
    first = inputs.begin_run()
    codes = []

    def published(frame):
        status = read_status(folder)
        return status is not None and status.state == "RUNNING" and (folder / f"frames/frame_{frame:08d}.bin").exists()

    def play():
        wait_for(lambda: published(1))
        for frame in range(2, 6):
            inputs.publish(first, PlayInput(frame, CORNER))
            wait_for(lambda frame=frame: published(frame))
        time.sleep(0.05)
        assert not published(6)
        second = inputs.begin_run()
        wait_for(lambda: not published(5))
        for frame in range(2, 4):
            inputs.publish(second, PlayInput(frame))
            wait_for(lambda frame=frame: published(frame))

    def artist():
        try:
            play()
            codes.append("played")
        finally:
            stop.request()

    thread = threading.Thread(target=artist)
    thread.start()
    # Taichi is this thread's
    code = run(folder, stop=stop, is_played=True)
    thread.join()
    assert codes == ["played"]
    assert code == ExitCode.INTERRUPTED
    live = positions(folder)
    assert sorted(live) == [1, 2, 3]
    shutil.rmtree(folder / "frames")
    (folder / "checkpoint.bin").unlink()
    assert run(folder) == ExitCode.COMPLETE
    assert {frame: points.tobytes() for frame, points in positions(folder).items()} == {
        frame: points.tobytes() for frame, points in live.items()
    }


def test_start_frames_take_no_input_and_are_not_published(tmp_path):
    folder = record(write_job(tmp_path, lying_cloth(preroll=3)), [PlayInput(frame, CORNER) for frame in range(2, 5)])
    assert run(folder) == ExitCode.COMPLETE
    found = positions(folder)
    assert sorted(found) == [1, 2, 3, 4]
    # it has fallen for three frames before the first
    assert found[1][:, 2].mean() < 0.28


def test_a_hand_that_runs_away_tears_nothing_apart(tmp_path):
    far = Grab("b0", (0, 1, 6), (1.0, 0.0, 0.0), 0.2, 4.0, (0.0, 0.0, 100.0))
    folder = record(write_job(tmp_path, lying_cloth()), [PlayInput(frame, far) for frame in range(2, FRAMES + 1)])
    assert run(folder) == ExitCode.COMPLETE
    found = positions(folder)[FRAMES]
    # three times its weight, for less than half a second
    assert 0.3 < found[:, 2].mean() < 0.3 + 0.5 * 30.0 * ((FRAMES - 1) / 24) ** 2
    assert np.ptp(found, axis=0).max() < 2.0
