# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that touch each other, simulated whole; ``ipctk`` judges every frame."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts.search import tree_walk
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.system.system import build_system
from tests.geometry.triangle_shapes import icosphere
from tests.solver.scenes import cloth, jelly_cube, mesh_box, pins, plane, scene, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def surface_points(simulation):
    """Where all surface points are, those of colliders too."""
    return simulation.system.objects.points(simulation.positions())


def judged(simulation, frames):
    """The frames after which anything crosses anything; most pairs that pushed, and what may have passed through."""
    ipctk = pytest.importorskip("ipctk")
    surfaces = simulation.system.objects.whole_surfaces
    judge = ipctk.CollisionMesh(surface_points(simulation), surfaces.edges, surfaces.triangles)
    found, counts = [], np.zeros(2)
    for frame in range(frames):
        simulation.advance()
        counts = np.maximum(counts, simulation.contact_counts().max(axis=0))
        if ipctk.has_intersections(judge, surface_points(simulation)):
            found.append(frame)
    return found, *counts


def two_sheets():
    """A sheet that falls onto one that hangs by its corners."""
    below = cloth(10, identifier="a")
    below = replace(below, pins=pins(below.positions, [0, 9, 90, 99]))
    return [below, cloth(7, size=0.4, height=0.06, identifier="b")], []


def folded():
    """A sheet of three layers that lie in a Z above a floor."""
    body = cloth(18, size=0.6)
    along = 3.0 * (body.positions[:, 0] / 0.6 + 0.5)
    across = np.where(along < 1.0, along, np.where(along < 2.0, 2.0 - along, along - 2.0))
    places = np.stack([0.2 * across, body.positions[:, 1], 0.02 + 0.02 * along], axis=1)
    return [replace(body, positions=places)], [plane()]


def jelly_on_jelly():
    """A small cube that falls onto a greater one."""
    return [jelly_cube(0.3, 0.02, 4), replace(jelly_cube(0.15, 2.3, 3), identifier="b1")], [plane()]


def cloth_on_jelly():
    """A sheet that falls over a cube."""
    return [jelly_cube(0.3, 0.02, 4), cloth(10, size=0.6, height=0.34, identifier="b1")], [plane()]


def cloth_on_cube():
    """A sheet over a cube of eight vertices, whose edges meet no vertex of the sheet."""
    return [cloth(12, height=0.23)], [mesh_box(0.2)]


def jelly_on_post():
    """A jelly that falls onto a post thinner than its faces."""
    transforms = np.eye(4)[None].copy()
    transforms[0, 2, 3] = 0.2
    post = replace(mesh_box(np.array([0.03, 0.03, 0.2])), transforms=transforms)
    return [jelly_cube(0.3, 1.4, 4)], [post, plane()]


@pytest.mark.slow
@pytest.mark.parametrize("substeps", [3, 10, 20])
@pytest.mark.parametrize(
    "make", [two_sheets, folded, jelly_on_jelly, cloth_on_jelly, cloth_on_cube, jelly_on_post], ids=lambda f: f.__name__
)
def test_nothing_crosses(make, substeps):
    bodies, colliders = make()
    simulation = touching(*bodies, colliders=colliders, substeps=substeps, frames=(1, 25))
    crossing, pushing, tunnelled = judged(simulation, 24)
    assert crossing == []
    assert pushing > 0, "nothing has met"
    assert tunnelled == 0
    assert simulation.crossings().counts.sum() == 0


@pytest.mark.parametrize("substeps", [3, 10])
def test_sharp_edges_alone_hold_a_sheet_that_does_not_meet_itself(substeps):
    bodies, colliders = cloth_on_cube()
    simulation = Solver(build_system(scene(*bodies, meet=True, colliders=colliders, substeps=substeps, frames=(1, 25))))
    objects = simulation.system.objects
    assert len(objects.surfaces.triangles) == len(objects.meshes[0].triangles)
    for _ in range(24):
        simulation.advance()
        assert simulation.crossings().counts[0, 1] == 0


def smooth_ball():
    """A ball of 1,280 triangles, which is smooth beside the edges of the sheets here."""
    positions, triangles = icosphere(3)
    return Collider("c0", "Ball", "MESH", np.eye(4)[None], 0.2 * positions[None], triangles.astype(np.int32))


def test_a_smooth_collider_is_left_to_points():
    sheet, settings = cloth(30, height=0.23), {"meet": True, "colliders": [smooth_ball()], "frames": (1, 2)}
    assert build_system(scene(sheet, **settings)).objects is None
    meeting = replace(sheet, contact=replace(sheet.contact, self_collision=True))
    surfaces = build_system(scene(meeting, **settings)).objects.surfaces
    assert len(surfaces.triangles) == surfaces.triangle_starts[1]


def test_an_open_collider_is_searched_at_every_edge_that_turns():
    """Two quads that meet at an angle of a degree: of their edges only the two diagonals are flat."""
    x, y = np.meshgrid([-0.5, 0.0, 0.5], [-0.5, 0.5])
    places = np.stack([x.ravel(), y.ravel(), -np.tan(np.radians(0.5)) * np.abs(x.ravel())], axis=1)
    triangles = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]], np.int32)
    roof = Collider("c0", "Roof", "MESH", np.eye(4)[None], places[None], triangles)
    objects = build_system(scene(cloth(30, height=0.1), meet=True, colliders=[roof], frames=(1, 2))).objects
    searched = objects.surfaces.edges[objects.surfaces.edges.min(axis=1) >= 900] - 900
    assert {tuple(edge) for edge in searched.tolist()} == {(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)}


