# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of one job, within this process: what its status says of each end, and what it keeps on the disk."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from blender_xpbd.jobs.checkpoint import read_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.errors import ExitCode, XpbdError
from blender_xpbd.solver.solver import Solver
from blender_xpbd.worker import job_runner
from blender_xpbd.worker.resume import find_start
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, jelly_cube, plane, scene

KERNELS = Path(__file__).resolve().parents[2] / ".cache" / "taichi"
FRAMES = 10


def falling_cloth(**settings):
    return scene(cloth(6, height=0.3), colliders=[plane()], frames=(1, FRAMES), substeps=4, **settings)


def run(folder, stop=None):
    return job_runner.run_job(folder, StopSignal() if stop is None else stop, KERNELS)


def frames_of(folder):
    result = read_result(folder)
    return FrameCache(folder, result.vertex_count, len(result.bodies), len(result.statistics))


@pytest.fixture
def after_frame(monkeypatch):
    """Calls a function with the frame after each that the solver has advanced to."""

    def call(function):
        advance = Solver.advance

        def advance_and_call(solver):
            advance(solver)
            function(solver)

        monkeypatch.setattr(Solver, "advance", advance_and_call)

    return call


def raise_at(frame, fault):
    def check(solver):
        if solver.frame_index == frame - 1:
            raise fault

    return check


@pytest.mark.parametrize(
    ("fault", "exit_code", "code", "words"),
    [
        (MemoryError(), ExitCode.CRASHED, "E_MEMORY", "lower the cage resolution"),
        (RuntimeError("Virtual memory allocation (9 B) failed"), ExitCode.CRASHED, "E_MEMORY", "close other programs"),
        (ZeroDivisionError("by nothing"), ExitCode.CRASHED, "E_WORKER", "ZeroDivisionError: by nothing"),
        (XpbdError("E_DIVERGED", "Far away.", "Cloth", 5), ExitCode.DIVERGED, "E_DIVERGED", "Far away."),
    ],
)
def test_a_fault_on_the_way_is_told_and_what_was_published_stays(
    tmp_path, after_frame, capsys, fault, exit_code, code, words
):
    after_frame(raise_at(5, fault))
    folder = write_job(tmp_path, falling_cloth())
    assert run(folder) == exit_code
    status = read_status(folder)
    assert (status.state, status.error.code, status.frame) == ("FAILED", code, 4)
    assert words in status.error.message
    assert (frames_of(folder).available(), status.frames_done, status.frames_total) == ([1, 2, 3, 4], 4, FRAMES)
    printed = capsys.readouterr()
    # the log has the trace of what nobody foresaw
    assert ("Traceback" in printed.err) == (code == "E_WORKER")
    # the lock is free again
    with JobLock(folder):
        pass


def test_a_stop_keeps_the_state_of_the_last_frame_and_the_next_run_goes_on(tmp_path, after_frame):
    stop = StopSignal()
    after_frame(lambda solver: stop.request() if solver.frame_index == 3 else None)
    folder = write_job(tmp_path, falling_cloth())
    assert run(folder, stop) == ExitCode.INTERRUPTED
    status = read_status(folder)
    assert (status.state, status.frame, status.error) == ("INTERRUPTED", 4, None)
    saved = read_checkpoint(folder)
    assert saved is not None
    assert saved[0] == 4
    assert frames_of(folder).available() == [1, 2, 3, 4]
    assert run(folder) == ExitCode.COMPLETE
    whole = write_job(tmp_path / "whole", falling_cloth())
    assert run(whole) == ExitCode.COMPLETE
    got, expected = frames_of(folder), frames_of(whole)
    assert got.available() == expected.available() == list(range(1, FRAMES + 1))
    for frame in expected.available():
        np.testing.assert_array_equal(got.read(frame).positions, expected.read(frame).positions)


def test_a_stop_while_the_quality_is_chosen_leaves_no_frames(tmp_path):
    stop = StopSignal()
    stop.request()
    folder = write_job(tmp_path, falling_cloth(quality="AUTOMATIC"))
    assert run(folder, stop) == ExitCode.INTERRUPTED
    status = read_status(folder)
    assert (status.state, status.frame, status.frames_done) == ("INTERRUPTED", None, 0)


