# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.geometry.surface.mesh_checks import check_mesh
from blender_xpbd.scene.errors import XpbdError
from tests.geometry.surfaces import cube


def faces_of(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.full(len(triangles), 3), triangles.reshape(-1)


def test_a_clean_mesh_passes_without_notice() -> None:
    vertices, triangles = cube()
    clean, notices = check_mesh(vertices, *faces_of(triangles), "Cube")
    assert np.array_equal(clean, triangles)
    assert notices == []


def test_loose_degenerate_and_repeated_parts_are_counted_and_vertices_kept() -> None:
    vertices, triangles = cube()
    vertices = np.concatenate([vertices, [[9, 9, 9], [3, 3, 3]]])
    dirty = np.concatenate([triangles, triangles[:1, [1, 2, 0]], [[0, 0, 1]]])
    clean, notices = check_mesh(vertices, *faces_of(dirty), "Cube")
    assert np.array_equal(clean, triangles)
    assert [notice.code for notice in notices] == ["W_GEOM_LOOSE", "W_GEOM_DEGENERATE"]
    assert "2 vertices" in notices[0].message
    assert "2 triangles" in notices[1].message
    assert notices[0].object_name == "Cube"


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_small_and_large_triangles_are_not_degenerate(scale: float) -> None:
    vertices, triangles = cube()
    assert len(check_mesh(vertices * scale, *faces_of(triangles), "Cube")[0]) == 12


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_coordinate_that_is_not_finite_is_named(value: float) -> None:
    vertices, triangles = cube()
    vertices[5, 1] = value
    with pytest.raises(XpbdError, match="vertex 5") as caught:
        check_mesh(vertices, *faces_of(triangles), "Cube")
    assert caught.value.code == "E_GEOM_NONFINITE"
    assert caught.value.object_name == "Cube"


@pytest.mark.parametrize("triangles", [np.zeros((0, 3), dtype=int), np.array([[0, 1, 1]])])
def test_a_mesh_without_usable_faces_is_refused(triangles: np.ndarray) -> None:
    with pytest.raises(XpbdError) as caught:
        check_mesh(cube()[0], *faces_of(triangles), "Cube")
    assert caught.value.code == "E_GEOM_EMPTY"
