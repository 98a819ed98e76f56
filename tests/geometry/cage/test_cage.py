# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.assembly import face_components
from blender_xpbd.geometry.cage.cage import Cage, build_cage
from blender_xpbd.geometry.components import connected_components, dense_labels
from blender_xpbd.geometry.solid.masses import tetrahedron_masses
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes, tetrahedron_edges
from blender_xpbd.scene.errors import XpbdError
from tests.geometry.surfaces import (
    cone,
    cube,
    enclosed_volume,
    interpolate,
    join,
    minimum_dihedral_angles,
    prism,
    read_obj,
    sphere,
    torus,
    two_fingers,
)

CLOSED = {"cube": cube(), "sphere": sphere(), "torus": torus(), "cone": cone(), "fingers": two_fingers(0.5)}
MESHES = ["spot", "cow", "fandisk", "rocker-arm", "cheburashka", "teapot", "stanford-bunny"]


def assert_sound(cage: Cage, vertices: np.ndarray, *, whole: bool = True) -> None:
    """What holds for every cage."""
    volumes = signed_volumes(cage.vertices, cage.tetrahedra)
    assert (volumes > 0).all()
    assert np.array_equal(np.unique(cage.tetrahedra), np.arange(len(cage.vertices)))
    assert ((cage.fill > 0) & (cage.fill <= 1)).all()
    assert cage.embedding_tetrahedra.shape == (len(vertices),)
    assert np.allclose(cage.embedding_weights.sum(axis=1), 1.0, atol=1e-9)
    rest = interpolate(cage.embedding_weights, cage.embedding_tetrahedra, cage.tetrahedra, cage.vertices)
    assert np.abs(rest - vertices).max() <= 1e-6 * np.ptp(vertices, axis=0).max()
    # No hinges: what vertices connect, faces connect.
    assert parts(cage) == face_components(cage.tetrahedra).max() + 1
    if whole:
        assert parts(cage) == 1


def parts(cage: Cage) -> int:
    """How many pieces the cage falls into."""
    return dense_labels(connected_components(len(cage.vertices), tetrahedron_edges(cage.tetrahedra)))[1]


def part_of_vertices(cage: Cage, kept: np.ndarray) -> np.ndarray:
    """Each mesh vertex's part of the cage, if only some tetrahedra are kept; −1 for those in others."""
    pairs = tetrahedron_edges(cage.tetrahedra[kept])
    label = connected_components(len(cage.vertices), pairs)[cage.tetrahedra[cage.embedding_tetrahedra, 0]]
    return np.where(kept[cage.embedding_tetrahedra], label, -1)


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("resolution", [4, 16])
def test_a_closed_surface_gets_a_sound_cage_of_its_volume(name: str, resolution: int) -> None:
    vertices, triangles = CLOSED[name]
    cage = build_cage(vertices, triangles, resolution)
    assert_sound(cage, vertices)
    # some are thin for 4 cells
    assert {notice.code for notice in cage.notices} <= ({"W_THIN"} if resolution == 4 else set())
    assert cage.embedding_weights.min() > -1e-6
    assert np.degrees(minimum_dihedral_angles(cage.vertices, cage.tetrahedra)).min() > 59.99
    assert np.isclose(cage.volume, enclosed_volume(vertices, triangles), rtol=1e-9)
    masses = tetrahedron_masses(cage.vertices, cage.tetrahedra, 500.0, cage.fill)
    assert np.isclose(masses.sum(), 500.0 * enclosed_volume(vertices, triangles), rtol=0.02)
    assert (masses > 0).all()


def test_the_fill_is_full_inside_and_partial_at_the_surface() -> None:
    cage = build_cage(*sphere(48, 24), 20)
    reach = np.linalg.norm(cage.vertices[cage.tetrahedra], axis=2)
    assert (cage.fill[(reach < 0.95).all(axis=1)] == 1.0).all()
    assert cage.fill[(reach > 1.0).sum(axis=1) >= 3].mean() < 0.5
    centroids = cage.vertices[cage.tetrahedra].mean(axis=1)
    mass = cage.fill * signed_volumes(cage.vertices, cage.tetrahedra)
    # The moment of inertia says whether the mass is where it should be: 2/5 m r².
    assert np.isclose((mass * (centroids[:, :2] ** 2).sum(axis=1)).sum(), 0.4 * mass.sum(), rtol=0.03)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_size_and_place_do_not_matter(scale: float, shift: float) -> None:
    vertices, triangles = torus()
    moved = (vertices + shift) * scale
    cage = build_cage(moved, triangles, 8)
    assert_sound(cage, moved)
    assert np.isclose(cage.volume, enclosed_volume(vertices, triangles) * scale**3, rtol=1e-6)


