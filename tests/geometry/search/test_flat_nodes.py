# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that a cone of normals is enough for; ``test_trees`` has sheets that are notched, folded and turned over."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.search.flat_nodes import flat_nodes
from blender_xpbd.geometry.search.primitives import PRIMITIVE_WIDTH, TRIANGLE, build_primitives
from tests.contacts.search.search_cases import sheet

SIZE = 12


def root(rest: np.ndarray, triangles: np.ndarray) -> int:
    """Of a tree that is one node."""
    primitives = build_primitives(triangles, np.zeros((0, 2), np.int32), np.ones(len(rest), bool))
    return int(flat_nodes(rest, primitives[primitives[:, TRIANGLE] >= 0], 0)[0][0])


def bent(radius: float) -> np.ndarray:
    """A square sheet of side 1.2 on a cylinder."""
    rest = sheet(SIZE, SIZE).rest - [0.6, 0.6, 0.0]
    angle = rest[:, 0] / radius
    return np.stack([radius * np.sin(angle), rest[:, 1], radius * np.cos(angle)], axis=1)


@pytest.mark.parametrize(("half_opening", "expected"), [(40.0, 1), (50.0, 0)])
def test_normals_must_lie_in_a_cone_of_45_degrees(half_opening: float, expected: int) -> None:
    # facets' normals reach to half a column before the ends
    radius = 0.6 * (1.0 - 1.0 / SIZE) / np.radians(half_opening)
    assert root(bent(radius), sheet(SIZE, SIZE).triangles) == expected


@pytest.mark.parametrize("angle", [10.0, 37.0, 90.0, 180.0])
@pytest.mark.parametrize("about", [0, 1])
def test_neither_place_nor_scale_nor_tilt_matters(about: int, angle: float) -> None:
    """Tilted about an edge; how a sheet is turned in its own plane does matter, for outlines have 32 directions."""
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    rotation = np.roll(np.array([[1.0, 0, 0], [0, cosine, -sine], [0, sine, cosine]]), (about, about), axis=(0, 1))
    mesh = sheet(SIZE, SIZE)
    for size in (1e-3, 1.0, 1e3):
        assert root(size * mesh.rest @ rotation.T + 5.0 * size, mesh.triangles) == 1


def test_a_spiral_staircase_has_equal_normals_and_is_not_flat() -> None:
    """One and a half turns of a flat ring that rises slowly: seen from above it lies over itself."""
    mesh = sheet(60, 3)
    angle = mesh.rest[:, 0] / mesh.rest[:, 0].max() * 3.0 * np.pi
    radius = 1.0 + mesh.rest[:, 1]
    rest = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.02 * angle], axis=1)
    assert root(rest, mesh.triangles) == 0


def test_a_hole_in_the_middle_is_seen() -> None:
    mesh = sheet(SIZE, SIZE)
    middles = mesh.rest[mesh.triangles].mean(axis=1)
    kept = np.abs(middles[:, :2] - 0.6).max(axis=1) > 0.2
    assert root(mesh.rest, mesh.triangles) == 1
    assert root(mesh.rest, mesh.triangles[kept]) == 0


def test_a_slit_of_no_width_is_seen() -> None:
    """Points along a line from the border to the middle are doubled."""
    mesh = sheet(SIZE, SIZE)
    on_line = np.flatnonzero((np.abs(mesh.rest[:, 0] - 0.6) < 1e-9) & (mesh.rest[:, 1] < 0.55))
    twins = np.arange(len(mesh.rest))
    twins[on_line] = len(mesh.rest) + np.arange(len(on_line))
    triangles = mesh.triangles.copy()
    right = mesh.rest[triangles].mean(axis=1)[:, 0] > 0.6
    triangles[right] = twins[triangles[right]]
    assert root(np.concatenate([mesh.rest, mesh.rest[on_line]]), triangles.astype(np.int32)) == 0


@pytest.mark.parametrize(("columns", "expected"), [(12, 1), (20, 0)])
def test_long_and_narrow_pieces_are_not_flat(columns: int, expected: int) -> None:
    mesh = sheet(columns, 4)
    assert root(mesh.rest, mesh.triangles) == expected


def test_what_has_no_triangles_is_not_flat() -> None:
    assert flat_nodes(np.zeros((0, 3)), np.zeros((0, PRIMITIVE_WIDTH), np.int32), 0)[0].tolist() == [0]
    points = build_primitives(np.zeros((0, 3), np.int32), np.zeros((0, 2), np.int32), np.ones(3, bool))
    assert flat_nodes(np.eye(3), points, 0)[0].tolist() == [0]
    # a loose point beside a triangle
    both = build_primitives(np.array([[0, 1, 2]], np.int32), np.zeros((0, 2), np.int32), np.ones(4, bool))
    assert flat_nodes(np.concatenate([np.eye(3), [[9.0, 9.0, 9.0]]]), both, 0)[0].tolist() == [0]


def test_threads_beside_a_sheet_change_nothing_of_it() -> None:
    """A scarf with a fringe: nodes share points that are on no triangle."""
    cloth = sheet(SIZE, SIZE)
    count, length = len(cloth.rest), len(cloth.triangles)
    rest = np.concatenate([cloth.rest, cloth.rest[-1] + np.outer(np.arange(1, length + 1), [0.1, 0.0, 0.0])])
    numbers = np.arange(count - 1, count + length, dtype=np.int32)
    threads = np.stack([numbers[:-1], numbers[1:]], axis=1)
    alone = build_primitives(cloth.triangles, np.zeros((0, 2), np.int32), np.ones(count, bool))
    both = build_primitives(cloth.triangles, threads, np.ones(len(rest), bool))
    assert len(both) == 2 * len(alone)
    flat, pairs = flat_nodes(rest, both, 4)
    expected, expected_pairs = flat_nodes(cloth.rest, alone, 3)
    # of the last level, the sheet's nodes come first
    np.testing.assert_array_equal(flat[15:23], expected[7:])
    assert not flat[23:].any()
    assert len(pairs) == len(expected_pairs)
