# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake is thought to need, against what it took."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.cache_contents import folder_size
from blender_xpbd.jobs.job import write_job
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from tests.geometry.surfaces import sphere
from tests.solver.scenes import cloth


def ball(resolution):
    positions, triangles = sphere()
    sizes, corners = np.full(len(triangles), 3, np.int32), triangles.ravel().astype(np.int32)
    return Body(
        "b0", "Ball", "JELLY", positions, sizes, corners, tetrahedralization=Tetrahedralization("CAGE", resolution)
    )


def ropes(count):
    points = np.stack(
        [np.tile(np.linspace(0, 1, 20), count), np.repeat(0.05 * np.arange(count), 20), np.zeros(20 * count)], axis=1
    )
    edges = np.array([(20 * k + i, 20 * k + i + 1) for k in range(count) for i in range(19)], np.int32)
    none = np.zeros(0, np.int32)
    return Body("b0", "Ropes", "STRAND", points, none, none, loose_edges=edges)


def scene_of(body, last):
    return Scene((body,), (), FrameRange(1, last), SolverSettings(substeps=1, device="CPU"))


@pytest.fixture
def needs_of(bpy):
    from blender_xpbd.addon.baking.needs import needs_of

    return needs_of


@pytest.mark.slow
@pytest.mark.parametrize("body", [cloth(40), ball(12), ropes(20)], ids=["cloth", "jelly", "strands"])
def test_the_disk_that_a_bake_takes(needs_of, tmp_path, body):
    from blender_xpbd.worker.job_runner import run_job
    from blender_xpbd.worker.stop_signal import StopSignal

    scene = scene_of(body, 30)
    job = write_job(tmp_path, scene)
    before = folder_size(job)
    kernels = Path(__file__).resolve().parents[3] / ".cache" / "taichi"
    assert run_job(job, StopSignal(), kernels) == ExitCode.COMPLETE
    assert needs_of(scene).disk == pytest.approx(folder_size(job) - before, rel=0.35)


def test_keys_are_of_every_vertex_and_frame(needs_of):
    assert needs_of(scene_of(cloth(10), 30)).keys == 30 * 100 * 12


def test_finer_cages_need_more(needs_of):
    coarse, fine = (needs_of(scene_of(ball(resolution), 30)) for resolution in (16, 32))
    assert 6.0 < fine.disk / coarse.disk < 9.0
    assert fine.worker > coarse.worker
    assert fine.keys == coarse.keys
