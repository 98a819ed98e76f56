# SPDX-License-Identifier: GPL-3.0-or-later
"""Every constraint in the loop: one thread and many give the same bytes, and what is built behaves."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.constraints.attachments.element_attachment import build_weld
from blender_xpbd.constraints.bending.isometric_bending import build_isometric_bending
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.enclosed_volume import build_gas
from blender_xpbd.constraints.shape_matching import build_shape_matching, frequency_compliance
from blender_xpbd.constraints.stitch import build_stitch
from blender_xpbd.constraints.two_sided_distance import build_tethers, build_two_sided_distance
from blender_xpbd.geometry.levels.tethers import surface_paths, tethers
from blender_xpbd.geometry.solid.clusters import overlapping_clusters
from blender_xpbd.geometry.surface.topology import hinges, triangulate, unique_edges
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import assemble
from tests.geometry.surfaces import enclosed_volume, sphere
from tests.solver.scenes import cloth, pins, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def solver_of(body, make_blocks, path="SERIAL", **settings):
    """A solver of one body whose constraints are made by a function of its model."""
    whole = scene(body, **settings)
    model = build_body(body, whole.settings)
    return Solver(assemble(whole, (replace(model, blocks=tuple(make_blocks(model))),)), (path,))


def sheet_of_everything(model):
    """Last parameters below 1 serve as compliances and as the shares of PBD."""
    body, positions = model.body, model.positions
    triangles = triangulate(body.face_sizes, body.corners)
    edges = unique_edges(body.face_sizes, body.corners)
    folds = hinges(triangles)
    free = np.flatnonzero(model.pin_weights == 0.0)
    ends, lengths = tethers(positions, *surface_paths(positions, triangles), np.flatnonzero(model.pin_weights), free)
    return [
        build_two_sided_distance(positions, edges, 1e-5, 1e-2),
        build_isometric_bending(positions, folds, 0.5),
        build_shape_matching(positions, model.masses, overlapping_clusters(positions, edges, 0.3), 1e-2),
        build_tethers(ends, lengths, 1.02),
        build_stitch(np.array([[98, 99]], np.int32), 0.2),
        build_weld(np.array([[90, 91]], np.int32), 1e-3),
    ]


@pytest.mark.parametrize("settings", [{}, {"iterations": 3}, {"solver_mode": "PBD"}])
@pytest.mark.parametrize("task_seconds", [1.0, 1e-9])
def test_all_paths_give_the_same_bytes(settings, task_seconds, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", task_seconds)
    body = cloth(10, pinned=[0, 9])
    results = []
    for path in PATHS:
        simulation = solver_of(body, sheet_of_everything, path, substeps=6, **settings)
        results.append(run(simulation, 4))
    assert np.isfinite(results[0]).all()
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def stretch(positions, edges, rest):
    return (np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1) / rest).max() - 1.0


def test_tethers_hold_a_cloth_that_sags():
    """Fine, stiff cloth at few plain substeps: tethers keep its lowest point where the length of the cloth puts it."""
    body = cloth(24, pinned=range(24))

    def loose(model):
        edges = unique_edges(model.body.face_sizes, model.body.corners)
        return [build_distance(model.positions, edges, 1e-7)]

    def tied(model):
        triangles = triangulate(model.body.face_sizes, model.body.corners)
        ends, lengths = tethers(
            model.positions, *surface_paths(model.positions, triangles), np.arange(24), np.arange(24, 576)
        )
        return [*loose(model), build_tethers(ends, lengths)]

    depths = {}
    for name, make in (("loose", loose), ("tied", tied)):
        simulation = solver_of(body, make, substeps=2, acceleration="NONE")
        depths[name] = min(run(simulation, 1)[:, 2].min() for _ in range(30))
    assert depths["loose"] < -1.2
    assert depths["tied"] > -1.01


def ball_body():
    positions, triangles = sphere(12, 7)
    return Body(
        "b0", "Ball", "CLOTH", positions, np.full(len(triangles), 3, np.int32),
        triangles.ravel().astype(np.int32), Material.from_values({"internal_damping": 20.0}), pins(positions, []),
    ), triangles  # fmt: skip


def test_a_balloon_swells_until_its_skin_holds_the_pressure():
    """Doubled gauge pressure doubles the strain of a stiff skin, whose volume hardly changes the pressure."""
    body, triangles = ball_body()
    rest = enclosed_volume(body.positions, triangles)
    growth = []
    for gauge in (100.0, 200.0):

        def make(model, gauge=gauge):
            edges = unique_edges(model.body.face_sizes, model.body.corners)
            return [build_distance(model.positions, edges, 1e-4), build_gas(model.positions, triangles, gauge)]

        simulation = solver_of(body, make, substeps=10, iterations=4, gravity=(0.0, 0.0, 0.0))
        positions = run(simulation, 60)
        volume = enclosed_volume(positions, triangles)
        growth.append(volume / rest - 1.0)
    assert 0.0 < growth[0] < 0.05
    assert growth[1] / growth[0] == pytest.approx(2.0, rel=0.1)


def test_a_shape_swings_with_its_frequency():
    """Small offsets of free particles about the shape they came from."""
    body, _ = ball_body()
    frequency, duration = 2.0, 1 / 96

    def make(model):
        whole = [np.arange(len(model.positions), dtype=np.int32)]
        return [build_shape_matching(model.positions, model.masses, whole, frequency_compliance(frequency))]

    body = replace(body, material=Material.from_values({"internal_damping": 0.0}))
    simulation = solver_of(body, make, substeps=20, duration=duration, gravity=(0.0, 0.0, 0.0))
    state = simulation.checkpoint()
    state["positions"][:, 0] *= 1.05
    simulation.restore(0, state)
    widths = np.array([np.ptp(run(simulation, 1)[:, 0]) for _ in range(96)])
    rest = np.ptp(body.positions[:, 0])
    crossings = np.flatnonzero(np.diff(np.sign(widths - rest)))
    assert np.diff(crossings).mean() * duration == pytest.approx(0.5 / frequency, rel=0.02)
