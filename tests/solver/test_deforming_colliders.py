# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders that deform against what can be derived by hand, and against the same given as motions."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts.nearest_face import NEAREST_FLOATS, SHARE
from blender_xpbd.device.arrays import read_array
from blender_xpbd.geometry.collider.packed_trees import HEADER_FLOATS, PackedTree
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.order import tasks
from tests.geometry.triangle_shapes import icosphere
from tests.solver.scenes import GRAVITY, cloth, grid, jelly_cube, mesh_box, run, solver, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SHEET = {"stiffness_input": "COMPLIANCE", "contact_offset": 0.0, "bending_compliance": 0.0}
FRAMES = 25
FPS = 24
TIMES = np.arange(FRAMES) / FPS


def deforming(positions, triangles, friction=0.5, restitution=0.0):
    """A mesh collider, positions of shape (frames, vertices, 3)."""
    return Collider(
        "c0", "Shape", "MESH", np.eye(4)[None], positions, np.asarray(triangles, np.int32), 0.0, friction, restitution
    )


def floor(count, height, size=2.0, **values):
    """An open sheet whose vertices have heights, a function of x, y and time."""
    positions, _, corners = grid(count, size)
    quads = corners.reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    frames = np.repeat(positions[None], FRAMES, axis=0)
    frames[:, :, 2] = height(frames[:, :, 0], frames[:, :, 1], TIMES[:, None])
    return deforming(frames, triangles, **values)


def ball(radii, subdivisions=3, **values):
    """A closed ball with a radius at each frame."""
    positions, triangles = icosphere(subdivisions)
    return deforming(np.asarray(positions)[None] * np.asarray(radii)[:, None, None], triangles, **values)


def heights_over(simulation, collider, positions, frame):
    """Of points over an open sheet that was made by ``floor``, by its triangles at a frame."""
    corners = collider.positions[frame][collider.triangles]
    heights = np.full(len(positions), np.inf)
    for a, b, c in corners:
        ways = np.stack([b - a, c - a], axis=1)
        weights = np.linalg.solve(ways[:2], (positions - a)[:, :2].T).T
        over = (weights >= -1e-6).all(axis=1) & (weights.sum(axis=1) <= 1 + 1e-6)
        heights[over] = positions[over, 2] - (a[2] + weights[over] @ ways[2])
    return heights


@pytest.mark.slow
@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_a_plate_that_rises_lifts_cloth_at_its_speed(is_closed):
    """1 m/s, by its vertices; the whole frame's motion is 4 cm."""
    if is_closed:
        box = mesh_box(0.5)
        frames = box.positions - [0, 0, 0.5] + TIMES[:, None, None] * [0.0, 0.0, 1.0]
        plate = replace(box, positions=frames)
    else:
        plate = floor(3, lambda x, y, t: t + 0 * x)
    simulation = solver(cloth(6, size=0.5, height=0.01, **SHEET), colliders=[plate], frames=(1, FRAMES))
    run(simulation, 6)
    for frame in range(7, FRAMES):
        np.testing.assert_allclose(run(simulation, 1)[:, 2], TIMES[frame], atol=2e-4)
    velocities = simulation.checkpoint()["velocities"]
    np.testing.assert_allclose(velocities[:, 2], 1.0, atol=0.01)


@pytest.mark.slow
def test_a_plate_that_rises_lifts_jelly():
    plate = floor(3, lambda x, y, t: 0.5 * t + 0 * x)
    body = jelly_cube(0.3, height=0.05, resolution=4, contact_offset=0.0)
    simulation = solver(body, colliders=[plate], frames=(1, FRAMES))
    for frame in range(1, FRAMES):
        run(simulation, 1)
        surface = simulation.surface(simulation.positions()) + simulation.system.origin
        assert surface[:, 2].min() > 0.5 * TIMES[frame] - 2e-3
    centre = (simulation.positions() + simulation.system.origin)[:, 2].mean()
    assert centre == pytest.approx(0.5 + 0.15, abs=0.05)


def test_what_is_thrown_up_flies_on():
    """A plate that stops at 2 m/s without restitution lets the sheet fly on: v² / (2 g)."""
    plate = floor(3, lambda x, y, t: np.minimum(2.0 * t, 0.5) + 0 * x)
    simulation = solver(cloth(4, size=0.3, height=0.001, **SHEET), colliders=[plate], frames=(1, FRAMES), substeps=40)
    heights = [run(simulation, 1)[:, 2].mean() for _ in range(FRAMES - 1)]
    assert max(heights) == pytest.approx(0.5 + 4.0 / (2 * GRAVITY), abs=0.02)


def test_a_sphere_that_inflates_pushes_everything_out():
    collider = ball(np.linspace(0.1, 0.6, FRAMES))
    body = cloth(20, size=0.8, height=0.15, **{**SHEET, "contact_offset": 0.005})
    simulation = solver(body, colliders=[collider], frames=(1, FRAMES), gravity=(0.0, 0.0, 0.0))
    # the inscribed sphere of the facets
    inner = np.linalg.norm(np.asarray(icosphere(3)[0])[icosphere(3)[1]].mean(axis=1), axis=1).min()
    for frame in range(1, FRAMES):
        distances = np.linalg.norm(run(simulation, 1), axis=1)
        assert distances.min() > inner * np.linspace(0.1, 0.6, FRAMES)[frame] + 0.004
    assert run(simulation, 0)[:, 2].min() > 0.0, "nothing was taken through to the other side"