def test_the_cage_is_the_same_every_time() -> None:
    first, second = build_cage(*sphere(), 9), build_cage(*sphere(), 9)
    assert np.array_equal(first.vertices, second.vertices)
    assert np.array_equal(first.tetrahedra, second.tetrahedra)
    assert np.array_equal(first.embedding_weights, second.embedding_weights)


def test_spheres_in_the_same_cells_come_apart_and_overlapping_ones_do_not() -> None:
    ball, triangles = sphere()
    near = join((ball, triangles), (ball + np.array([2.01, 0.05, 0.03]), triangles))
    cage = build_cage(*near, 10)
    assert_sound(cage, near[0], whole=False)
    assert parts(cage) == 2
    labels = part_of_vertices(cage, np.ones(len(cage.tetrahedra), dtype=bool))
    assert len(np.unique(labels[: len(ball)])) == 1
    assert len(np.unique(labels)) == 2
    assert parts(build_cage(*near, 10, weld=True)) == 1

    overlapping = join((ball, triangles), (ball + np.array([1.7, 0.05, 0.03]), triangles))
    cage = build_cage(*overlapping, 10)
    assert_sound(cage, overlapping[0])
    assert [notice.code for notice in cage.notices] == ["W_TET_REPAIRED"]
    assert cage.volume < 2 * enclosed_volume(ball, triangles) * 0.99


def test_fingers_with_a_gap_far_smaller_than_a_cell_come_apart() -> None:
    vertices, triangles = two_fingers(0.02)
    cage = build_cage(vertices, triangles, 12)
    assert_sound(cage, vertices)
    cell = 4 / 12
    centroids = cage.vertices[cage.tetrahedra].mean(axis=1)
    labels = part_of_vertices(cage, centroids[:, 1] > 1 + 3 * cell)
    tips_left = (vertices[:, 1] == 4) & (vertices[:, 0] <= 1)
    tips_right = (vertices[:, 1] == 4) & (vertices[:, 0] > 1)
    assert len(np.unique(labels[tips_left])) == 1
    assert len(np.unique(labels[tips_right])) == 1
    assert labels[tips_left][0] != labels[tips_right][0]


def test_a_thin_sheet_and_a_hollow_shell_are_whole() -> None:
    vertices, triangles = cube()
    vertices = vertices * [1, 1, 0.003]
    cage = build_cage(vertices, triangles, 12)
    assert_sound(cage, vertices)
    assert np.isclose(cage.volume, 0.024)
    ball, faces = sphere()
    shell = join((ball, faces), (ball * 0.8, faces[:, ::-1]))
    cage = build_cage(*shell, 12)
    assert_sound(cage, shell[0])
    assert np.isclose(cage.volume, enclosed_volume(ball, faces) * (1 - 0.8**3), rtol=1e-6)


def test_a_diagonal_rod_thinner_than_a_cell_is_whole_and_has_no_hinges() -> None:
    rod, triangles = prism([(0, 0), (0.1, 0), (0.1, 6), (0, 6)], [(0, 1, 2), (0, 2, 3)])
    rod = rod * [1, 1, 0.1]
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    rod = rod @ turn.T
    cage = build_cage(rod, triangles, 10)
    assert_sound(cage, rod)


def test_flipped_faces_do_no_harm() -> None:
    vertices, triangles = sphere()
    flipped = triangles.copy()
    chosen = np.random.default_rng(0).random(len(flipped)) < 0.2
    flipped[chosen] = flipped[chosen][:, ::-1]
    straight, cage = build_cage(vertices, triangles, 10), build_cage(vertices, flipped, 10)
    assert np.array_equal(cage.tetrahedra, straight.tetrahedra)
    assert np.isclose(cage.volume, straight.volume)
    assert [notice.code for notice in cage.notices] == ["W_TET_REPAIRED"]
    inside_out = build_cage(vertices, triangles[:, ::-1], 10)
    assert np.isclose(inside_out.volume, straight.volume)


