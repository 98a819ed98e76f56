# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic quality, and the residual that a frame can be asked for."""

import dataclasses
import json

import numpy as np
import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.errors import ExitCode
from blender_xpbd.scene.force import Force
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.substeps import substeps_for_material, substeps_for_stiffness
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker.quality import by_material, choose_quality, with_settings, with_wanted
from blender_xpbd.worker.stop_signal import StopSignal
from tests.geometry.surfaces import cube
from tests.solver.grain_scenes import grains
from tests.solver.scenes import cloth, jelly_cube, plane, run, scene, solver
from tests.solver.strands import line, strand
from tests.worker.test_worker import finish, frames_of, start

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# drag and inner friction aside, which have the system built anew
FREE = {"damping": 0.0, "push_x": 2.0}


def curtain(**settings):
    return scene(
        cloth(10, pinned=range(10), stretch_stiffness=200.0, damping=1.0),
        frames=(1, 16),
        quality="AUTOMATIC",
        **settings,
    )


def late_hit(end=44, **settings):
    """A soft cube that falls for a second and two fifths before it hits."""
    body = jelly_cube(0.5, height=0.5 * 9.81 * 1.4**2 / 0.5, resolution=2, youngs_modulus=6e4)
    return scene(body, colliders=[plane()], frames=(1, end), quality="AUTOMATIC", **settings)


def test_finer_tolerance_takes_more_substeps():
    choices = [
        choose_quality(build_system(curtain(tolerance=tolerance, maximum_substeps=320)), ("SERIAL",), StopSignal())
        for tolerance in (50.0, 10.0)
    ]
    coarse, fine = choices
    assert coarse is not None
    assert fine is not None
    assert coarse.is_reached
    assert fine.is_reached
    assert fine.settings.substeps > coarse.settings.substeps
    assert fine.error <= 10e-3


@pytest.mark.parametrize("job", ["curtain", "late"])
def test_what_is_told_is_the_error(job):
    """Against many substeps; the late one hits the floor a second after the start."""
    system = build_system(curtain(tolerance=8.0) if job == "curtain" else late_hit(tolerance=2.0))
    choice = choose_quality(system, ("SERIAL",), StopSignal())
    assert choice is not None
    runs = [
        Solver(with_settings(system, dataclasses.replace(choice.settings, substeps=substeps)))
        for substeps in (choice.settings.substeps, 640)
    ]
    errors = []
    for _ in range(system.scene.frames.count - 1):
        for simulation in runs:
            simulation.advance()
        rough, exact = (simulation.surface(simulation.positions()).astype(np.float64) for simulation in runs)
        errors.append(np.linalg.norm(rough - exact, axis=1).max())
    assert 0.7 * max(errors) < choice.error < (5.0 if choice.converges else 10.0) * max(errors)
    assert choice.converges == (job == "curtain")
    assert choice.is_reached == (choice.error <= 1e-3 * choice.settings.tolerance)
    if choice.is_reached:
        assert max(errors) < 1e-3 * choice.settings.tolerance


def test_what_comes_late_counts():
    """A hit after 34 frames: before it, 5 substeps would do."""
    before, after = (
        choose_quality(build_system(late_hit(tolerance=30.0, end=end)), ("SERIAL",), StopSignal()) for end in (31, 44)
    )
    assert before is not None
    assert after is not None
    assert before.settings.substeps < after.settings.substeps
    assert after.frame > 34


def test_trials_that_come_out_alike_by_chance_are_not_believed():
    """A cube that hits a floor and tumbles: 20 and 40 substeps are 39 mm apart, and 98 and 182 mm off.

    Half of the difference before would tell 59 mm: what tumbles goes elsewhere, and no less far.
    """
    body = jelly_cube(0.3, height=3.0, resolution=5, youngs_modulus=3e5)
    job = scene(body, colliders=[plane()], frames=(1, 31), quality="AUTOMATIC", tolerance=40.0, maximum_substeps=40)
    choice = choose_quality(build_system(job), ("SERIAL",), StopSignal())
    assert choice is not None
    assert choice.settings.substeps == 40
    assert not choice.is_reached
    assert not choice.converges
    assert choice.error > 0.1


def test_limit_is_kept_and_told():
    choice = choose_quality(build_system(curtain(tolerance=1e-3, maximum_substeps=10)), ("SERIAL",), StopSignal())
    assert choice is not None
    assert not choice.is_reached
    assert choice.settings.substeps <= 10


def test_stop_during_the_trials():
    stop = StopSignal()
    stop.request()
    assert choose_quality(build_system(curtain()), ("SERIAL",), stop) is None


def test_worker_says_what_it_chose(tmp_path):
    folder = write_job(tmp_path, curtain(tolerance=1e-3, maximum_substeps=10))
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE, output
    assert "By trial: 10 substeps" in output
    result, status = read_result(folder), read_status(folder)
    assert (result.substeps, result.iterations) == (10, 1)
    assert [notice.code for notice in status.notices] == ["W_QUALITY"]


def test_chosen_substeps_give_the_frames_of_fixed_ones(tmp_path):
    automatic = curtain(tolerance=1e-3, maximum_substeps=10)
    fixed = dataclasses.replace(
        automatic, settings=dataclasses.replace(automatic.settings, quality="FIXED", substeps=10)
    )
    folders = [write_job(tmp_path, job) for job in (automatic, fixed)]
    for folder in folders:
        assert finish(start(folder))[0] == ExitCode.COMPLETE
    assert frames_of(folders[0])[0] == frames_of(folders[1])[0]