@pytest.mark.parametrize(("tolerance", "is_told"), [(1e5, False), (1e-6, True)])
def test_the_quality_that_was_chosen_is_in_the_result(tmp_path, tolerance, is_told):
    folder = write_job(tmp_path, falling_cloth(quality="AUTOMATIC", tolerance=tolerance, maximum_substeps=8))
    assert run(folder) == ExitCode.COMPLETE
    result = read_result(folder)
    assert result.substeps <= 8
    assert result.iterations == 1
    told = [notice.message for notice in result.notices if notice.code == "W_QUALITY"]
    assert any("is not reached" in text for text in told) == is_told


def test_edges_ten_times_their_length_are_no_material_any_more(tmp_path, monkeypatch):
    monkeypatch.setattr(job_runner, "DIVERGED_MEAN_STRAIN", 0.0)
    folder = write_job(tmp_path, falling_cloth())
    assert run(folder) == ExitCode.DIVERGED
    error = read_status(folder).error
    assert (error.code, error.object_name, error.frame) == ("E_DIVERGED", "Cloth", 1)


@pytest.mark.slow
@pytest.mark.parametrize("count", [7, 1])
def test_inverted_tetrahedra_are_told_once_for_each_body(tmp_path, monkeypatch, count):
    measure = job_runner.Measure.__call__

    def inverted(self, *arguments):
        rows = measure(self, *arguments)
        rows[:, 3] = [count, 0.0]
        return rows

    monkeypatch.setattr(job_runner.Measure, "__call__", inverted)
    bodies = [jelly_cube(0.5, resolution=2), cloth(3, height=3.0, identifier="b1")]
    folder = write_job(tmp_path, scene(*bodies, frames=(1, 3), substeps=2))
    assert run(folder) == ExitCode.COMPLETE
    told = [str(notice) for notice in read_status(folder).notices if notice.code == "W_INVERTED"]
    (text,) = told
    total = read_result(folder).bodies[0].tetrahedron_count
    assert text.startswith(f'W_INVERTED: object "Cube": {count} of {total} tetrahedra inside out at frame 1,')


def test_the_status_tells_every_stage_in_its_order(tmp_path, monkeypatch):
    told = []
    write = job_runner.write_status

    def note(folder, status):
        told.append(status.state)
        write(folder, status)

    monkeypatch.setattr(job_runner, "write_status", note)
    folder = write_job(tmp_path, falling_cloth())
    assert run(folder) == ExitCode.COMPLETE
    assert list(dict.fromkeys(told)) == ["STARTING", "BUILDING", "RUNNING", "COMPLETE"]
    assert {"read", "build", "start", "compile", "solve", "write", "measure"} <= read_status(folder).seconds.keys()


def test_a_status_that_cannot_be_written_hides_no_fault(tmp_path, monkeypatch, capsys):
    write = job_runner.write_status

    def write_but_the_last(folder, status):
        if status.state == "FAILED":
            raise XpbdError("E_IO", "Cannot write the status.")
        write(folder, status)

    monkeypatch.setattr(job_runner, "write_status", write_but_the_last)
    assert job_runner.run_job(tmp_path, StopSignal(), tmp_path) == ExitCode.REFUSED
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("E_JOB: ")
    assert second == "The status could not be written. E_IO: Cannot write the status."


def test_taichi_that_cannot_be_stopped_changes_no_exit_status(tmp_path, monkeypatch, capsys):
    def fail():
        raise RuntimeError("the card is lost")

    monkeypatch.setattr(job_runner, "stop_taichi", fail)
    assert job_runner.run_job(tmp_path, StopSignal(), tmp_path / "kernels") == ExitCode.REFUSED
    assert "the card is lost" in capsys.readouterr().err


class FakeSolver:
    """As much of a solver as keeping a checkpoint asks for."""

    is_memoryless = True

    def __init__(self, values=12):
        made = scene(cloth(2), frames=(1, 50))
        models = tuple(SimpleNamespace(body=body) for body in made.bodies)
        self.system = SimpleNamespace(scene=made, models=models)
        self.frame_index = 3
        self._values = values

    def checkpoint(self):
        return {"positions": np.zeros(self._values)}

    def restore(self, frame_index, _arrays):
        self.frame_index = frame_index

    def contact_counts(self):
        return None


