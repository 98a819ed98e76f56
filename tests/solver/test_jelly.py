# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly as a whole: one projection per substep against many."""

import pytest

from validation.meshes import jelly, lattice_box
from validation.simulation import held, run, start

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def elongation(substeps, iterations):
    """Of a bar that hangs by its end and came to rest [m]."""
    vertices, tetrahedra = lattice_box((0.1, 0.1, 0.3), (2, 2, 6))
    body = jelly(vertices, tetrahedra, density=1000.0, youngs_modulus=20e3, damping=12.0)
    low = vertices[:, 2] < 1e-9
    solver = start(held(body, vertices[:, 2] > 0.3 - 1e-9), substeps, iterations)
    return -float(run(solver, 30)[low, 2].mean())


def test_one_projection_hangs_as_many_do():
    once, often = elongation(40, 1), elongation(10, 12)
    assert often > 0.015
    assert once == pytest.approx(often, rel=0.03)
