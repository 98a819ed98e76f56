# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiles ahead of a bake, as the add-on keeps it: one at most, never without a window, and nothing is left."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

# each waits for the end of its input, but for the last one
WAITS = "import sys; sys.stdin.read()"
DONE = "pass"
KEEPS = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1); time.sleep(0.7)"


@pytest.fixture
def ahead(bpy, monkeypatch):
    """The module, as if there were a window; a timer's ticks are the tests' own. No worker waits for a job."""
    from blender_xpbd.addon.process import compiling_ahead, waiting_worker

    monkeypatch.setattr(waiting_worker, "prepare", lambda *_: False)
    monkeypatch.setattr(compiling_ahead, "_has_window", lambda: True)
    monkeypatch.setattr(compiling_ahead, "_DELAY", 0.0)
    monkeypatch.setattr(compiling_ahead, "_compiled", set())
    yield compiling_ahead
    compiling_ahead.stop()


@pytest.fixture
def started(ahead, monkeypatch):
    """The job folders of what was started; workers run a line of Python in their place, ``started.runs``."""

    class Started(list):
        runs = WAITS

    jobs = Started()

    def command(_python, job: Path) -> list[str]:
        jobs.append(job)
        return [sys.executable, "-c", jobs.runs]

    monkeypatch.setattr(ahead, "compile_command", command)
    return jobs


def tick(ahead, seconds=0.0):
    """Let the timer tick for some seconds; until a worker is started at least."""
    limit = time.monotonic() + max(seconds, 20.0)
    begin = time.monotonic()
    while time.monotonic() < limit:
        ahead._tick()
        if ahead._wish is None and time.monotonic() - begin >= seconds:
            return
        time.sleep(0.02)
    raise AssertionError("nothing was started")


def process_of(ahead):
    return None if ahead._compilation is None else ahead._compilation.process


def give_role(bpy, body, select, role="CLOTH"):
    select(body)
    assert bpy.ops.xpbd.set_role(role=role) == {"FINISHED"}


def test_a_role_begins_it_and_the_same_scene_begins_it_once(bpy, ahead, started, make_body, select):
    body = make_body(role="NONE")
    give_role(bpy, body, select)
    tick(ahead)
    process = process_of(ahead)
    assert process.poll() is None
    assert started[0].joinpath("job.json").is_file()
    bpy.ops.xpbd.check()
    tick(ahead)
    assert process_of(ahead) is process
    assert len(started) == 1
    assert body.data.shape_keys is None


def test_another_kind_of_scene_ends_it_and_begins_its_own(bpy, ahead, started, make_body, select):
    body = make_body(role="NONE")
    give_role(bpy, body, select)
    tick(ahead)
    first = process_of(ahead)
    bpy.context.scene.xpbd.use_floor = True
    bpy.ops.xpbd.check()
    tick(ahead)
    assert first.poll() is not None
    assert not started[0].exists()
    assert process_of(ahead).poll() is None


def test_what_was_compiled_is_known_and_leaves_no_folder(bpy, ahead, started, make_body, select):
    started.runs = DONE
    give_role(bpy, make_body(role="NONE"), select)
    before = ahead.known_kernels()
    tick(ahead)
    while ahead._compilation is not None:
        tick(ahead)
    assert not started[0].exists()
    assert len(ahead.known_kernels() - before) == 1
    assert json.loads(bpy.context.scene.xpbd.expense)["is_known"], "the panel tells no time to compile any more"
    bpy.ops.xpbd.check()
    tick(ahead)
    assert len(started) == 1


def test_a_worker_that_fails_leaves_nothing_known(bpy, ahead, started, make_body, select):
    started.runs = "raise SystemExit(3)"
    give_role(bpy, make_body(role="NONE"), select)
    before = ahead.known_kernels()
    tick(ahead)
    while ahead._compilation is not None:
        tick(ahead)
    assert ahead.known_kernels() == before


def test_a_bake_waits_for_its_own_kernels_and_ends_others(bpy, ahead, started, make_body, select):
    started.runs = "import time; time.sleep(1.0)"
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    process, kernels = process_of(ahead), ahead._compilation.kernels
    steps = ahead.settle(kernels)
    next(steps)
    assert process.poll() is None
    for _ in steps:
        time.sleep(0.02)
    assert process.returncode == 0
    assert ahead._compilation is None

    ahead._compiled.clear()
    started.runs = WAITS
    bpy.ops.xpbd.check()
    tick(ahead)
    process = process_of(ahead)
    assert list(ahead.settle("another")) == []
    assert process.returncode not in {None, 0}


