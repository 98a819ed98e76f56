# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.mesh import NO_CONTACT, mesh_contact
from blender_xpbd.contacts.nearest_face import HEADER, LEEWAY, NEAREST_FLOATS, NEAREST_INTS, nearest_faces
from blender_xpbd.device.arrays import read_array
from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.geometry.collider.triangle_grid import build_triangle_grid, pack
from tests.geometry.triangle_shapes import (
    CLOSED,
    SHAPES,
    bowl,
    crossings,
    cube,
    distances_to_triangles,
    icosphere,
    l_shape,
    plane,
    plate,
    signed_distances,
)

POINTS: Any = ti.types.ndarray(dtype=ti.math.vec3, ndim=1)
CONTACTS: Any = ti.types.ndarray(dtype=ti.math.vec4, ndim=1)


class Meshes(NamedTuple):
    mesh_floats: Any
    mesh_ints: Any
    nearest_ints: Any
    nearest_floats: Any


@ti.kernel
def query(
    floats: ti.types.ndarray(dtype=ti.f32, ndim=1),
    ints: ti.types.ndarray(dtype=ti.i32, ndim=1),
    header: ti.i32,
    offset: ti.f32,
    points: POINTS,
    previous_points: POINTS,
    contacts: CONTACTS,
    nearest_ints: ti.types.ndarray(dtype=ti.i32, ndim=1),
    nearest_floats: ti.types.ndarray(dtype=ti.f32, ndim=1),
):
    meshes = ti.static(Meshes(floats, ints, nearest_ints, nearest_floats))
    ti.loop_config(serialize=True)
    for k in range(points.shape[0]):
        hit, _ = mesh_contact(meshes, header, points[k], previous_points[k], offset, k)
        contacts[k] = hit


@pytest.fixture(autouse=True, scope="module")
def _taichi():
    start_taichi("CPU", 0, Path(__file__).parents[2] / ".cache" / "taichi")


class Collider:
    """A mesh in the second place of a packed scene, so that a header of 0 would not do."""

    def __init__(self, positions, triangles, largest_offset=0.0):
        self.grid = build_triangle_grid(positions, triangles, largest_offset)
        self.corners = self.grid.surface.corners
        self.size = np.ptp(self.corners.reshape(-1, 3), axis=0).max()
        self.packed = pack([build_triangle_grid(*plane(3)), self.grid])

    def __call__(self, points, previous_points=None, offset=0.0, kept=None):
        """Normals, shape (points, 3), and distances, shape (points,); ``kept`` is what the points know from before."""
        points = np.ascontiguousarray(np.atleast_2d(points), np.float32)
        previous = points if previous_points is None else previous_points
        previous = np.ascontiguousarray(np.atleast_2d(previous), np.float32)
        contacts = np.zeros((len(points), 4), np.float32)
        rows = nearest_faces(len(points)) if kept is None else kept
        header = int(self.packed.headers[1])
        query(self.packed.floats, self.packed.ints, header, offset, points, previous, contacts, *rows.values())
        assert np.isfinite(contacts).all()
        np.testing.assert_allclose(np.linalg.norm(contacts[:, :3], axis=1), 1.0, rtol=1e-5)
        return contacts[:, :3].astype(np.float64), contacts[:, 3].astype(np.float64)

    def push(self, points, previous_points=None, offset=0.0):
        """Where the points go."""
        normals, distances = self(points, previous_points, offset)
        return points - np.minimum(distances, 0.0)[:, None] * normals

    def near(self, count, reach, seed):
        """Random points about the surface."""
        random = np.random.default_rng(seed)
        triangles = random.integers(len(self.corners), size=count)
        on = np.einsum("tk,tki->ti", random.dirichlet((1.0, 1.0, 1.0), count), self.corners[triangles])
        way = random.normal(size=(count, 3))
        way *= (reach * random.random(count) / np.linalg.norm(way, axis=1))[:, None]
        return (on + way).astype(np.float32).astype(np.float64)


@pytest.fixture(scope="module")
def colliders(_taichi):
    return {name: Collider(*make()) for name, make in (SHAPES).items()}


