# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses, and what passed through, is warned of and kept with the frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.jobs.tangled import read_tangled
from blender_xpbd.scene.body import Attachment
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.errors import ExitCode, Notice
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.contact_statistics import Crossings
from blender_xpbd.worker import job_runner
from blender_xpbd.worker.contact_notices import core_notices, enclosed_notices, tangled_notices, tunnelled_notice
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, scene

ROOT = Path(__file__).resolve().parents[2]
ROCK = Collider("c1", "Rock", "MESH", np.eye(4)[None], np.eye(3)[None], np.array([[0, 1, 2]], np.int32))
SCENE = scene(cloth(4), cloth(3, identifier="b1", height=1.0), colliders=[plane(), ROCK], frames=(1, 6), substeps=2)
# two sheets and the rock; the floor is no surface that is met by pairs
COUNTS = np.array([[3, 2, 0], [2, 0, 4], [0, 4, 0]])
VERTICES = np.array([1, 2, 17], np.int32)


def test_each_body_is_told_what_it_crosses() -> None:
    first, second = tangled_notices(Crossings(COUNTS, VERTICES), SCENE)
    assert (first.code, first.object_name) == ("W_TANGLED", "Cloth")
    assert 'itself (3), "Cloth" (2) at frame 1' in first.message
    assert '"Cloth" (2), "Rock" (4)' in second.message


def test_nothing_is_told_where_nothing_crosses() -> None:
    assert tangled_notices(None, SCENE) == ()
    assert tangled_notices(Crossings(np.zeros((3, 3), int), VERTICES[:0]), SCENE) == ()


def test_what_starts_inside_a_jelly_is_told_once_and_not_where_it_is_attached() -> None:
    inner = replace(cloth(3), name="Berry")
    world = scene(inner, replace(jelly_cube(1.0), identifier="b1", name="Jelly"))
    nothing, none = np.zeros((2, 2), int), VERTICES[:0]
    (notice,) = enclosed_notices(Crossings(nothing, none, ((0, 1),)), world)
    assert (notice.code, notice.object_name) == ("W_WITHIN", "Berry")
    assert '"Jelly"' in notice.message
    assert enclosed_notices(Crossings(nothing, none), world) == enclosed_notices(None, world) == ()
    held = replace(inner, attachment=Attachment("b1", np.arange(9, dtype=np.int32), np.ones(9, np.float32)))
    assert enclosed_notices(Crossings(nothing, none, ((0, 1),)), replace(world, bodies=(held, world.bodies[1]))) == ()


def test_a_collider_inside_a_jelly_is_told() -> None:
    jelly = replace(jelly_cube(1.0), name="Jelly")
    core = replace(
        mesh_box(0.2), transforms=np.eye(4)[None] + np.pad(jelly.positions.mean(axis=0)[:, None], ((0, 1), (3, 0)))
    )
    (notice,) = core_notices(scene(jelly, colliders=[core]))
    assert (notice.code, notice.object_name) == ("W_CORE", "Jelly")
    assert core_notices(scene(jelly, colliders=[mesh_box(2.0)])) == ()


def test_the_first_frame_in_which_something_passed_through_is_told() -> None:
    notice = tunnelled_notice(3.0, "Cloth", 7, [Notice("W_TUNNELLED", "text", "Other")])
    assert notice is not None
    assert "frame 7, 3 times" in notice.message
    assert tunnelled_notice(3.0, "Cloth", 8, [notice]) is None
    assert "W_TANGLED" not in notice.message


def test_what_crossed_from_the_start_is_named_as_a_cause() -> None:
    for name, is_named in (("Cloth", True), ("Other", False)):
        notice = tunnelled_notice(3.0, "Cloth", 7, [Notice("W_TANGLED", "text", name)])
        assert notice is not None
        assert ("W_TANGLED" in notice.message) == is_named


@pytest.mark.parametrize("count", [0.0, -1.0, np.nan, np.inf])
def test_no_number_is_no_passage(count: float) -> None:
    assert tunnelled_notice(count, "Cloth", 7, []) is None


@pytest.mark.slow
def test_a_job_keeps_what_the_solver_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def counts(solver: Solver) -> np.ndarray:
        return np.array([[4.0 * solver.frame_index, solver.frame_index == 3], [1.0, 0.0]])

    monkeypatch.setattr(Solver, "contact_counts", counts)
    monkeypatch.setattr(Solver, "crossings", lambda solver: Crossings(COUNTS, VERTICES))
    folder = write_job(tmp_path, SCENE)
    assert job_runner.run_job(folder, StopSignal(), ROOT / ".cache" / "taichi") == ExitCode.COMPLETE
    result, status = read_result(folder), read_status(folder)
    assert result.statistics[4:] == ("contacts", "tunnelled", "crossings")
    np.testing.assert_array_equal(read_tangled(folder, result), VERTICES)
    assert status is not None
    assert [notice.code for notice in result.notices] == ["W_TANGLED", "W_TANGLED"]
    assert [notice.code for notice in status.notices] == ["W_TANGLED", "W_TANGLED", "W_TUNNELLED"]
    assert "frame 4" in status.notices[-1].message
    cache = FrameCache(folder, result.vertex_count, 2, len(result.statistics))
    rows = [cache.read(frame).statistics[0, 4:] for frame in (1, 2, 4, 6)]
    np.testing.assert_array_equal(rows, [[0, 0, 5], [4, 0, np.nan], [12, 1, np.nan], [20, 0, 5]])
    # again, from the checkpoint: what passed through before is told too
    assert job_runner.run_job(folder, StopSignal(), ROOT / ".cache" / "taichi") == ExitCode.COMPLETE
    again = read_status(folder)
    assert again is not None
    assert again.notices == status.notices


def test_a_job_without_contact_has_no_columns_of_it(tmp_path: Path) -> None:
    folder = write_job(tmp_path, scene(cloth(4), colliders=[plane()], frames=(1, 2), substeps=2))
    assert job_runner.run_job(folder, StopSignal(), ROOT / ".cache" / "taichi") == ExitCode.COMPLETE
    result = read_result(folder)
    assert len(result.statistics) == 4
    assert len(read_tangled(folder, result)) == 0


def test_colliders_that_nothing_sees_take_no_number() -> None:
    hidden = replace(ROCK, identifier="c2", name="Hidden")
    bodies = tuple(replace(body, contact=replace(body.contact, sees=("c1", "b0", "b1"))) for body in SCENE.bodies)
    world = replace(SCENE, bodies=bodies, colliders=(hidden, *SCENE.colliders))
    _, second = tangled_notices(Crossings(COUNTS, VERTICES), world)
    assert '"Rock" (4)' in second.message
