# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker process: job in, frames out, whatever happens in between."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs import checkpoint
from blender_xpbd.jobs.checkpoint import read_checkpoint, write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.body import Attachment, Body, Tetrahedralization
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, pins, plane, scene

ROOT = Path(__file__).resolve().parents[2]


def start(folder, *options, kernels=ROOT / ".cache" / "taichi", before=()):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XPBD_TAICHI_CACHE": str(kernels)}
    return subprocess.Popen(
        [*before, sys.executable, "-m", "blender_xpbd.worker", str(folder), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    )


def finish(process):
    # a worker that hangs, not one that compiles kernels on a busy machine
    output, _ = process.communicate(timeout=400)
    return process.returncode, output.decode()


def falling_cloth(frames=40, count=20, **keywords):
    return scene(
        cloth(count, height=0.3, pinned=[0]), colliders=[plane()], frames=(1, frames), **{"substeps": 10, **keywords}
    )


def frames_of(folder):
    result = read_result(folder)
    cache = FrameCache(folder, result.vertex_count, len(result.bodies), len(result.statistics))
    return {frame: cache.path(frame).read_bytes() for frame in cache.available()}, cache


def wait_for_frame(folder, frame, process):
    while not (read_status(folder) and (read_status(folder).frame or 0) >= frame):
        assert process.poll() is None, process.stdout.read().decode()
        time.sleep(0.005)


def test_runs_a_job_to_its_end(tmp_path):
    folder = write_job(tmp_path, falling_cloth())
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE, output
    status, result = read_status(folder), read_result(folder)
    assert (status.state, status.frame, status.frames_done, status.frames_total) == ("COMPLETE", 40, 40, 40)
    assert status.device == "CPU"
    assert status.solver_fps > 0
    assert result.bodies[0].constraint_counts.keys() == {"diagonal", "distance", "plate_bending"}
    _, cache = frames_of(folder)
    assert cache.available() == list(range(1, 41))
    rest = cache.read(1).positions + np.array(result.origin)
    np.testing.assert_allclose(rest, falling_cloth().bodies[0].positions, atol=1e-6)
    last = cache.read(40)
    assert last.positions[:, 2].min() + result.origin[2] > 0.0
    assert 0.0 < last.statistics[0, 0] < 1.0


def test_counts_of_constraints_are_those_that_are_solved(tmp_path):
    """Of each body, with its soft pins and what attaches it to another; not between what cannot move."""
    jelly_positions, sizes, corners = box()
    shape = Tetrahedralization("CAGE", 2)
    jelly = Body("b0", "Jelly", "JELLY", jelly_positions, sizes, corners, Material(), tetrahedralization=shape)
    held = Attachment("b0", np.array([7, 8], np.int32), np.array([1.0, 0.5], np.float32))
    soft = pins(cloth(3).positions, [0, 1, 2], weights=np.array([1.0, 1.0, 0.5]))
    sheet = replace(cloth(3, height=0.5, identifier="b1"), pins=soft, attachment=held)
    folder = write_job(tmp_path, scene(jelly, sheet, frames=(1, 2)))
    assert finish(start(folder))[0] == ExitCode.COMPLETE
    first, second = (body.constraint_counts for body in read_result(folder).bodies)
    assert second["attachment"] == 1
    assert second["element_attachment"] == 2
    free = build_system(scene(cloth(3), frames=(1, 2))).schedule.counts()
    # one edge lies between the two pins
    assert second["distance"] == free["distance"] - 1
    assert "attachment" not in first
    assert first.keys() >= {"neo_hookean"}


def box():
    """Positions, face sizes and corners of a cube of 1 m."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.array(corners, np.float64), np.full(6, 4, np.int32), np.array(sides, np.int32).ravel()


def test_keeps_every_nth_frame_and_the_last(tmp_path):
    whole = falling_cloth(20)
    sparse = type(whole)(**{**whole.__dict__, "frames": type(whole.frames)(1, 20, 6)})
    folders = [write_job(tmp_path, job) for job in (whole, sparse)]
    for folder in folders:
        assert finish(start(folder))[0] == ExitCode.COMPLETE
    every, few = frames_of(folders[0])[0], frames_of(folders[1])[0]
    assert list(few) == [1, 7, 13, 19, 20]
    assert all(few[frame] == every[frame] for frame in few)


@pytest.mark.slow
def test_killed_at_any_moment_goes_on_with_the_same_bytes(tmp_path):
    job = falling_cloth(60, 30, substeps=30)
    expected_folder = write_job(tmp_path / "whole", job)
    assert finish(start(expected_folder))[0] == ExitCode.COMPLETE
    expected, _ = frames_of(expected_folder)
    folder = write_job(tmp_path / "killed", job)
    for frame in (3, 20, 45):
        process = start(folder)
        wait_for_frame(folder, frame, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stdin.close()
        _, cache = frames_of(folder)
        assert all(cache.verify(number) for number in cache.available())
    assert finish(start(folder))[0] == ExitCode.COMPLETE
    assert frames_of(folder)[0] == expected


@pytest.mark.parametrize("way", ["end of input", "SIGTERM"])
def test_stops_when_asked_and_resumes(tmp_path, way):
    job = falling_cloth(4000, 30, substeps=40)
    folder = write_job(tmp_path, job)
    process = start(folder, *(["--stop-at-end-of-input"] if way == "end of input" else []))
    wait_for_frame(folder, 5, process)
    before = time.monotonic()
    if way == "SIGTERM":
        process.terminate()
    code, output = finish(process)
    assert code == ExitCode.INTERRUPTED, output
    # two seconds on a quiet machine; the job itself takes much longer
    assert time.monotonic() - before < 10.0
    status = read_status(folder)
    assert status.state == "INTERRUPTED"
    assert status.frame is not None
    assert 5 <= status.frame < 4000
    process = start(folder)
    output = process.stdout.readline() + process.stdout.readline() + process.stdout.readline()
    process.kill()
    process.communicate()
    assert f"Going on after frame {status.frame}".encode() in output


def test_complete_job_is_not_computed_again(tmp_path):
    folder = write_job(tmp_path, falling_cloth(10))
    finish(start(folder))
    before, _ = frames_of(folder)
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE
    assert "Going on after frame 10" in output
    assert read_status(folder).frames_done == 10
    assert frames_of(folder)[0] == before


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (jelly_cube(0.5, resolution=2), "3 of 144 tetrahedra inside out at frame 4"),
        (cloth(3, height=0.3), "3 tetrahedra inside out at frame 4"),
    ],
    ids=["jelly", "cloth"],
)
def test_frames_of_an_earlier_run_are_warned_of_too(tmp_path, body, told):
    """The first frame with inverted tetrahedra is told, whichever run has solved it; a forged number is none."""
    folder = write_job(tmp_path, scene(body, colliders=[plane()], frames=(1, 10), substeps=10))
    finish(start(folder))
    _, cache = frames_of(folder)
    column = read_result(folder).statistics.index("inverted_tetrahedra")
    for frame, count in ((2, np.inf), (4, 3.0), (6, 5.0)):
        data = cache.read(frame)
        data.statistics[0, column] = count
        cache.publish(frame, data.positions, data.statistics)
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE, output
    (notice,) = [each for each in read_status(folder).notices if each.code == "W_INVERTED"]
    assert str(notice).startswith(f'W_INVERTED: object "{body.name}": {told}, as in a deep crease.')


def test_damaged_frame_is_computed_again(tmp_path):
    folder = write_job(tmp_path, falling_cloth(10))
    finish(start(folder))
    before, cache = frames_of(folder)
    cache.path(4).write_bytes(before[4][:-5])
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE
    assert frames_of(folder)[0] == before
    (notice,) = read_status(folder).notices
    assert str(notice) in output
    assert "Frame 4 of the cache is damaged. All frames were computed again" in str(notice)
    assert read_result(folder).notices == ()


def wrong_shape(folder):
    write_checkpoint(folder, 5, {"positions": np.zeros((3, 4)), "velocities": np.zeros((3, 4))})


def no_velocities(folder):
    _, arrays = read_checkpoint(folder) or (0, {})
    del arrays["velocities"]
    write_checkpoint(folder, 5, arrays)


def not_finite(folder):
    _, arrays = read_checkpoint(folder) or (0, {})
    write_checkpoint(folder, 5, {name: array * np.nan for name, array in arrays.items()})


def damaged(folder):
    path = folder / "checkpoint.bin"
    path.write_bytes(path.read_bytes()[:-1])


def other_version(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "SOLVER_VERSION", 999)
        write_checkpoint(folder, 5, {})


@pytest.mark.parametrize("spoil", [wrong_shape, no_velocities, not_finite, damaged, other_version])
def test_a_checkpoint_that_does_not_fit_starts_the_bake_again(tmp_path, spoil):
    """With a notice, and with the frames of a bake that was never interrupted."""
    folder = write_job(tmp_path, falling_cloth(10))
    finish(start(folder))
    before, _ = frames_of(folder)
    spoil(folder)
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE, output
    status = read_status(folder)
    (notice,) = status.notices
    assert str(notice) in output
    assert notice.code == "W_CACHE_DAMAGED"
    assert "All frames were computed again, from frame 1 on." in notice.message
    assert status.frames_done == 10
    assert frames_of(folder)[0] == before


def test_second_worker_on_one_job_is_refused_at_once(tmp_path):
    folder = write_job(tmp_path, falling_cloth(10))
    with JobLock(folder):
        code, output = finish(start(folder))
    assert code == ExitCode.LOCKED
    assert "E_LOCKED" in output
    assert read_status(folder) is None


def test_blow_up_keeps_the_frames_before(tmp_path):
    body = cloth(8)
    wild = type(body)(**{**body.__dict__, "velocity": np.array([1e38, 0, 0])})
    folder = write_job(tmp_path, scene(wild, cloth(8, identifier="b1"), frames=(5, 200)))
    code, _ = finish(start(folder))
    assert code == ExitCode.DIVERGED
    status = read_status(folder)
    assert (status.state, status.error.code, status.error.object_name) == ("FAILED", "E_DIVERGED", "Cloth")
    _, cache = frames_of(folder)
    assert cache.available()[0] == 5
    assert status.error.frame is not None
    assert cache.available()[-1] == status.error.frame - 1


def test_absent_device_is_an_error(tmp_path):
    folder = write_job(tmp_path, falling_cloth(5, device="METAL"))
    code, output = finish(start(folder))
    if sys.platform == "darwin":
        pytest.skip("Metal is here")
    assert code == ExitCode.REFUSED
    assert read_status(folder).error.code == "E_DEVICE"
    assert "METAL" in output


def test_folder_without_a_job_is_refused(tmp_path):
    code, output = finish(start(tmp_path))
    assert code == ExitCode.REFUSED
    assert "E_JOB" in output


def test_a_worker_that_leaves_keeps_its_kernels(tmp_path):
    """It ends without taking Taichi apart, so it has to write the cache itself."""
    folder = write_job(tmp_path, falling_cloth(3))
    cache = tmp_path / "kernels"
    process = start(folder, kernels=cache)
    assert finish(process)[0] == ExitCode.COMPLETE
    kept = {path: path.stat().st_mtime_ns for path in cache.rglob("*.tic")}
    assert kept
    # kernels are code
    assert sys.platform == "win32" or cache.stat().st_mode & 0o777 == 0o700
    second = write_job(tmp_path, falling_cloth(4))
    assert finish(start(second, kernels=cache))[0] == ExitCode.COMPLETE
    # on a busy machine the second may choose another path, which adds kernels
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in cache.rglob("*.tic")}.items()


@pytest.mark.parametrize("streams", ["sys.stdout = sys.stderr = None", "sys.stdout.close(); sys.stderr.close()"])
def test_the_exit_status_stays_without_output(streams):
    program = f"import sys; from blender_xpbd.worker.__main__ import leave; {streams}; leave(3)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 3


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_memory_that_taichi_does_not_get_is_told_as_that(tmp_path):
    """It was told as a crash of the worker, in Taichi's own words."""
    folder = write_job(tmp_path, falling_cloth(frames=3))
    # Taichi asks for a gigabyte at once
    limit = ("/bin/sh", "-c", 'ulimit -v 1000000; exec "$@"', "sh")
    status, _ = finish(start(folder, before=limit))
    error = read_status(folder).error
    assert (status, error.code) == (ExitCode.CRASHED, "E_MEMORY")
    assert "close other programs" in error.message
