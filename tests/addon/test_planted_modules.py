# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that look like modules, wherever a stranger may lay them down: no process of ours imports one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from tests.jobs.hostile_folders import baked_job

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180

MODULES = (
    "argparse.py",
    "blender_xpbd/__init__.py",
    "dill.py",
    "importlib/__init__.py",
    "inspect.py",
    "json.py",
    "numpy.py",
    "os.py",
    "pathlib.py",
    "runpy.py",
    "sitecustomize.py",
    "taichi.py",
    "tetgen.py",
    "threading.py",
    "usercustomize.py",
)


@pytest.fixture
def mark(tmp_path):
    """A folder that each module that is executed leaves its name in."""
    folder = tmp_path / "executed"
    folder.mkdir()
    return folder


@pytest.fixture
def plant(mark):
    def plant_in(folder):
        for name in MODULES:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"open({str(mark / name.partition('/')[0])!r}, 'w').close()\n")

    return plant_in


@pytest.fixture
def hostile(tmp_path, plant, monkeypatch):
    """A current folder and a shared temporary folder full of such modules."""
    for name in ("current", "temporary"):
        plant(tmp_path / name)
    monkeypatch.chdir(tmp_path / "current")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.fixture
def python(bpy):
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    return WorkerPython(sys.executable, "3.11", worker_environment([]))


def names(mark):
    return sorted(path.name for path in mark.iterdir())


def finish(worker):
    limit = time.monotonic() + SECONDS
    try:
        while not worker.poll():
            assert time.monotonic() < limit
            time.sleep(0.01)
        assert worker.status().state == "COMPLETE"
    finally:
        worker.kill()


def test_a_planted_module_would_be_noticed(hostile, mark):
    """Or the tests below would say nothing."""
    subprocess.run([sys.executable, "-c", "import numpy, taichi"], cwd=hostile / "current", check=True)
    assert names(mark) == ["numpy.py", "taichi.py"]


@pytest.mark.parametrize("is_waiting", [False, True])
def test_a_worker_imports_nothing_of_the_cache(is_waiting, python, hostile, plant, mark):
    from blender_xpbd.addon.process import waiting_worker
    from blender_xpbd.addon.process.worker_process import WorkerProcess

    job = baked_job(hostile / "xpbd_cache" / "shot" / "Scene")
    for folder in (job, job.parent, job / "frames", hostile / "xpbd_cache"):
        plant(folder)
    if is_waiting:
        waiting_worker.start(python)
    taken = waiting_worker.take(python)
    assert (taken is not None) == is_waiting
    finish(WorkerProcess(python, job, taken))
    assert names(mark) == []


def test_a_probe_imports_nothing_of_the_current_folder(bpy, hostile, mark, monkeypatch):
    from blender_xpbd.addon.process import worker_python

    worker_python.forget_python()
    # What a Blender that was started there may search, and must not hand on
    monkeypatch.setattr(sys, "path", ["", str(Path.cwd()), ".", *sys.path])
    try:
        found = worker_python.find_python(sys.executable)
    finally:
        worker_python.forget_python()
    assert names(mark) == []
    folders = found.environment.get("PYTHONPATH", "").split(os.pathsep)
    assert str(Path.cwd()) not in folders
    assert all(Path(folder).is_absolute() for folder in folders if folder)


def test_no_interpreter_is_taken_from_the_current_folder(bpy, hostile, mark, monkeypatch):
    from blender_xpbd.addon.process import worker_python

    for name in ("python3", "python", "python3.11", "python.exe", "python3.exe"):
        path = hostile / "current" / name
        path.write_text(f"#!/bin/sh\ntouch {mark}/{name}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", os.environ["PATH"])))
    found = list(worker_python.candidates())
    assert found
    assert all(Path(path).is_absolute() and Path.cwd() not in Path(path).parents for path in found)


def test_a_named_python_is_found_whatever_the_worker_s_current_folder(bpy, hostile, monkeypatch):
    from blender_xpbd.addon.process import worker_python

    worker_python.forget_python()
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    relative = os.path.relpath(sys.executable)
    try:
        for name in (Path(sys.executable).name, relative):
            found = worker_python.find_python(name)
            assert Path(found.executable).is_absolute()
    finally:
        worker_python.forget_python()


def test_a_headless_bake_imports_nothing_beside_the_file(bpy, hostile, plant, mark):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    bpy.context.object.xpbd.role = "CLOTH"
    blend = hostile / "film" / "shot.blend"
    plant(blend.parent)
    plant(blend.parent / "xpbd_cache" / "shot" / "Scene")
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    command = [sys.executable, str(ROOT / "scripts" / "bake.py"), str(blend), "--frames", "1", "3", "--json"]
    for folder in (hostile / "current", blend.parent):
        done = subprocess.run(
            [*command, "--worker-python", sys.executable], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1])["frames"] == 3
    assert names(mark) == []


def test_a_tetrahedralizer_imports_nothing_of_the_current_folder(hostile, mark):
    pytest.importorskip("tetgen")
    from blender_xpbd.geometry.solid.tetrahedralizers import tetrahedralize

    points = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], np.int32)
    tetrahedralize("TETGEN", points, triangles, 0.5, SECONDS)
    assert names(mark) == []
