# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of a cage lie where the mesh's own do, by the divergence theorem."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.balance import MOST_SCALE, MOST_SHIFT
from blender_xpbd.geometry.cage.cage import Cage, build_cage
from blender_xpbd.geometry.solid.masses import tetrahedron_masses
from tests.geometry.surfaces import (
    centre_of_mass,
    cone,
    cube,
    enclosed_volume,
    join,
    read_obj,
    rotation_of_seed,
    sphere,
    torus,
    two_fingers,
)

CLOSED = {"cube": cube(), "sphere": sphere(), "torus": torus(), "cone": cone(), "fingers": two_fingers(0.5)}
MESHES = ["spot", "fandisk", "rocker-arm", "cheburashka"]


def lumped(cage: Cage) -> np.ndarray:
    """Masses at a density of 1, without the factors."""
    return tetrahedron_masses(cage.vertices, cage.tetrahedra, 1.0, cage.fill)


def distance(masses: np.ndarray, cage: Cage, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Between the centres of mass of a cage and of its mesh, in sizes of the mesh."""
    apart = masses @ cage.vertices / masses.sum() - centre_of_mass(vertices, triangles)
    return float(np.linalg.norm(apart) / np.ptp(vertices, axis=0).max())


def assert_balanced(vertices: np.ndarray, triangles: np.ndarray, resolution: int) -> None:
    """By its fill alone a cage weighs nearly right, and with its factors exactly."""
    cage = build_cage(vertices, triangles, resolution)
    masses = lumped(cage)
    assert distance(masses, cage, vertices, triangles) < 2e-3 * 8 / resolution
    masses *= cage.mass_factors
    assert distance(masses, cage, vertices, triangles) < 1e-9
    assert masses.sum() == pytest.approx(enclosed_volume(vertices, triangles), rel=1e-9)
    assert np.abs(cage.mass_factors - 1.0).max() < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("resolution", [8, 16])
@pytest.mark.parametrize("name", CLOSED)
@given(seed=st.integers(0, 10_000))
def test_a_cage_weighs_what_its_mesh_does_where_it_does(name: str, resolution: int, seed: int) -> None:
    vertices, triangles = CLOSED[name]
    assert_balanced(vertices @ rotation_of_seed(seed).T + [3.0, -2.0, 40.0], triangles, resolution)


@pytest.mark.parametrize("resolution", [8, 16, 32])
@pytest.mark.parametrize("name", MESHES)
def test_real_meshes_do_too(meshes_folder: Path, name: str, resolution: int) -> None:
    vertices, triangles = read_obj(meshes_folder / f"{name}.obj")
    for seed in range(2):
        assert_balanced(vertices @ rotation_of_seed(seed).T, triangles, resolution)


@pytest.mark.parametrize("resolution", [8, 16, 32])
@pytest.mark.parametrize("name", CLOSED)
def test_what_stands_upright_too(name: str, resolution: int) -> None:
    assert_balanced(*CLOSED[name], resolution)


def test_each_part_of_a_mesh_has_its_own_centre() -> None:
    ball, triangles = sphere()
    far, near = torus()
    vertices, faces = join((ball, triangles), (far @ rotation_of_seed(2).T * 0.7 + [2.3, 0.4, 0.1], near))
    cage = build_cage(vertices, faces, 20)
    masses = lumped(cage) * cage.mass_factors
    for own, side in ((faces[: len(triangles)], cage.vertices[:, 0] < 1.2), (faces[len(triangles) :], None)):
        mine = side if side is not None else cage.vertices[:, 0] >= 1.2
        assert masses[mine].sum() == pytest.approx(enclosed_volume(vertices, own), rel=1e-9)
        centre = masses[mine] @ cage.vertices[mine] / masses[mine].sum()
        assert np.allclose(centre, centre_of_mass(vertices, own), atol=1e-9)


def test_surfaces_inside_out_or_hollow_too() -> None:
    ball, triangles = sphere()
    cage = build_cage(ball, triangles[:, ::-1], 8)
    assert distance(lumped(cage) * cage.mass_factors, cage, ball, triangles) < 1e-9
    hollow = join((ball, triangles), (ball * 0.5 + [0.2, 0.1, 0.0], triangles[:, ::-1]))
    assert_balanced(*hollow, 12)


def test_open_and_overlapping_surfaces_keep_their_samples() -> None:
    ball, triangles = sphere()
    cut = build_cage(ball, triangles[(ball[triangles][:, :, 2] < 0.9).all(axis=1)], 12)
    assert (cut.mass_factors == 1.0).all()
    overlapping = join((ball, triangles), (ball + np.array([1.0, 0.0, 0.0]), triangles))
    cage = build_cage(*overlapping, 12)
    assert (cage.mass_factors == 1.0).all()
    assert np.allclose(lumped(cage) @ cage.vertices / lumped(cage).sum(), [0.5, 0.0, 0.0], atol=1e-4)


@given(st.integers(0, 100_000), st.integers(2, 10))
def test_factors_are_bounded_whatever_the_mesh(seed: int, resolution: int) -> None:
    rng = np.random.default_rng(seed)
    vertices, triangles = sphere(8, 5)
    squeezed = vertices * rng.uniform(0.01, 1.0, 3) @ rotation_of_seed(seed).T
    bent = squeezed + 0.3 * rng.uniform(-1.0, 1.0) * squeezed[:, ::-1] ** 2
    cage = build_cage(bent, triangles, resolution)
    assert cage.mass_factors.min() >= (1.0 - MOST_SHIFT) / MOST_SCALE
    assert cage.mass_factors.max() <= (1.0 + MOST_SHIFT) * MOST_SCALE