@pytest.mark.slow
def test_a_floor_that_waves_is_never_passed():
    def wave(x, y, t):
        return 0.12 * np.sin(6.0 * x - 14.0 * t) * np.cos(5.0 * y + 3.0 * t)

    collider = floor(33, wave)
    simulation = solver(cloth(16, size=0.8, height=0.2), colliders=[collider], frames=(1, FRAMES))
    for frame in range(1, FRAMES):
        positions = run(simulation, 1)
        assert heights_over(simulation, collider, positions, frame).min() > -1e-4


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_a_thin_plate_that_sweeps_over_points_takes_them_along(is_closed):
    """At 60 m/s, 12 cm per substep, through a sheet that is at rest."""
    if is_closed:
        box = mesh_box(0.5)
        thin = box.positions * [1.0, 1.0, 0.002]
        plate = replace(box, positions=thin + TIMES[:, None, None] * [0, 0, 60.0] - [0, 0, 1.0])
    else:
        plate = floor(2, lambda x, y, t: 60.0 * t - 1.0 + 0 * x)
    simulation = solver(cloth(4, size=0.3, **SHEET), colliders=[plate], frames=(1, FRAMES), gravity=(0.0, 0.0, 0.0))
    for frame in range(1, 6):
        # they meet in the first frame
        heights = run(simulation, 1)[:, 2]
        assert heights.min() > plate.positions[frame, :, 2].max() - 1e-3


def test_a_surface_that_slides_carries_by_friction():
    """A conveyor at 1 m/s by its vertices alone, as ``test_moving_plane_drags_by_friction`` by its matrices."""
    still = floor(3, lambda x, y, t: 0 * x + 0 * t, size=6.0, friction=1.0)
    moving = replace(still, positions=still.positions + TIMES[:, None, None] * [1.0, 0.0, 0.0])
    simulation = solver(cloth(4, size=0.5, friction=1.0, **SHEET), colliders=[moving], frames=(1, FRAMES))
    before = run(simulation, 16)[:, 0].mean()
    assert run(simulation, 8)[:, 0].mean() - before == pytest.approx(8 / FPS, rel=0.02)


@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_a_bounce_counts_the_speed_of_the_surface(restitution):
    """A sheet at rest hit from below at 1 m/s parts at (1 + e) times that."""
    plate = floor(3, lambda x, y, t: t - 0.2 + 0 * x, restitution=restitution)
    simulation = solver(cloth(4, size=0.3, **SHEET), colliders=[plate], frames=(1, FRAMES), gravity=(0, 0, 0))
    run(simulation, 10)
    speeds = simulation.checkpoint()["velocities"][:, 2]
    np.testing.assert_allclose(speeds, 1.0 + restitution, rtol=0.01)


def turning(angle_per_frame):
    angles = angle_per_frame * np.arange(FRAMES)
    matrices = np.tile(np.eye(4), (FRAMES, 1, 1))
    matrices[:, 0, 0] = matrices[:, 2, 2] = np.cos(angles)
    matrices[:, 0, 2], matrices[:, 2, 0] = np.sin(angles), -np.sin(angles)
    matrices[:, 0, 3] = 0.2 * TIMES
    matrices[:, 2, 3] = -0.45 + 0.1 * TIMES
    return matrices


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "tolerance"), [("CLOTH", 1e-4), ("JELLY", 1e-3)])
def test_vertices_do_what_matrices_do(kind, tolerance):
    """A box that turns by 1° a frame and moves: chords are 1e-5 m from arcs, and jelly bounces."""
    box = mesh_box(0.4, turning(np.radians(1.0)))
    matrices = box.transforms
    points = np.einsum("fij,vj->fvi", matrices[:, :3, :3], box.positions[0]) + matrices[:, None, :3, 3]
    same = replace(box, positions=points, transforms=np.eye(4)[None])
    jelly = jelly_cube(0.3, height=0.02, resolution=5, contact_offset=0.0)
    body = cloth(12, size=0.6, contact_offset=0.0) if kind == "CLOTH" else jelly
    ends = [run(solver(body, colliders=[each], frames=(1, FRAMES)), FRAMES - 1) for each in (box, same)]
    np.testing.assert_allclose(ends[1], ends[0], atol=tolerance)