def test_a_sheet_lies_on_another_one():
    bodies, colliders = two_sheets()
    simulation = touching(*bodies, colliders=colliders, substeps=10)
    for _ in range(24):
        simulation.advance()
    heights = simulation.positions()[:, 2]
    assert heights[100:].min() > heights[:100].min()
    assert heights[100:].max() < 0.06


@pytest.mark.parametrize("substeps", [3, 10])
def test_ten_layers_fall_freely(substeps):
    layers = [cloth(8, height=0.01 * k, identifier=f"b{k}") for k in range(10)]
    simulation = touching(*layers, substeps=substeps)
    before = simulation.positions()
    for _ in range(12):
        simulation.advance()
    fallen = before - simulation.positions()
    time = 12 / 24
    assert fallen[:, 2].mean() == pytest.approx(9.81 * time * time / 2.0, rel=1e-6)
    assert np.abs(fallen[:, :2]).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("substeps", [3, 10])
@pytest.mark.parametrize("kind", ["cloth", "jelly"])
def test_bodies_that_meet_keep_their_momentum(kind, substeps):
    if kind == "cloth":
        bodies = [cloth(10, identifier="a"), cloth(8, size=0.6, height=0.05, identifier="b")]
    else:
        bodies = [jelly_cube(0.2, 0.0, 3), replace(jelly_cube(0.2, 1.4, 3), identifier="b")]
    velocity = np.array([0.3, 0.0, 2.0])
    bodies = [replace(bodies[0], velocity=velocity), replace(bodies[1], velocity=-velocity)]
    simulation = touching(*bodies, gravity=(0.0, 0.0, 0.0), substeps=substeps)
    masses = 1.0 / simulation.system.inverse_masses
    wanted = masses @ simulation.system.velocities
    met = 0.0
    for _ in range(8):
        simulation.advance()
        met = max(met, simulation.contact_counts()[:, 0].max())
    momentum = masses @ simulation.checkpoint()["velocities"][:, :3]
    assert met > 0
    assert np.abs(momentum - wanted).max() < 1e-6 * masses.sum() * 2.0


@pytest.mark.parametrize("substeps", [3, 10])
def test_a_fast_collider_takes_a_sheet_at_rest_along(substeps):
    """A rod that flies at 5 m/s between the vertices of a sheet, which does not come towards it by itself."""
    transforms = np.tile(np.eye(4), (7, 1, 1))
    transforms[:, 2, 3] = -0.07 + 5.0 / 24.0 * np.arange(7)
    rod = mesh_box(np.array([0.03, 0.6, 0.03]), transforms)
    simulation = touching(
        cloth(10, contact_offset=0.005), colliders=[rod], gravity=(0.0, 0.0, 0.0), substeps=substeps, frames=(1, 7)
    )
    crossing, pushing, _ = judged(simulation, 6)
    assert crossing == []
    assert pushing > 0


def ending(make, path="SERIAL", resume=None):
    """The state after some frames; with ``resume`` a solver goes on with the checkpoint of another at that frame."""
    bodies, colliders = make()
    simulation = touching(*bodies, colliders=colliders, substeps=5, path=path)
    for frame in range(12):
        if frame == resume:
            kept = simulation.checkpoint()
            simulation = touching(*bodies, colliders=colliders, substeps=5, path=path)
            simulation.restore(frame, kept)
        simulation.advance()
    return simulation.checkpoint()


def tangled():
    """A sheet with a corner of another one through it, which are apart after some frames."""
    above = cloth(7, size=0.5, height=0.0, identifier="b")
    x, y, z = above.positions.T
    turned = np.stack([0.8 * x - 0.6 * z, y, 0.6 * x + 0.8 * z + 0.1], axis=1)
    return [cloth(10, identifier="a"), replace(above, positions=turned + np.array([0.013, 0.027, 0.0]))], []


SCENES = pytest.mark.parametrize(
    "make", [two_sheets, folded, tangled, cloth_on_jelly, cloth_on_cube], ids=lambda f: f.__name__
)


@SCENES
def test_threads_change_no_byte(make, monkeypatch):
    monkeypatch.setattr(tasks, "FEWEST_TASKS", 0.0)
    whole = ending(make)
    for threads in (1, 2, 4):
        for module in (pair_substeps, tree_walk):
            monkeypatch.setattr(module, "thread_count", lambda threads=threads: threads)
        other = ending(make, path="THREADS")
        assert all(np.array_equal(whole[name], other[name]) for name in whole)


@pytest.mark.slow
@SCENES
def test_resuming_changes_no_byte(make, monkeypatch):
    monkeypatch.setattr(tasks, "FEWEST_TASKS", 0.0)
    whole = ending(make)
    for frame in (1, 2, 4, 7, 11):
        other = ending(make, resume=frame)
        assert all(np.array_equal(whole[name], other[name]) for name in whole)


def test_bodies_that_do_not_see_each_other_pass_through():
    bodies, _ = two_sheets()
    ghost = replace(bodies[1], contact=replace(bodies[1].contact, sees=()))
    simulation = touching(bodies[0], ghost, substeps=5)
    for _ in range(20):
        simulation.advance()
    heights = simulation.positions()[:, 2]
    assert heights[100:].max() < heights[:100].min()
