# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.cage.filling import inside_shares
from blender_xpbd.geometry.cage.lattice import TETRAHEDRON_VOLUME, Lattice
from tests.geometry.surfaces import cone, cube, enclosed_volume, join, rotation_of_seed, sphere, torus, two_fingers

SHAPES = {"cube": cube(), "sphere": sphere(), "torus": torus(), "cone": cone(), "fingers": two_fingers(0.5)}


def in_lattice(points: np.ndarray, cells: int) -> tuple[Lattice, np.ndarray]:
    """A lattice of some cells a side, and the points in its middle, an empty cell from its border."""
    extent = np.ptp(points, axis=0)
    scaled = (points - points.min(axis=0) - 0.5 * extent) * ((cells - 2) / extent.max())
    return Lattice((cells, cells, cells)), scaled + 0.5 * cells


def shares(lattice: Lattice, points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Of all tetrahedra."""
    return inside_shares(lattice, points, triangles, np.ones(lattice.tetrahedron_count, dtype=bool))


def centroids(lattice: Lattice) -> np.ndarray:
    """Of all tetrahedra."""
    return lattice.corners(np.arange(lattice.tetrahedron_count)).mean(axis=1) * 0.5


@pytest.mark.parametrize("name", SHAPES)
@given(seed=st.integers(0, 10_000), axis=st.integers(0, 2), cells=st.integers(5, 9))
def test_mirrored_solids_are_filled_in_mirror_images(name: str, seed: int, axis: int, cells: int) -> None:
    vertices, triangles = SHAPES[name]
    lattice, points = in_lattice(vertices @ rotation_of_seed(seed).T, cells)
    mirrored = points.copy()
    mirrored[:, axis] = cells - mirrored[:, axis]
    own, other = shares(lattice, points, triangles), shares(lattice, mirrored, triangles[:, ::-1])
    middles = centroids(lattice)
    within = np.flatnonzero(((middles > 1.0) & (middles < cells - 1.0)).all(axis=1))
    places = middles[within]
    places[:, axis] = cells - places[:, axis]
    assert np.allclose(other[lattice.locate(places)], own[within], atol=1e-9)
    assert own.max() > 0.3


@pytest.mark.parametrize("name", SHAPES)
@given(seed=st.integers(0, 10_000))
def test_the_shares_sum_to_the_volume(name: str, seed: int) -> None:
    vertices, triangles = SHAPES[name]
    lattice, points = in_lattice(vertices @ rotation_of_seed(seed).T, 12)
    volume = shares(lattice, points, triangles).sum() * TETRAHEDRON_VOLUME
    assert volume == pytest.approx(enclosed_volume(points, triangles), rel=0.01)


def test_the_share_of_a_tetrahedron_is_that_of_points_in_it() -> None:
    vertices, triangles = sphere(96, 48)
    lattice, points = in_lattice(vertices @ rotation_of_seed(3).T, 10)
    found = shares(lattice, points, triangles)
    # 969 points, evenly in a tetrahedron
    steps = np.array([(i, j, k, 16 - i - j - k) for i in range(17) for j in range(17 - i) for k in range(17 - i - j)])
    weights = (steps + 0.25) / 17.0
    radius = np.cbrt(enclosed_volume(points, triangles) * 0.75 / np.pi)
    expected = np.zeros_like(found)
    for tetrahedron, corners in enumerate(lattice.corners(np.arange(lattice.tetrahedron_count)) * 0.5):
        expected[tetrahedron] = (np.linalg.norm(weights @ corners - 5.0, axis=1) < radius).mean()
    cut = (expected > 0.0) & (expected < 1.0)
    assert cut.sum() > 500
    assert np.sqrt(((found - expected)[cut] ** 2).mean()) < 0.05
    assert np.allclose(found[~cut], expected[~cut], atol=0.1)


def test_what_is_wound_around_twice_or_inside_out_counts_once() -> None:
    vertices, triangles = sphere()
    lattice, points = in_lattice(vertices, 8)
    once = shares(lattice, points, triangles)
    assert np.allclose(shares(lattice, points, triangles[:, ::-1]), once, atol=1e-9)
    assert np.allclose(shares(lattice, *join((points, triangles), (points, triangles))), once, atol=1e-9)
