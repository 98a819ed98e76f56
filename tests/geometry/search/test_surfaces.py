# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of all objects, numbered through."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.search.surfaces import SurfaceMesh, build_surface_mesh, build_surfaces

QUAD = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


def quad(left_out: list[int] | None = None, loose: list[list[int]] | None = None, extra: int = 0) -> SurfaceMesh:
    """A quad, further points, and edges among them."""
    rest = np.concatenate([QUAD, np.full((extra, 3), 2.0)])
    return build_surface_mesh(
        rest,
        np.array([4], np.int32),
        np.arange(4, dtype=np.int32),
        None if loose is None else np.array(loose, np.int32),
        None if left_out is None else np.array(left_out, np.int32),
    )


def test_a_quad_is_two_triangles_with_their_diagonal() -> None:
    mesh = quad()
    assert mesh.triangles.shape == (2, 3)
    edges = {tuple(sorted(edge)) for edge in mesh.edges.tolist()}
    assert len(mesh.edges) == len(edges) == 5
    assert edges >= {(0, 1), (1, 2), (2, 3), (0, 3)}
    assert mesh.takes_part.all()


def test_loose_edges_are_added_and_none_stands_twice() -> None:
    mesh = quad(loose=[[5, 4], [1, 0]], extra=2)
    edges = [tuple(sorted(edge)) for edge in mesh.edges.tolist()]
    assert len(edges) == len(set(edges)) == 6
    assert (4, 5) in edges


def test_what_takes_no_part_is_marked() -> None:
    assert quad(left_out=[2]).takes_part.tolist() == [True, True, False, True]


def test_indices_count_through_all_objects() -> None:
    first, second = quad(loose=[[4, 5]], extra=2), quad(left_out=[0])
    both = build_surfaces([first, second], np.ones((2, 2), bool))
    assert both.object_count == 2
    assert both.point_starts.tolist() == [0, 6, 10]
    assert both.triangle_starts.tolist() == [0, 2, 4]
    assert both.edge_starts.tolist() == [0, 6, 11]
    assert both.point_objects.tolist() == [0] * 6 + [1] * 4
    np.testing.assert_array_equal(both.rest[6:], second.rest)
    np.testing.assert_array_equal(both.triangles[2:], second.triangles + 6)
    np.testing.assert_array_equal(both.edges[6:], second.edges + 6)
    assert np.flatnonzero(~both.takes_part).tolist() == [6]


def test_no_objects_are_no_surfaces() -> None:
    none = build_surfaces([], np.zeros((0, 0), bool))
    assert none.object_count == 0
    assert (none.rest.shape, none.triangles.shape, none.edges.shape) == ((0, 3), (0, 3), (0, 2))


@pytest.mark.parametrize("sees", [np.ones((1, 1), bool), np.array([[1, 1], [0, 1]], bool), np.ones((2, 3), bool)])
def test_who_is_seen_sees(sees: np.ndarray) -> None:
    with pytest.raises(ValueError, match="symmetric"):
        build_surfaces([quad(), quad()], sees)