@pytest.mark.parametrize("name", CLOSED)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 0.99))
def test_points_near_a_closed_mesh_know_their_signed_distance(colliders, name, seed, share):
    collider = colliders[name]
    offset = share * collider.grid.margin
    points = collider.near(100, collider.grid.margin, seed)
    normals, distances = collider(points, offset=offset)
    expected = signed_distances(points, collider.corners)
    accuracy = 2e-6 * collider.size
    near = (np.abs(expected) < collider.grid.margin) & (np.abs(expected) > accuracy)
    touching = near & (expected < offset - accuracy)
    np.testing.assert_allclose(distances[touching], expected[touching] - offset, atol=accuracy)
    assert (distances[near & (expected > offset + accuracy)] > 0.0).all()
    # the normal is the way: following it by the distance leads to the surface
    landed = points - expected[:, None] * normals
    touching &= np.abs(expected) > 1.5 * collider.grid.tolerance
    assert (distances_to_triangles(landed, collider.corners).min(axis=1)[touching] < 3.0 * accuracy).all()


@pytest.mark.parametrize("name", CLOSED)
@given(seed=st.integers(0, 2**32 - 1))
def test_points_deep_inside_find_a_short_way_out(colliders, name, seed):
    collider = colliders[name]
    low, high = collider.corners.min(axis=(0, 1)), collider.corners.max(axis=(0, 1))
    points = np.random.default_rng(seed).uniform(low, high, (100, 3)).astype(np.float32).astype(float)
    expected = signed_distances(points, collider.corners)
    inside = expected < -1e-5 * collider.size
    points, expected = points[inside], expected[inside]
    normals, distances = collider(points)
    assert (distances < 0.0).all()
    assert (distances <= expected + 3e-6 * collider.size).all()
    assert (distances >= expected - 0.5 * collider.grid.cell_size).all()
    out = points - distances[:, None] * normals
    assert (distances_to_triangles(out, collider.corners).min(axis=1) < 1e-5 * collider.size).all()


@pytest.mark.parametrize("name", SHAPES)
def test_points_outside_have_no_contact(colliders, name):
    collider = colliders[name]
    points = np.random.default_rng(1).uniform(-3.0, 3.0, (3000, 3)) * collider.size
    expected = signed_distances(points, collider.corners) if name in CLOSED else np.full(3000, 1.0)
    distances = collider(points)[1]
    assert (distances[expected > 1e-5 * collider.size] >= 0.0).all()


@pytest.mark.parametrize("name", CLOSED)
def test_corners_and_edges_tell_inside_from_outside(colliders, name):
    collider = colliders[name]
    corners, normals = collider.corners, collider.grid.surface.pseudonormals
    features = np.concatenate([0.5 * (corners + corners[:, [1, 2, 0]]), corners], axis=1)
    step = 0.1 * min(collider.grid.margin, np.ptp(corners[:, :, 2]))
    for sign in (-1.0, 1.0):
        points = (features + sign * step * normals[:, 1:]).reshape(-1, 3)
        distances = collider(points, offset=0.9 * step)[1]
        expected = signed_distances(points, corners)
        assert (np.sign(expected) == sign).all()
        assert (np.sign(distances + 0.9 * step) == sign)[distances < NO_CONTACT].all()
        if sign < 0.0:
            assert (distances < 0.0).all()
    # on the feature itself: no depth, and the way is out
    normals_found, distances = collider(features.reshape(-1, 3), offset=0.1 * collider.grid.margin)
    np.testing.assert_allclose(distances, -0.1 * collider.grid.margin, atol=1e-5 * collider.size)
    assert (np.einsum("pi,pi->p", normals_found, normals[:, 1:].reshape(-1, 3)) > -1e-3).all()


def crossed(starts, ends, collider, slack, depth=0.0):
    """Whether segments cross a mesh, a closed one from its front, and end farther than ``depth`` beyond it."""
    apart = crossings(starts, ends, collider.corners, slack)[1]
    beyond = np.einsum("sti,ti->st", ends[:, None] - collider.corners[None, :, 0], collider.grid.surface.normals)
    apart &= np.abs(beyond) > depth
    if collider.grid.surface.closed:
        apart &= np.einsum("si,ti->st", ends - starts, collider.grid.surface.normals) < 0.0
    return apart.any(axis=1)


