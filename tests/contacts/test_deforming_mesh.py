# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact with meshes that deform, against slow sure answers at the same moment."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.contacts.deforming_mesh import query_deforming_mesh
from blender_xpbd.contacts.nearest_face import (
    CERTAIN,
    CLEAR,
    HEADER,
    NEAREST_FLOATS,
    NEAREST_INTS,
    SHARE,
    TRIANGLE,
    nearest_faces,
)
from blender_xpbd.device.arrays import edited_array, read_array
from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.geometry.collider.moving_surface import build_moving_surface
from blender_xpbd.geometry.collider.packed_trees import pack_tree
from tests.geometry.triangle_shapes import CLOSED, SHAPES, distances_to_triangles, plane, signed_distances

POINTS: Any = ti.types.ndarray(dtype=ti.math.vec3, ndim=1)
FOUND: Any = ti.types.ndarray(dtype=ti.f32, ndim=2)
SUBSTEPS = 4


class Meshes(NamedTuple):
    mesh_floats: Any
    mesh_ints: Any
    nearest_ints: Any
    nearest_floats: Any


@ti.kernel
def query(
    floats: ti.types.ndarray(dtype=ti.f32, ndim=1),
    ints: ti.types.ndarray(dtype=ti.i32, ndim=1),
    nearest_ints: ti.types.ndarray(dtype=ti.i32, ndim=1),
    nearest_floats: ti.types.ndarray(dtype=ti.f32, ndim=1),
    header: ti.i32,
    share: ti.f32,
    offset: ti.f32,
    points: POINTS,
    previous: POINTS,
    found: FOUND,
):
    meshes = ti.static(Meshes(floats, ints, nearest_ints, nearest_floats))
    for k in range(points.shape[0]):
        hit, displacement, _ = query_deforming_mesh(meshes, header, share, points[k], previous[k], offset, k)
        for n in ti.static(range(4)):
            found[k, n] = hit[n]
        for n in ti.static(range(3)):
            found[k, 4 + n] = displacement[n]


@pytest.fixture(autouse=True, scope="module")
def _taichi():
    start_taichi("CPU", 0, Path(__file__).parents[2] / ".cache" / "taichi")


def bent(positions, amount):
    """Bent, swollen and moved: nothing that a matrix does."""
    x, y, z = positions.T
    swell = 1.0 + 0.2 * amount * np.sin(2.0 * z + 1.0)
    return np.stack([x * swell + 0.3 * amount * z**2, y * swell - 0.2 * amount, z + 0.25 * amount * x * y], axis=1)


class Mesh:
    """A mesh in the second place, so that a header of 0 would not do."""

    def __init__(self, positions, triangles):
        ends = [bent(np.asarray(positions), amount) for amount in (0.0, 1.0)]
        first = build_moving_surface(lambda _: plane(2)[0], 1, plane(2)[1])
        other = pack_tree(first, plane(2)[0][first.sources], 0, 0, 0.01)
        self.surface = build_moving_surface(lambda frame: ends[frame], 2, triangles)
        self.start, self.end = (end[self.surface.sources] for end in ends)
        tree = pack_tree(self.surface, self.start, len(other.ints), other.float_count, 0.01)
        numbers = other.floats(*(plane(2)[0][first.sources],) * 2, SUBSTEPS)
        self.floats = np.concatenate([numbers, tree.floats(self.start, self.end, SUBSTEPS)])
        self.ints = np.concatenate([other.ints, tree.ints])
        self.header = len(other.ints)
        self.size = np.ptp(self.start, axis=0).max()

    def corners(self, share):
        return (self.start + share * (self.end - self.start))[self.surface.triangles]

    def __call__(self, share, points, previous, offset=0.0, kept=None):
        """Normals, distances and displacements; ``kept`` is what ``nearest_faces`` makes, nothing by default."""
        rows = (nearest_faces(len(points)) if kept is None else kept).values()
        found = np.zeros((len(points), 7), np.float32)
        pairs = [np.ascontiguousarray(each, np.float32) for each in (points, previous)]
        query(self.floats, self.ints, *rows, self.header, share, offset, *pairs, found)
        assert np.isfinite(found).all()
        return found[:, :3].astype(float), found[:, 3].astype(float), found[:, 4:].astype(float)

    def near(self, share, count, reach, seed):
        """Triangles, weights and random points about them."""
        random = np.random.default_rng(seed)
        corners = self.corners(share)
        triangles = random.integers(len(corners), size=count)
        weights = random.dirichlet((1.0, 1.0, 1.0), count)
        way = random.normal(size=(count, 3))
        way *= (reach * random.random(count) / np.linalg.norm(way, axis=1))[:, None]
        return np.einsum("tk,tki->ti", weights, corners[triangles]) + way