def test_a_hole_is_bridged_and_the_uncertainty_stated() -> None:
    vertices, triangles = sphere()
    opened = triangles[(vertices[triangles][:, :, 2] < 0.9).all(axis=1)]
    cage = build_cage(vertices, opened, 12, "Ball")
    assert_sound(cage, vertices)
    assert np.isclose(cage.volume, enclosed_volume(vertices, triangles), rtol=0.05)
    (notice,) = cage.notices
    assert notice.code == "W_TET_REPAIRED"
    assert notice.object_name == "Ball"
    assert "open edges" in notice.message
    assert "%" in notice.message


def test_a_triangle_soup_is_joined_where_its_vertices_meet() -> None:
    vertices, triangles = sphere()
    soup = vertices[triangles].reshape(-1, 3)
    cage = build_cage(soup, np.arange(len(soup)).reshape(-1, 3), 10)
    assert_sound(cage, soup)
    assert cage.notices == ()


def test_loose_vertices_are_bound_too() -> None:
    vertices, triangles = sphere()
    vertices = np.concatenate([vertices, [[0, 0, 0], [1.3, 0, 0], [40, 40, 40]]])
    cage = build_cage(vertices, triangles, 8)
    assert_sound(cage, vertices)
    assert np.isclose(cage.volume, enclosed_volume(vertices, triangles))


@pytest.mark.parametrize(
    ("vertices", "triangles", "resolution", "code"),
    [
        (np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]]), 8, "E_TET_VOLUME"),
        (np.zeros((3, 3)), np.array([[0, 1, 2]]), 8, "E_TET_VOLUME"),
        (cube()[0], np.zeros((0, 3), dtype=int), 8, "E_GEOM_EMPTY"),
        (cube()[0] * np.nan, cube()[1], 8, "E_GEOM_NONFINITE"),
        (*cube(), 1, "E_PARAM"),
        (*cube(), 129, "E_PARAM"),
    ],
)
def test_what_cannot_be_caged_is_refused(
    vertices: np.ndarray, triangles: np.ndarray, resolution: int, code: str
) -> None:
    with pytest.raises(XpbdError) as caught:
        build_cage(vertices, triangles, resolution, "Thing")
    assert caught.value.code == code
    assert caught.value.object_name == "Thing"


@given(st.integers(0, 100_000), st.integers(1, 40), st.integers(2, 12))
def test_random_triangles_get_a_sound_cage_or_are_refused(seed: int, count: int, resolution: int) -> None:
    rng = np.random.default_rng(seed)
    vertices = np.round(rng.uniform(-1, 1, (max(count // 2, 3), 3)), int(rng.integers(1, 8)))
    triangles = rng.integers(0, len(vertices), (count, 3))
    try:
        cage = build_cage(vertices, triangles, resolution)
    except XpbdError as error:
        assert error.code == "E_TET_VOLUME"  # noqa: PT017
        return
    volumes = signed_volumes(cage.vertices, cage.tetrahedra)
    assert (volumes > 0).all()
    rest = interpolate(cage.embedding_weights, cage.embedding_tetrahedra, cage.tetrahedra, cage.vertices)
    assert np.abs(rest - vertices).max() <= 1e-6 * np.ptp(vertices, axis=0).max()


@pytest.mark.parametrize("name", MESHES)
def test_real_meshes_get_sound_cages(meshes_folder: Path, name: str) -> None:
    vertices, triangles = read_obj(meshes_folder / f"{name}.obj")
    cage = build_cage(vertices, triangles, 16)
    assert_sound(cage, vertices)
    assert np.isclose(cage.volume, enclosed_volume(vertices, triangles), rtol=0.05)


def test_a_cage_takes_little_to_build() -> None:
    vertices, triangles = sphere(48, 24)
    tracemalloc.start()
    cage = build_cage(vertices, triangles, 32)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    count = len(cage.tetrahedra)
    assert count > 200_000
    assert peak < 360 * count
    assert held < 40 * count