@pytest.mark.parametrize("name", SHAPES)
@given(seed=st.integers(0, 2**32 - 1), reach=st.sampled_from([0.02, 0.3, 2.0]), share=st.floats(0.0, 0.5))
def test_nothing_tunnels(colliders, name, seed, reach, share):
    collider = colliders[name]
    random = np.random.default_rng(seed)
    offset = share * collider.grid.margin
    starts = collider.near(100, reach * collider.size, seed)
    ends = (starts + random.normal(size=(100, 3)) * reach * collider.size).astype(np.float32).astype(np.float64)
    # a start within the rounding error of the surface is on neither side
    clear = distances_to_triangles(starts, collider.corners).min(axis=1) > 1e-4 * collider.size
    if name in CLOSED:
        clear &= signed_distances(starts, collider.corners) > 0.0
    starts, ends = starts[clear], ends[clear]
    normals, distances = collider(ends, starts, offset)
    meets = crossed(starts, ends, collider, -1e-3)
    assert (distances[meets] < 0.0).all()
    pushed = ends - np.minimum(distances, 0.0)[:, None] * normals
    assert not crossed(starts, pushed, collider, -1e-3, 2e-6 * collider.size)[distances < 0.0].any()
    passes = ~crossed(starts, ends, collider, 1e-3)
    free = passes & (distances_to_triangles(ends, collider.corners).min(axis=1) > offset + 2e-5 * collider.size)
    if name in CLOSED:
        free &= signed_distances(ends, collider.corners) > 0.0
    assert (distances[free] >= 0.0).all()