def test_residual_falls_with_iterations():
    residuals = []
    for iterations in (1, 8):
        simulation = solver(cloth(10, pinned=[0, 9]), substeps=5, iterations=iterations, measure_residual=True)
        run(simulation, 6)
        before = simulation.checkpoint()
        residuals.append(simulation.residuals()[0])
        after = simulation.checkpoint()
        assert all(np.array_equal(before[name], after[name]) for name in before), "measuring changes nothing"
    assert 0.0 < residuals[1] < residuals[0]


def test_residual_is_a_column_on_request(tmp_path):
    job = scene(cloth(6, height=0.1), colliders=[plane()], frames=(1, 4), measure_residual=True)
    folder = write_job(tmp_path, job)
    assert finish(start(folder))[0] == ExitCode.COMPLETE
    assert read_result(folder).statistics[-1] == "residual"
    assert json.loads((folder / "result.json").read_text())["substeps"] == 20
    _, cache = frames_of(folder)
    assert cache.read(4).statistics.shape == (1, 5)


def stiff_box(substeps, **settings):
    """A fixed cube of stiff jelly in small cells, for a few frames."""
    corners, triangles = cube()
    sizes = np.full(len(triangles), 3, np.int32)
    material = Material(youngs_modulus=2e6, density=1000.0)
    shape = Tetrahedralization("CAGE", 8)
    body = Body("b0", "Box", "JELLY", 0.2 * corners, sizes, triangles.ravel(), material, tetrahedralization=shape)
    return scene(body, frames=(1, 3), gravity=(0.0, 0.0, 0.0), substeps=substeps, **settings)


def test_needed_substeps_follow_the_stiffness():
    needed = [substeps_for_stiffness(build_system(stiff_box(substeps))) for substeps in (10, 20, 80)]
    # a property of the body, whatever the substeps
    np.testing.assert_allclose(needed, needed[0], atol=2)
    assert needed[0] > 20
    assert substeps_for_stiffness(build_system(scene(cloth(6)))) == 0


@pytest.mark.parametrize("factor", [0.5, 1.1])
def test_too_few_substeps_for_stiff_jelly_are_told(tmp_path, factor):
    needed = substeps_for_stiffness(build_system(stiff_box(20)))
    folder = write_job(tmp_path, stiff_box(round(factor * needed)))
    code, output = finish(start(folder))
    assert code == ExitCode.COMPLETE, output
    found = [notice.message for notice in read_status(folder).notices if notice.code == "W_QUALITY"]
    assert bool(found) == (factor < 1.0)
    assert all(f"about {needed}" in text or f"about {needed + 1}" in text for text in found)


def test_the_materials_choose_the_substeps(tmp_path):
    job = stiff_box(5, quality="MATERIAL")
    chosen = substeps_for_material(build_system(job))
    assert chosen == pytest.approx(substeps_for_stiffness(build_system(job)), abs=1)
    fixed = dataclasses.replace(job, settings=dataclasses.replace(job.settings, quality="FIXED", substeps=chosen))
    folders = [write_job(tmp_path, scene) for scene in (job, fixed)]
    outputs = [finish(start(folder)) for folder in folders]
    assert [code for code, _ in outputs] == [ExitCode.COMPLETE] * 2
    assert f"By material: {chosen} substeps" in outputs[0][1]
    assert read_result(folders[0]).substeps == chosen
    assert not read_status(folders[0]).notices
    assert frames_of(folders[0])[0] == frames_of(folders[1])[0]


def test_more_than_the_most_substeps_is_told(tmp_path):
    folder = write_job(tmp_path, stiff_box(20, quality="MATERIAL", maximum_substeps=30))
    assert finish(start(folder))[0] == ExitCode.COMPLETE
    assert read_result(folder).substeps == 30
    assert [notice.code for notice in read_status(folder).notices] == ["W_QUALITY"]


def test_an_object_asks_for_at_least_so_many_substeps_of_all():
    def system(wanted, **settings):
        return build_system(scene(cloth(3), replace_identifier(cloth(3, minimum_substeps=wanted)), **settings))

    assert [with_wanted(system(wanted, substeps=20)).scene.settings.substeps for wanted in (0, 7, 60)] == [20, 20, 60]
    needed = by_material(system(0, quality="MATERIAL")).substeps
    found = [
        by_material(system(wanted, quality=quality)).substeps
        for wanted in (0, 300)
        for quality in ("MATERIAL", "DRAFT")
    ]
    assert found == [needed, found[1], 300, 300]
    assert found[1] < needed


def replace_identifier(body):
    return dataclasses.replace(body, identifier="b1", name="Other")


@pytest.mark.parametrize(
    "body",
    [
        jelly_cube(0.5, resolution=2, **FREE),
        cloth(3, bending_model="NONE", **FREE),
        strand(line(4), **FREE),
        grains([[0.0, 0.0, 1.0], [0.3, 0.0, 1.0]], **FREE),
    ],
    ids=lambda body: body.role,
)
@pytest.mark.parametrize("substeps", [3, 9])
def test_forces_are_those_of_the_substeps_that_were_chosen(body, substeps):
    forces = (Force("f0", "Field", "FORCE", np.eye(4)[None], strength=3.0),)
    whole = dataclasses.replace(scene(body, gravity=(0.0, 0.0, 0.0), substeps=6), forces=forces)
    settings = dataclasses.replace(whole.settings, substeps=substeps)
    found = with_settings(build_system(whole), settings).external
    expected = build_system(dataclasses.replace(whole, settings=settings)).external
    assert len(found.acts(0)) == substeps
    np.testing.assert_array_equal(found.acts(0), expected.acts(0))
    np.testing.assert_array_equal(found.field_floats(0), expected.field_floats(0))
