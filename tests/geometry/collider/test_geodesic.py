# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball as a closed mesh."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.collider.geodesic import geodesic_sphere
from blender_xpbd.geometry.surface.topology import unique_edges


@pytest.mark.parametrize("divisions", [1, 2, 3, 7, 20])
def test_it_is_closed_outward_and_round(divisions: int) -> None:
    vertices, triangles = geodesic_sphere(divisions)
    assert len(vertices) == 10 * divisions**2 + 2
    assert len(triangles) == 20 * divisions**2
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 1.0, atol=1e-12)
    edges = unique_edges(np.full(len(triangles), 3, np.int32), triangles.ravel())
    assert len(vertices) - len(edges) + len(triangles) == 2
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(directed, axis=0)) == len(directed)
    corners = vertices[triangles]
    assert (np.linalg.det(corners) > 0.0).all()


def test_its_faces_are_alike() -> None:
    vertices, triangles = geodesic_sphere(12)
    corners = vertices[triangles]
    lengths = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    assert lengths.max() < 1.5 * lengths.min()
    # the middle of a face with edges w is w²/6 inside
    depth = 1.0 - np.linalg.norm(corners.mean(axis=1), axis=1).min()
    assert depth < 1.2 * lengths.max() ** 2 / 6.0