@pytest.fixture
def disk(monkeypatch):
    """What is asked of the disk, in its order: ("flush" or "name", name of the file)."""
    done = []
    fsync, replace = os.fsync, Path.replace

    def flush(descriptor):
        done.append(("flush", Path(f"/proc/self/fd/{descriptor}").readlink().name.partition(".bin")[0].lstrip(".")))
        fsync(descriptor)

    def name(path, target):
        done.append(("name", target.stem))
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(Path, "replace", name)
    return done


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_checkpoint_stands_only_before_frames_that_survive_a_power_cut(tmp_path, disk):
    runner = job_runner.JobRunner(tmp_path, StopSignal(), tmp_path)
    cache = FrameCache(tmp_path, 4, 1, 1)
    for frame in (1, 2, 3, 4):
        cache.publish(frame, np.zeros((4, 3), np.float32), np.zeros((1, 1)))
    disk.clear()
    runner._solving_since = time.perf_counter() - 60.0
    runner._save_checkpoint(FakeSolver(), cache)
    frames = {("flush", f"frame_{frame:08d}") for frame in (1, 2, 3, 4)}
    assert set(disk[:4]) == frames
    assert disk[4:] == [("flush", "frames"), ("flush", "checkpoint"), ("name", "checkpoint"), ("flush", tmp_path.name)]
    disk.clear()
    runner._save_checkpoint(FakeSolver(), cache)
    assert disk[0] == ("flush", "checkpoint"), "what is on the disk was flushed again"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_bake_of_seconds_does_not_wait_for_the_disk(tmp_path, disk):
    """There is less to lose than to wait for."""
    runner = job_runner.JobRunner(tmp_path, StopSignal(), tmp_path)
    cache = FrameCache(tmp_path, 4, 1, 1)
    cache.publish(1, np.zeros((4, 3), np.float32), np.zeros((1, 1)))
    runner._solving_since = time.perf_counter()
    runner._save_checkpoint(FakeSolver(), cache)
    assert [what for what, _ in disk] == ["name", "name"]


def test_slow_checkpoints_come_less_often(tmp_path, monkeypatch):
    runner = job_runner.JobRunner(tmp_path, StopSignal(), tmp_path)
    monkeypatch.setattr(job_runner, "write_checkpoint", lambda *_, **__: time.sleep(0.2))
    runner._save_checkpoint(FakeSolver(), FrameCache(tmp_path, 4, 1, 1))
    assert runner._checkpoint_pause >= 0.2 / job_runner.CHECKPOINT_SHARE


def test_a_bake_that_goes_on_flushes_the_frames_before_too(tmp_path, monkeypatch):
    folder = write_job(tmp_path, falling_cloth())
    assert run(folder) == ExitCode.COMPLETE
    flushed = []
    monkeypatch.setattr("blender_xpbd.jobs.frames.flush", lambda paths, _code: flushed.extend(paths))
    solver = FakeSolver(10_000)
    runner = job_runner.JobRunner(folder, StopSignal(), tmp_path)
    cache = frames_of(folder)
    made = falling_cloth()
    runner._begin(find_start(folder, made.frames, cache, 80_000, was_saved=True), made, solver, cache)
    runner._save_checkpoint(solver, cache)
    assert [path.name for path in flushed] == [f"frame_{frame:08d}.bin" for frame in range(1, 11)]


JOBS_OF_ONE_PROCESS = """
import gc, sys
from pathlib import Path
import taichi as ti
from blender_xpbd.jobs.job import write_job
from blender_xpbd.worker.job_runner import run_job
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, scene
start = ti.init

def init(**options):
    gc.unfreeze()
    print("arrays", sum(isinstance(thing, ti.Ndarray) for thing in gc.get_objects()))
    start(**options)

ti.init = init
for last in (2, 3):
    folder = write_job(Path(sys.argv[1]), scene(cloth(4), frames=(1, last), substeps=2, meet=True))
    print("exit", int(run_job(folder, StopSignal(), Path(sys.argv[2]))))
"""


def test_a_job_leaves_no_arrays_to_the_next_one_of_its_process(tmp_path):
    """One that is deleted later takes a new one with it that lies where it lay."""
    command = [sys.executable, "-c", JOBS_OF_ONE_PROCESS, str(tmp_path), str(KERNELS)]
    done = subprocess.run(command, cwd=KERNELS.parents[1], check=True, capture_output=True, text=True)
    told = [line for line in done.stdout.splitlines() if line.startswith(("arrays", "exit"))]
    assert told == ["arrays 0", "exit 0"] * 2