def assert_same_contacts(found, expected):
    """To the last bit; how far the mesh is does not count where nothing is touched."""
    touching = expected[1] < 0.0
    np.testing.assert_array_equal(found[1] < 0.0, touching)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine[touching], other[touching])


@pytest.fixture(scope="module")
def meshes(_taichi):
    return {name: Mesh(*make()) for name, make in SHAPES.items()}


# of the plate everything near one side is near the other too
@pytest.mark.parametrize("name", sorted(set(CLOSED) - {"plate"}))
@given(seed=st.integers(0, 2**32 - 1), step=st.integers(0, SUBSTEPS - 1))
def test_points_that_go_along_know_their_signed_distance(meshes, name, seed, step):
    """They pass nothing, because they move as the surface does at that place, nearly."""
    mesh = meshes[name]
    share = (step + 1) / SUBSTEPS
    points = mesh.near(share, 60, 0.03 * mesh.size, seed)
    expected = signed_distances(points, mesh.corners(share))
    offset = 0.01 * mesh.size
    normals, distances, _ = mesh(share, points, points + 1e-3 * mesh.size * np.array([0, 0, 1.0]), offset)
    accuracy = 1e-5 * mesh.size
    inside = (expected < -accuracy) & (expected > -0.02 * mesh.size)
    # those that the surface passed are known by the other test
    known = np.abs(distances - (expected - offset)) < accuracy
    pushed = points - np.minimum(distances, 0.0)[:, None] * normals
    assert (signed_distances(pushed, mesh.corners(share))[inside] > -0.3 * offset).mean() > 0.9
    assert known[(expected > accuracy) & (expected < offset - accuracy)].mean() > 0.8
    assert (distances[expected > offset + 0.05 * mesh.size] > 0.0).all()


@pytest.mark.parametrize("name", CLOSED)
def test_any_depth_is_found_in_the_first_substep(meshes, name):
    mesh = meshes[name]
    share = 1.0 / SUBSTEPS
    corners = mesh.corners(share)
    points = np.random.default_rng(3).uniform(corners.min(axis=(0, 1)), corners.max(axis=(0, 1)), (300, 3))
    expected = signed_distances(points, corners)
    before = signed_distances(points, mesh.corners(0.0))
    inside = (expected < -0.01 * mesh.size) & (before < -0.01 * mesh.size)
    normals, distances, _ = mesh(share, points[inside], points[inside])
    np.testing.assert_allclose(distances, expected[inside], atol=1e-5 * mesh.size)
    out = points[inside] - distances[:, None] * normals
    assert (distances_to_triangles(out, corners).min(axis=1) < 1e-5 * mesh.size).all()


