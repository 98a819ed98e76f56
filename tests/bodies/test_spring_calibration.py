# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of springs stretch like the material that they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from validation.linear import displacements, stiffness
from validation.meshes import cloth, grid, jelly, lattice_box

from blender_xpbd.bodies.shares import tetrahedron_shares
from blender_xpbd.bodies.spring_calibration import calibrated, solid_of_tetrahedra
from blender_xpbd.geometry.solid.tetrahedra import orient_positive, tetrahedron_edges

MODULUS = 1e4


def pulled(model, axis, modulus_of):
    """Young's modulus per given one and Poisson's ratio: its ends drawn apart along an axis, free to narrow."""
    x, other = model.positions, (axis + 1) % 3
    low, high = x[:, axis] < 1e-9, x[:, axis] > x[:, axis].max() - 1e-9
    matrix = stiffness(model)
    fixed = np.zeros(x.shape, bool)
    fixed[low | high, axis] = True
    # against moving and turning as a whole, without a force
    corner = np.flatnonzero(low)[np.argmin(x[low].sum(axis=1))]
    fixed[corner] = True
    far = np.flatnonzero(low)[np.argmax(x[low, other] - x[low, (axis + 2) % 3])]
    fixed[far, (axis + 2) % 3] = True
    if np.ptp(x[:, 2]) == 0.0:
        fixed[:, 2] = True
    given_places = np.zeros(x.shape)
    given_places[high, axis] = 0.01 * x[:, axis].max()
    u = displacements(matrix, np.zeros(x.shape), fixed, given_places)
    force = (matrix @ u.ravel()).reshape(-1, 3)[high, axis].sum()
    middle = np.abs(x[:, axis] / x[:, axis].max() - 0.5) < 0.3
    strain = [np.polyfit(x[middle, i], u[middle, i], 1)[0] for i in (axis, other)]
    return force / (modulus_of * strain[0]), -strain[1] / strain[0]


def bar(cells, shift=0.0, **values):
    vertices, tetrahedra = lattice_box((0.25, 0.25, 1.0), (cells, cells, 4 * cells))
    inside = ((vertices > 1e-9) & (vertices < np.array([0.25, 0.25, 1.0]) - 1e-9)).all(axis=1)
    moves = np.random.default_rng(0).uniform(-shift, shift, vertices.shape) * 0.25 / cells
    return jelly(vertices + moves * inside[:, None], tetrahedra, youngs_modulus=MODULUS, **values)


@pytest.mark.parametrize("ratio", [0.3, 0.45])
@pytest.mark.parametrize(("shift", "tolerance"), [(0.0, 0.02), (0.2, 0.03)])
def test_jelly_of_springs_has_its_modulus(ratio, shift, tolerance):
    model = bar(2, shift, solid_model="SPRINGS", poissons_ratio=ratio)
    modulus, narrowing = pulled(model, 2, MODULUS * 0.25**2)
    assert modulus == pytest.approx(1.0, rel=tolerance)
    assert narrowing == pytest.approx(ratio, abs=0.02)


def test_jelly_of_springs_has_its_modulus_where_they_bulge_more_than_asked():
    modulus, narrowing = pulled(bar(2, solid_model="SPRINGS", poissons_ratio=0.0), 2, MODULUS * 0.25**2)
    assert modulus == pytest.approx(1.0, rel=0.02)
    assert narrowing == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("model", ["NEO_HOOKEAN", "COROTATED"])
def test_elements_have_their_modulus(model):
    """The patch test that the springs are calibrated by, on what passes it exactly."""
    modulus, narrowing = pulled(bar(2, 0.2, solid_model=model, poissons_ratio=0.3), 2, MODULUS * 0.25**2)
    assert (modulus, narrowing) == pytest.approx((1.0, 0.3), rel=1e-6)


@pytest.mark.parametrize(("pattern", "tolerance"), [("quads", 1e-6), ("crossed", 0.03), ("triangles", 0.05)])
def test_cloth_of_springs_has_its_modulus(pattern, tolerance):
    model = cloth(grid(1.0, 0.25, 32, 8, pattern), stretch_stiffness=100.0, bending_model="NONE")
    modulus, narrowing = pulled(model, 0, 100.0 * 0.25)
    assert modulus == pytest.approx(1.0, rel=tolerance)
    if pattern != "triangles":
        # with one direction of diagonals a sheet shears instead of narrowing
        assert narrowing == pytest.approx(1 / 3, abs=0.03)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_shares_do_not_depend_on_place_turn_and_size(seed, size):
    random = np.random.default_rng(seed)
    vertices, tetrahedra = lattice_box((1.0, 1.0, 2.0), (1, 1, 2))
    tetrahedra = orient_positive(vertices, tetrahedra)
    vertices = vertices + random.uniform(-0.1, 0.1, vertices.shape)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    edges, fill = tetrahedron_edges(tetrahedra), random.uniform(0.1, 1.0, len(tetrahedra))
    found = []
    for x in (vertices, size * (vertices @ turn.T + random.normal(size=3))):
        shares = tetrahedron_shares(x, tetrahedra, fill, edges)
        found.append(calibrated(x, edges, shares, solid_of_tetrahedra(x, tetrahedra, fill)))
    assert (found[0] > 0.0).all()
    np.testing.assert_allclose(found[1], found[0] * size**3, rtol=1e-4)


def test_a_flat_tetrahedron_does_no_harm():
    vertices, tetrahedra = lattice_box((1.0, 1.0, 1.0), (1, 1, 1))
    tetrahedra = np.concatenate([orient_positive(vertices, tetrahedra), [[0, 1, 2, 3]]]).astype(np.int32)
    edges, fill = tetrahedron_edges(tetrahedra), np.ones(len(tetrahedra))
    shares = tetrahedron_shares(vertices, tetrahedra, fill, edges)
    better = calibrated(vertices, edges, shares, solid_of_tetrahedra(vertices, tetrahedra, fill))
    assert np.isfinite(better).all()
    assert (better > 0.0).all()
