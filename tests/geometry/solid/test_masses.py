# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.solid.masses import surface_masses, tetrahedron_masses
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes

VERTICES = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2], [2, 2, 2]], dtype=float)
TETRAHEDRA = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])


def test_a_tetrahedron_weighs_the_same_at_every_corner() -> None:
    masses = tetrahedron_masses(VERTICES[:4], TETRAHEDRA[:1], 3.0)
    assert np.allclose(masses, 3.0 * (8 / 6) / 4, rtol=1e-15)


@given(st.floats(0.0, 1.0), st.floats(0.001, 1.0))
def test_the_total_is_density_times_filled_volume_and_nothing_is_weightless(first: float, second: float) -> None:
    fill = np.array([first, second])
    masses = tetrahedron_masses(VERTICES, TETRAHEDRA, 1000.0, fill)
    filled = np.abs(signed_volumes(VERTICES, TETRAHEDRA)) @ fill
    assert np.isclose(masses.sum(), 1000.0 * filled, rtol=1e-12)
    assert (masses > 0.0).all()


def test_an_area_is_shared_by_its_corners_and_loose_vertices_get_nothing() -> None:
    masses = surface_masses(VERTICES, np.array([[0, 1, 2]]), 0.3)
    assert np.allclose(masses, [0.2, 0.2, 0.2, 0.0, 0.0], rtol=1e-15)