@pytest.mark.parametrize("name", CLOSED)
@given(seed=st.integers(0, 2**32 - 1), step=st.integers(0, SUBSTEPS - 1))
def test_nobody_comes_into_a_closed_mesh(meshes, name, seed, step):
    """From outside at the start to anywhere, while the surface moves: the push leads out."""
    mesh = meshes[name]
    before, share = step / SUBSTEPS, (step + 1) / SUBSTEPS
    starts = mesh.near(before, 80, 0.2 * mesh.size, seed)
    starts = starts[signed_distances(starts, mesh.corners(before)) > 1e-4 * mesh.size]
    random = np.random.default_rng(seed + 1)
    points = starts + 0.1 * mesh.size * random.normal(size=starts.shape)
    offset = 1e-3 * mesh.size
    normals, distances, _ = mesh(share, points, starts, offset)
    pushed = points - np.minimum(distances, 0.0)[:, None] * normals
    left = signed_distances(pushed, mesh.corners(share))
    assert (left > -1e-4 * mesh.size).all()


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_touched_tells_its_displacement(meshes, name):
    mesh = meshes[name]
    random = np.random.default_rng(5)
    triangles = random.integers(len(mesh.surface.triangles), size=200)
    weights = random.dirichlet((3.0, 3.0, 3.0), 200)
    share, before = 0.5, 0.5 - 1 / SUBSTEPS
    places, starts = (np.einsum("tk,tki->ti", weights, mesh.corners(each)[triangles]) for each in (share, before))
    sides = np.cross(*(mesh.corners(share)[triangles][:, k] - mesh.corners(share)[triangles][:, 0] for k in (1, 2)))
    areas = np.linalg.norm(sides, axis=1)
    whole = areas > 1e-4 * mesh.size**2
    height = 1e-3 * mesh.size
    above = height * sides / np.maximum(areas, 1e-12)[:, None]
    _, distances, displacements = mesh(share, places + above, starts + above, 2.0 * height)
    touching = whole & (distances < -0.9 * height)
    assert touching.mean() > 0.5
    np.testing.assert_allclose(displacements[touching], (places - starts)[touching], atol=3e-3 * mesh.size)
    assert np.median(np.abs(displacements - (places - starts))[touching]) < 1e-6 * mesh.size


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_open_mesh_holds_on_the_side_where_a_point_was(meshes, side):
    """It rises through where the point was."""
    mesh = meshes["plane"]
    before, share = 0.0, 1.0 / SUBSTEPS
    places = [mesh.corners(each).mean(axis=1) for each in (before, share)]
    normal = np.cross(*(mesh.corners(share)[:, k] - mesh.corners(share)[:, 0] for k in (1, 2)))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    height = 0.01 * side * normal
    for end in (places[1] + 0.2 * height, places[1] - 3.0 * height):
        normals, distances, _ = mesh(share, end, places[0] + height, 0.005)
        pushed = end - np.minimum(distances, 0.0)[:, None] * normals
        np.testing.assert_allclose(((pushed - places[1]) * normal).sum(axis=1), side * 0.005, atol=1e-4)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_what_is_kept_changes_nothing(meshes, name):
    """Points that go along a mesh find the same to the last bit, also where any place of it was kept."""
    mesh, random = meshes[name], np.random.default_rng(7)
    points, gap = mesh.near(0.0, 300, 0.1 * mesh.size, 3), 0.02 * mesh.size
    kept, known = nearest_faces(len(points)), 0
    for step in range(SUBSTEPS):
        before, points = points, points + random.normal(0.0, 0.2 * gap, points.shape)
        known += (read_array(kept["nearest_ints"]).reshape(-1, NEAREST_INTS)[:, HEADER] > 0).sum()
        found, expected = (mesh((step + 1) / SUBSTEPS, points, before, gap, rows) for rows in (kept, None))
        assert_same_contacts(found, expected)
    assert known > 0
    with edited_array(kept["nearest_ints"]) as rows:
        rows = rows.reshape(-1, NEAREST_INTS)
        rows[:, HEADER], rows[:, TRIANGLE] = mesh.header + 1, random.integers(len(mesh.corners(1.0)), size=len(rows))
    assert_same_contacts(mesh(1.0, points, before, gap, kept), mesh(1.0, points, before, gap))


@pytest.mark.parametrize("name", sorted(SHAPES))
@given(seed=st.integers(0, 2**32 - 1), reach=st.sampled_from([0.05, 0.5]), speed=st.sampled_from([0.003, 0.05]))
def test_what_is_clear_is_told_conservatively(meshes, name, seed, reach, speed):
    """Of points on any ways: no triangle is nearer than told, and who is left out would have told of no contact."""
    mesh, random = meshes[name], np.random.default_rng(seed)
    points, gap = mesh.near(0.0, 40, reach * mesh.size, seed), 0.005 * mesh.size
    kept = nearest_faces(len(points))
    moves = np.float32(mesh.end) - np.float32(mesh.start)
    drift = 0.5 * (moves.min(axis=0) + moves.max(axis=0))
    beside = np.linalg.norm(moves - drift, axis=1).max()
    for step in range(SUBSTEPS):
        share = (step + 1) / SUBSTEPS
        before, points = points, points + random.normal(0.0, speed * mesh.size, points.shape)
        found, expected = mesh(share, points, before, gap, kept), mesh(share, points, before, gap)
        assert_same_contacts(found, expected)
        rows = read_array(kept["nearest_floats"]).reshape(-1, NEAREST_FLOATS)
        since = share - rows[:, SHARE]
        ways = np.linalg.norm(points - rows[:, :3] - since[:, None] * drift, axis=1) + since * beside
        told = CERTAIN * np.abs(rows[:, CLEAR]) - ways
        nearest = distances_to_triangles(points, mesh.corners(share)).min(axis=1)
        assert (told <= nearest + 1e-6 * mesh.size)[rows[:, CLEAR] != 0.0].all()


def test_what_is_known_is_forgotten_when_a_frame_begins(meshes):
    """And followed in other substeps, so that a wrong note would show."""
    mesh = meshes["icosphere"]
    inside = np.repeat(mesh.corners(0.0).mean(axis=(0, 1))[None], 3, axis=0)
    kept = nearest_faces(len(inside))
    for step, is_asked in ((0, True), (1, False)):
        mesh(1.0 / SUBSTEPS, inside, inside, 0.0, kept)
        with edited_array(kept["nearest_floats"]) as rows:
            rows.reshape(-1, NEAREST_FLOATS)[:, CLEAR] = 1e3
        distances = mesh((step + 1) / SUBSTEPS, inside, inside, 0.0, kept)[1]
        assert (distances < 0.0).all() == is_asked
        assert (distances >= 0.0).all() != is_asked