def test_a_bake_that_begins_at_once_lets_nothing_begin(bpy, ahead, started, make_body, select, fake_worker, tmp_path):
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.cache_directory = 5, str(tmp_path / "cache")
    give_role(bpy, make_body(role="NONE"), select)
    assert ahead._wish is not None
    bpy.ops.xpbd.bake()
    assert ahead._wish is None
    ahead._tick()
    assert started == []


def test_what_keeps_its_kernels_is_waited_for(bpy, ahead, started, make_body, select):
    started.runs = KEEPS
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    process = process_of(ahead)
    time.sleep(0.4)
    ahead.stop()
    assert process.returncode == 0


@pytest.mark.parametrize("way", ["preference", "no window", "large"])
def test_where_it_does_not_begin(bpy, ahead, started, make_body, select, monkeypatch, way):
    from blender_xpbd.addon.checking import check_scene

    body = make_body()
    if way == "preference":
        monkeypatch.setattr(check_scene, "compiles_ahead", lambda _context: False)
    elif way == "no window":
        monkeypatch.setattr(ahead, "_has_window", lambda: False)
    else:
        monkeypatch.setattr(check_scene, "MOST_ELEMENTS", 10)
    give_role(bpy, body, select)
    assert ahead._wish is None
    ahead._tick()
    assert started == []


def test_another_file_ends_it(bpy, ahead, started, make_body, select):
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    process = process_of(ahead)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert process.poll() is not None
    assert ahead._compilation is None


def test_the_preference_is_on_and_ends_it_when_switched_off(bpy, ahead, started, make_body, select):
    from types import SimpleNamespace

    from blender_xpbd.addon.data.extension import compiles_ahead
    from blender_xpbd.addon.ui import preferences

    assert compiles_ahead(bpy.context)
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    process = process_of(ahead)
    preferences._stop_compiling(SimpleNamespace(compile_ahead=True), bpy.context)
    assert process.poll() is None
    preferences._stop_compiling(SimpleNamespace(compile_ahead=False), bpy.context)
    assert process.poll() is not None


@pytest.fixture
def loads(ahead, monkeypatch):
    """Kinds of scenes and jobs whose kernels a worker that waits was told to load."""
    from blender_xpbd.addon.process import waiting_worker

    told = []

    def prepare(_python, kernels, job):
        assert (job / "job.json").is_file()
        told.append((kernels, job))
        return True

    monkeypatch.setattr(waiting_worker, "prepare", prepare)
    monkeypatch.setattr(waiting_worker, "wants", lambda _python, kernels: kernels not in dict(told))
    return told


def test_what_was_compiled_is_loaded_once(bpy, ahead, started, loads, make_body, select):
    started.runs = DONE
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    while ahead._compilation is not None:
        tick(ahead)
    assert [job for _, job in loads] == started
    assert started[0].exists(), "whoever loads it removes it"
    bpy.ops.xpbd.check()
    tick(ahead)
    assert len(loads) == 1


def test_what_is_known_is_loaded_and_not_compiled(bpy, ahead, started, loads, make_body, select, monkeypatch):
    monkeypatch.setattr(ahead, "known_kernels", _Everything)
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    assert len(loads) == 1
    assert started == []
    bpy.context.scene.xpbd.use_floor = True
    bpy.ops.xpbd.check()
    tick(ahead)
    assert len(loads) == 2
    assert started == []


class _Everything(frozenset):
    def __contains__(self, _item):
        return True


def test_a_bake_that_waits_for_its_kernels_loads_them_itself(bpy, ahead, started, loads, make_body, select):
    started.runs = DONE
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    for _ in ahead.settle(ahead._compilation.kernels):
        time.sleep(0.01)
    assert ahead._compilation is None
    assert loads == []
    assert not started[0].exists()


def test_what_is_known_is_loaded_once_the_worker_has_time(bpy, ahead, started, loads, make_body, select, monkeypatch):
    from blender_xpbd.addon.process import waiting_worker

    monkeypatch.setattr(ahead, "known_kernels", _Everything)
    monkeypatch.setattr(waiting_worker, "is_loading", lambda: True)
    give_role(bpy, make_body(role="NONE"), select)
    for _ in range(3):
        ahead._tick()
        time.sleep(0.02)
    assert loads == []
    assert ahead._wish is not None
    monkeypatch.setattr(waiting_worker, "is_loading", lambda: False)
    tick(ahead)
    assert len(loads) == 1


def test_what_is_ended_is_not_loaded(bpy, ahead, started, loads, make_body, select):
    started.runs = DONE
    give_role(bpy, make_body(role="NONE"), select)
    tick(ahead)
    process_of(ahead).wait(20.0)
    ahead.stop()
    assert loads == []
    assert not started[0].exists()
