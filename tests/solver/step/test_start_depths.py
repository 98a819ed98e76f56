# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts inside a collider comes out of it slowly, whatever it is and whatever the collider is."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import COLOURS, SERIAL
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import GRAVITY, cloth, jelly_cube, mesh_box, plane, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def ball(radius, height):
    matrix = np.eye(4)
    matrix[2, 3] = height
    return Collider("c0", "Ball", "SPHERE", matrix[None], radius=radius)


def sunk(height=-0.5):
    """A soft cube of 1 m, so deep in what is at height 0."""
    return jelly_cube(1.0, height, 5, youngs_modulus=6e4)


def tracked(simulation, frames):
    """Heights of the surface over the frames, shape (frames + 1, vertices)."""
    rows = [simulation.surface(simulation.positions())[:, 2]]
    for _ in range(frames):
        simulation.advance()
        rows.append(simulation.surface(simulation.positions())[:, 2])
    return np.array(rows) + simulation.system.origin[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "collider",
    [
        plane(),
        # so large that no edge of the cube dips into it, and it stays a sphere
        ball(300.0, -300.0),
        mesh_box(4.0, np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -4.0], [0, 0, 0, 1]])[None]),
    ],
    ids=["plane", "sphere", "mesh"],
)
def test_a_jelly_that_starts_half_inside_comes_out_and_lies_there(collider):
    simulation = Solver(build_system(scene(sunk(), colliders=[collider], substeps=10)))
    heights = tracked(simulation, 36)
    (notice,) = [notice for notice in simulation.notices if notice.code == "W_INSIDE"]
    assert notice.object_name == "Cube"
    depth = float(notice.message.partition(f'"{collider.name}" (')[2].partition(" m")[0])
    assert depth == pytest.approx(0.5, abs=0.01)
    # it came out of 0.5 m within 0.96 s, and was never faster than what falls so deep
    speeds = np.diff(heights.mean(axis=1)) * 24.0
    assert speeds.max() < np.sqrt(2.0 * GRAVITY * 0.5)
    assert heights.max() < 1.1
    # the corners of the cube hang over the ball
    assert heights[24:].min() > -0.11
    assert np.ptp(heights[-1]) == pytest.approx(1.0, abs=0.2)


def test_what_comes_out_is_never_near_weightless():
    """At twice its weight it folded, and weightless at the end it snapped back: Suzanne's chin by 28 m/s."""
    simulation = Solver(build_system(scene(sunk(), colliders=[plane()], substeps=10)))
    high = np.ptp(tracked(simulation, 30), axis=1)
    # it rests at 0.93 m; with 2 g at the start and none at the end it was 0.85 m high, and then 1.05 m
    assert high.min() > 0.9
    assert high.max() < 1.01


def test_a_cloth_that_starts_on_a_floor_is_not_thrown():
    simulation = Solver(
        build_system(scene(cloth(6, height=0.0, contact_offset=0.05), colliders=[plane()], substeps=10))
    )
    offset = simulation.system.models[0].contact_offset
    assert offset > 0.01
    heights = tracked(simulation, 24)
    # it lies in its own gap, which is nothing to be told
    assert simulation.notices == ()
    assert heights.max() < 1.2 * offset
    np.testing.assert_allclose(heights[-1], offset, atol=0.02 * offset)


def test_nothing_is_kept_inside_where_all_start_outside():
    simulation = Solver(build_system(scene(sunk(0.01), colliders=[plane()], substeps=10)))
    assert not simulation._plan.variant.starts_inside
    assert simulation.notices == ()


def test_a_mesh_whose_box_alone_is_met_counts_as_outside():
    turned = np.eye(4)
    turned[:3, :3] = [[np.sqrt(0.5), 0, np.sqrt(0.5)], [0, 1, 0], [-np.sqrt(0.5), 0, np.sqrt(0.5)]]
    turned[:3, 3] = -1.5, 0.0, -1.2
    slab = replace(mesh_box(1.0), positions=mesh_box(1.0).positions * [2.0, 2.0, 0.1], transforms=turned[None])
    simulation = Solver(build_system(scene(sunk(0.0), colliders=[slab], substeps=10)))
    assert not simulation._plan.variant.starts_inside


def test_a_collider_that_is_not_seen_holds_nothing_inside():
    body = replace(sunk(), contact=BodyContact(self_collision=False, body_collision=False, sees=()))
    simulation = Solver(build_system(replace(scene(sunk(), colliders=[plane()], substeps=10), bodies=(body,))))
    assert not simulation._plan.variant.starts_inside


def test_a_moving_collider_is_where_it_is_at_the_first_frame():
    transforms = np.tile(np.eye(4), (50, 1, 1))
    transforms[:, 2, 3] = np.linspace(-0.6, 2.0, 50)
    simulation = Solver(build_system(scene(sunk(), colliders=[plane(transforms=transforms)], substeps=10)))
    assert not simulation._plan.variant.starts_inside


def test_resuming_on_the_way_out_gives_the_same_bytes():
    def fresh():
        return Solver(build_system(scene(sunk(), colliders=[plane()], substeps=6)))

    whole, first, second = fresh(), fresh(), fresh()
    run(whole, 12)
    run(first, 5)
    second.restore(5, first.checkpoint())
    run(second, 7)
    assert second.positions().tobytes() == whole.positions().tobytes()


def test_by_colours_it_comes_out_likewise():
    made = scene(sunk(), colliders=[plane()], substeps=6)
    serial, colours = (Solver(build_system(made), (path,)) for path in (SERIAL, COLOURS))
    np.testing.assert_allclose(run(colours, 8), run(serial, 8), atol=2e-3)


@pytest.mark.slow
def test_points_that_need_more_slots_keep_their_depths():
    floor, wall = plane(), replace(plane(angle=np.pi / 2), identifier="c1", name="Wall")
    corner = [floor, wall, replace(ball(3.0, -3.0), identifier="c2")]
    simulation = Solver(build_system(scene(sunk(), colliders=corner, substeps=6)))
    heights = tracked(simulation, 16)
    assert simulation._plan.state.contacts.start_depths.shape[0] == len(simulation.system.contacts)
    assert heights.max() < 1.3


@pytest.mark.parametrize(
    ("size", "collider", "is_told"),
    [(0.5, mesh_box(1.0), True), (3.0, mesh_box(1.0), False), (0.5, plane(height=0.2), False)],
)
def test_what_is_wholly_inside_a_mesh_is_told_so(size, collider, is_told):
    (notice,) = Solver(build_system(scene(cloth(7, size=size), colliders=[collider]))).notices
    assert notice.code == "W_INSIDE"
    assert ("All of it is inside" in notice.message) == is_told