@pytest.mark.parametrize("thickness", [1e-2, 1e-4])
@pytest.mark.parametrize("height", [1.0, 1e-3, 30.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_thin_plate_stops_a_bullet_from_either_side(thickness, height, side):
    collider = Collider(*plate(thickness))
    random = np.random.default_rng(2)
    across = random.uniform(-0.95, 0.95, (100, 2))
    starts = np.column_stack([across, np.full(100, side * (0.5 * thickness + height))])
    ends = np.column_stack([across * 0.9, np.full(100, -side * (0.5 * thickness + height))])
    normals, distances = collider(ends, starts, 1e-3)
    np.testing.assert_allclose(normals, np.broadcast_to((0.0, 0.0, side), (100, 3)), atol=1e-6)
    np.testing.assert_allclose(distances, -thickness - height - 1e-3, rtol=1e-5)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("offset", [0.0, 1e-3])
def test_a_sheet_has_two_sides(colliders, side, offset):
    random = np.random.default_rng(3)
    across = random.uniform(-0.9, 0.9, (100, 2))
    starts = np.column_stack([across, side * random.uniform(1e-4, 2.0, 100)])
    ends = np.column_stack([across, -side * random.uniform(0.0, 2.0, 100)])
    pushed = colliders["plane"].push(ends, starts, offset)
    np.testing.assert_allclose(pushed[:, 2], side * max(offset, 1.6e-5), atol=1e-6)
    # and from there on it rests: the side is remembered by the gap
    pushed_again = colliders["plane"].push(pushed - (0.0, 0.0, side * 0.1), pushed, offset)
    np.testing.assert_allclose(pushed_again, pushed, atol=1e-6)


def test_a_sheet_ends_at_its_border(colliders):
    starts, ends = np.array([[1.01, 0.0, 1.0]]), np.array([[1.01, 0.0, -1.0]])
    assert colliders["plane"](ends, starts)[1][0] >= 0.0
    normals, distances = colliders["plane"]([[1.005, 0.0, 0.0]], [[1.005, 0.0, 0.001]], 0.01)
    np.testing.assert_allclose(normals[0], (1.0, 0.0, 0.0), atol=1e-5)
    assert distances[0] == pytest.approx(-0.005, abs=1e-6)


def test_a_bowl_holds_a_point_that_slides_through_its_facets(colliders):
    """A push out of one facet must not end behind the next."""
    random = np.random.default_rng(4)
    way = random.normal(size=(500, 3)) * (1.0, 1.0, 0.3) - (0.0, 0.0, 1.0)
    way /= np.linalg.norm(way, axis=1)[:, None]
    way = way[way[:, 2] < -0.3]
    starts = 0.9 * way
    ends = 1.05 * way + 0.4 * np.cross(way, random.normal(size=way.shape))
    pushed = colliders["bowl"].push(ends, starts)
    meets = crossed(starts, ends, colliders["bowl"], 0.0)
    assert meets.sum() > 100
    assert not crossed(starts, pushed, colliders["bowl"], 0.0)[meets].any()


def test_the_inner_edge_of_an_l_shape_stops_both_ways():
    collider = Collider(*l_shape())
    start, end = np.array([[1.2, 1.3, 0.5]]), np.array([[0.9, 0.8, 0.5]])
    pushed = collider.push(end, start, 0.01)
    np.testing.assert_allclose(pushed[0], (1.01, 1.01, 0.5), atol=0.2)
    assert signed_distances(pushed, collider.corners)[0] > 0.0


@given(
    st.lists(
        st.floats(width=32) | st.sampled_from([np.inf, -np.inf, np.nan, 3e38, -3e38, 0.0, 1.0]), min_size=6, max_size=6
    ),
    st.sampled_from([*SHAPES]),
)
def test_any_number_gives_a_finite_answer(colliders, numbers, name):
    distance = colliders[name]([numbers[:3]], [numbers[3:]])[1][0]
    if not np.isfinite(numbers).all():
        assert distance >= 0.0


def test_a_point_that_moves_along_an_axis_meets_seams_and_corners():
    """Segments through edges and vertices, where rounding opens gaps between triangles."""
    collider = Collider(*plane(8))
    steps = np.linspace(-1.0, 1.0, 33)[1:-1]
    across = np.array([(x, y) for x in steps for y in steps])
    starts = np.column_stack([across, np.full(len(across), 0.3)])
    ends = np.column_stack([across, np.full(len(across), -0.3)])
    np.testing.assert_allclose(collider(ends, starts)[1], -0.3, atol=1e-4)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_point_that_ends_on_a_sheet_stays_on_its_side(colliders, side):
    normals, distances = colliders["plane"]([[0.2, 0.3, 0.0]], [[0.2, 0.3, side * 0.1]])
    np.testing.assert_allclose(normals[0], (0.0, 0.0, side), atol=1e-6)
    assert distances[0] < 0.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_point_that_rests_a_rounding_error_below_a_plate_does_not_fall_through(side):
    collider = Collider(*plate(1e-3))
    starts, ends = np.array([[0.2, 0.3, side * (5e-4 - 2e-6)]]), np.array([[0.2, 0.3, -side * 0.01]])
    np.testing.assert_allclose(collider.push(ends, starts), [[0.2, 0.3, side * 5e-4]], atol=1e-6)


def test_leaving_and_resting_points_are_left_alone(colliders):
    starts = np.array([[0.0, 0.0, 1.0 - 1e-7], [0.0, 0.0, 1.0], [0.2, 0.3, 0.9]])
    ends = np.array([[0.0, 0.0, 1.2], [0.1, 0.0, 1.0 + 1e-6], [0.2, 0.3, 1.1]])
    assert (colliders["cube"](ends, starts)[1] >= -1e-6).all()


def rotation(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    skew = np.cross(np.eye(3), axis)
    return np.eye(3) - np.sin(angle) * skew + (1.0 - np.cos(angle)) * skew @ skew


def simulate(collider, positions, frame_at, seconds, step=1.0 / 600.0, offset=1e-3, velocity=(0.0, 0.0, 0.0)):
    """Particles under gravity against a moving collider; yields world positions and the frame after each step."""
    velocities = np.broadcast_to(np.array(velocity, float), positions.shape).copy()
    for k in range(round(seconds / step)):
        (r0, t0), (r1, t1) = frame_at(k * step), frame_at((k + 1) * step)
        velocities[:, 2] -= 9.81 * step
        predicted = positions + step * velocities
        local = collider.push((predicted - t1) @ r1, (positions - t0) @ r0, offset)
        new = local @ r1.T + t1
        velocities, positions = (new - positions) / step, new
        yield positions, (r1, t1)


@pytest.mark.parametrize("speed", [0.0, -100.0])
def test_a_particle_dropped_on_the_corner_of_a_cube_does_not_pass(speed):
    """The cube stands on one corner, so that the particles meet the opposite corner, edges and faces."""
    collider = Collider(*cube())
    turned = rotation((1.0, -1.0, 0.0), np.arccos(1.0 / np.sqrt(3.0)))
    positions = np.random.default_rng(5).uniform(-0.05, 0.05, (50, 3)) + np.array((0.0, 0.0, 1.9))
    positions[0] = (0.0, 0.0, 1.9)
    touched = np.zeros(50, bool)
    for world, (frame, shift) in simulate(
        collider, positions, lambda _: (turned, np.zeros(3)), 0.6, velocity=(0.0, 0.0, speed)
    ):
        depth = signed_distances((world - shift) @ frame, collider.corners)
        assert depth.min() > -1e-5
        touched |= depth < 2e-3
    assert touched.all()


def test_a_spinning_rising_plate_carries_particles():
    collider = Collider(*plate(1e-2))

    def frame_at(time):
        return rotation((0.0, 0.0, 1.0), 3.0 * time), np.array([0.0, 0.0, 2.0 * np.sin(20.0 * time)])

    positions = np.random.default_rng(6).uniform(-0.3, 0.3, (50, 3)) * (1.0, 1.0, 0.0) + (0.0, 0.0, 0.3)
    for world, (frame, shift) in simulate(collider, positions, frame_at, 0.15):
        local = (world - shift) @ frame
        over = (np.abs(local[:, :2]) < 1.0).all(axis=1)
        assert (local[over, 2] > 0.005).all()


@pytest.mark.parametrize("make", [plane, bowl, icosphere, lambda: plate(1e-3)])
def test_a_moving_mesh_hits_a_point_at_rest(make):
    collider = Collider(*make())
    positions = np.array([[0.13, 0.07, 0.0]])
    low = collider.corners[:, :, 2].min() - collider.corners[:, :, 2].max()
    *_, (world, (_, shift)) = simulate(
        collider, positions, lambda time: (np.eye(3), np.array([0.0, 0.0, -2.0 + low + 40.0 * time])), 0.2
    )
    assert world[0, 2] > shift[2] + collider.corners[:, :, 2].min()


@pytest.mark.parametrize(
    ("shape", "least"), [("icosphere", 0.2), ("cube", 0.2), ("l_shape", 0.2), ("bowl", 0.2), ("plate", 0.0)]
)
def test_what_is_kept_changes_nothing(shape, least):
    """Points that creep along a surface, through it and away find the same to the last bit, and look up little."""
    shapes = {"icosphere": icosphere(2), "cube": cube(), "l_shape": l_shape(), "bowl": bowl(), "plate": plate()}
    collider = Collider(*shapes[shape], largest_offset=0.02 * np.ptp(shapes[shape][0]))
    gap, random = 0.02 * collider.size, np.random.default_rng(5)
    corners = collider.corners[random.integers(len(collider.corners), size=400)]
    points = np.einsum("pk,pkx->px", random.dirichlet(np.ones(3), 400), corners)
    points += random.uniform(-1.0, 1.0, points.shape) * gap
    kept = nearest_faces(len(points))
    known, hits = 0, 0
    for _ in range(40):
        before, points = points, points + random.normal(0.0, 0.04 * gap, points.shape)
        rows = read_array(kept["nearest_floats"]).copy()
        normals, distances = collider(points, before, gap, kept)
        again_normals, again_distances = collider(points, before, gap)
        # of what touches nothing nothing is asked
        touching = again_distances < 0.0
        np.testing.assert_array_equal(distances < 0.0, touching)
        np.testing.assert_array_equal(normals[touching], again_normals[touching])
        np.testing.assert_array_equal(distances[touching], again_distances[touching])
        hits += touching.sum()
        same = (rows == read_array(kept["nearest_floats"])).reshape(-1, NEAREST_FLOATS).all(axis=1)
        same &= rows.reshape(-1, NEAREST_FLOATS)[:, LEEWAY] > 0.0
        known += (touching & same).sum()
    # behind a face of the plate there is soon the other one
    assert known > least * hits
    assert hits > 0


@pytest.mark.parametrize("shape", ["icosphere", "cube", "bowl"])
def test_a_point_off_the_surface_asks_no_triangle_until_it_may_touch(shape):
    """Also over an edge, where no triangle is the nearest one; and whoever comes fast is not missed."""
    shapes = {"icosphere": icosphere(2), "cube": cube(), "bowl": bowl()}
    collider = Collider(*shapes[shape], largest_offset=0.05 * np.ptp(shapes[shape][0]))
    gap, random = 0.02 * collider.size, np.random.default_rng(7)
    points = random.uniform(-1.2, 1.2, (4000, 3)) * np.abs(collider.corners).max(axis=(0, 1))
    distances = collider(points, points, 2.0 * gap)[1] + 2.0 * gap
    points = points[(distances > 1.4 * gap) & (distances < 2.0 * gap)]
    assert len(points) > 20
    kept = nearest_faces(len(points))
    collider(points, points, gap, kept)
    rows = [read_array(kept[name]).copy() for name in ("nearest_floats", "nearest_ints")]
    assert (rows[1].reshape(-1, NEAREST_INTS)[:, HEADER] > 0).all()
    _, distances = collider(points + random.uniform(-0.1, 0.1, points.shape) * gap, points, gap, kept)
    assert (distances > 0.0).all()
    np.testing.assert_array_equal(rows[0], read_array(kept["nearest_floats"]))
    through = -points
    for offset in (gap, 0.0):
        again = collider(through, points, offset)
        hit = again[1] < 0.0
        found = collider(through, points, offset, kept)
        np.testing.assert_array_equal(found[1] < 0.0, hit)
        np.testing.assert_array_equal(found[0][hit], again[0][hit])