@pytest.mark.parametrize("scale", [2.0, (1.0, 1.0, 3.0)])
def test_a_scale_that_is_animated_counts(scale):
    """By 1 m/s at the top of a box of half a metre; it was kept as it is at the first frame."""
    factors = 1.0 + TIMES[:, None] * (np.ones(3) * scale - 1.0)
    matrices = np.tile(np.eye(4), (FRAMES, 1, 1))
    matrices[:, [0, 1, 2], [0, 1, 2]] = factors
    box = mesh_box(0.5, matrices)
    simulation = solver(cloth(4, size=0.3, height=0.51, **SHEET), colliders=[box], frames=(1, FRAMES))
    assert not simulation.notices
    for frame in range(1, FRAMES):
        heights = run(simulation, 1)[:, 2]
        assert heights.min() > 0.5 * factors[frame, 2] - 1e-4
    np.testing.assert_allclose(heights, 0.5 * factors[-1, 2], atol=1e-3)


@pytest.mark.slow
def test_a_point_deep_inside_finds_its_way_out():
    collider = ball(np.linspace(0.5, 0.52, FRAMES))
    body = cloth(5, size=0.1, height=0.2, **SHEET)
    simulation = solver(body, colliders=[collider], frames=(1, FRAMES), gravity=(0.0, 0.0, 0.0))
    # slowly: 0.3 m in a second where there is little gravity
    assert np.linalg.norm(run(simulation, FRAMES - 1), axis=1).min() > 0.49


def busy_scene(**settings):
    def wave(x, y, t):
        return 0.1 * np.sin(6.0 * x - 9.0 * t)

    floors = floor(17, wave)
    balls = replace(ball(0.2 + 0.1 * TIMES, 2), identifier="c1")
    return solver(cloth(14, height=0.4), colliders=[floors, balls], frames=(1, FRAMES), substeps=6, **settings)


def test_threads_give_the_same_bytes(monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    results = [run(busy_scene(path=path), 12) for path in ("SERIAL", "THREADS")]
    np.testing.assert_array_equal(results[1], results[0])


@pytest.mark.parametrize("frame", [1, 7, 11])
def test_a_resume_gives_the_same_bytes(frame):
    whole = busy_scene()
    run(whole, frame)
    kept = whole.checkpoint()
    expected = run(whole, 12 - frame)
    again = busy_scene()
    again.restore(frame, kept)
    np.testing.assert_array_equal(run(again, 12 - frame), expected)


def darting_ball(count=FRAMES):
    """It grows, shrinks and goes by up to 40 cm a frame."""
    positions, triangles = icosphere(3)
    steps = np.arange(count)[:, None, None]
    ways = np.concatenate([0.5 * np.sin(0.7 * steps), 0.0 * steps, 0.3 * np.cos(0.8 * steps)], axis=2)
    return deforming(0.3 * np.asarray(positions) * (1.0 + 0.3 * np.sin(0.9 * steps)) + ways, triangles)


def fast_scene(**settings):
    return solver(cloth(20, size=1.2, height=0.1), colliders=[darting_ball()], frames=(1, FRAMES), **settings)


def sliced_scene(**settings):
    """Surfaces that touch; frames are done in slices, for the ball goes fast."""
    bodies = cloth(12, size=1.2, height=0.1), replace(cloth(8, size=0.5, height=0.15), identifier="b1")
    return touching(*bodies, colliders=[darting_ball(6)], frames=(1, 6), substeps=4, **settings)


def asks_all(monkeypatch):
    """Let each substep be as the first one of a frame, so that what is clear is forgotten."""
    floats = PackedTree.floats

    def forgetting(*arguments, **named):
        result = floats(*arguments, **named)
        result[HEADER_FLOATS - 1] = 1.0
        return result

    monkeypatch.setattr(PackedTree, "floats", forgetting)


@pytest.mark.parametrize(
    ("make", "frames"),
    [(busy_scene, 12), (fast_scene, 12), pytest.param(sliced_scene, 4, marks=pytest.mark.slow)],
    ids=["busy", "fast", "sliced"],
)
def test_what_is_clear_changes_no_byte(make, frames, monkeypatch):
    simulation, found, touches = make(), [], 0
    for _ in range(frames):
        found.append(run(simulation, 1))
        touches += (read_array(simulation._state.contacts.touches) > 0).sum()
    assert touches > 0
    kept = simulation.checkpoint()
    asks_all(monkeypatch)
    other = make()
    for positions in found:
        np.testing.assert_array_equal(run(other, 1), positions)
    for name, values in other.checkpoint().items():
        np.testing.assert_array_equal(values, kept[name])


def test_most_of_what_is_clear_is_not_asked():
    """A sheet through a ball that swells by 4 mm in a frame: points beside it are asked in the first substep alone."""
    collider = ball(np.linspace(0.2, 0.3, FRAMES))
    body = cloth(16, size=0.39, height=0.15, **SHEET)
    simulation = solver(body, colliders=[collider], frames=(1, FRAMES), substeps=20, gravity=(0.0, 0.0, 0.0))
    run(simulation, 1)
    shares = read_array(simulation._state.colliders.nearest_floats).reshape(-1, NEAREST_FLOATS)[:, SHARE]
    asked = shares[np.linalg.norm(body.positions, axis=1) > 0.24]
    assert len(asked) > 30
    assert (asked > 0.0).all()
    assert (asked < 0.1).mean() > 0.9
