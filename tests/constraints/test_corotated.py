# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of co-rotated tetrahedra; what they have in common with neo-Hookean ones is in
``test_elastic_tetrahedra``.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints.corotated import build_corotated
from tests.constraints.projection_kernel import projected
from tests.geometry.surfaces import rotation_of_seed

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
ORDER = np.array([[0, 1, 2, 3]], np.int32)


@given(st.integers(0, 10_000), st.tuples(*[st.floats(0.2, 3.0)] * 3))
def test_shape_and_volume_are_those_of_the_principal_stretches(seed, stretches):
    """F = R U diag(s) Uᵀ has |F − R| = √Σ(s − 1)² and tr(RᵀF) − 3 = Σ(s − 1), however it is turned."""
    axes, turn = rotation_of_seed(seed), rotation_of_seed(seed + 1)
    block = build_corotated(REST, ORDER, 1e3, 0.3)
    deformed = REST @ (turn @ axes @ np.diag(stretches) @ axes.T).T + [1.0, 2.0, 3.0]
    excess = np.array(stretches) - 1.0
    expected = [np.linalg.norm(excess), excess.sum()]
    np.testing.assert_allclose(block.type.evaluate(deformed, block)[0], expected, atol=1e-9)


@given(st.integers(0, 10_000), st.floats(0.05, 0.9))
def test_an_inverted_one_is_measured_from_a_rotation_not_a_reflection(seed, least):
    """The axis of the least stretch counts as turned inside out."""
    axes = rotation_of_seed(seed)
    block = build_corotated(REST, ORDER, 1e3, 0.3)
    deformed = REST @ (axes @ np.diag([1.0, 1.0, -least]) @ axes.T).T
    np.testing.assert_allclose(block.type.evaluate(deformed, block)[0], [1.0 + least, -1.0 - least], atol=1e-9)


@pytest.mark.parametrize(("poissons_ratio", "ratio"), [(0.0, 0.0), (0.25, 0.5), (0.4, 2.0)])
def test_parameters_are_those_of_the_lame_constants(poissons_ratio, ratio):
    """λ/(2μ) = ν/(1 − 2ν), and 1/α = 2μV, of which only the filled share counts."""
    modulus, volume = 1e3, np.linalg.det(REST[1:] - REST[0]) / 6.0
    mu = modulus / (2.0 * (1.0 + poissons_ratio))
    for fill in (1.0, 0.25):
        block = build_corotated(REST, ORDER, modulus, poissons_ratio, fill)
        np.testing.assert_allclose(block.parameters[0, 9:], [ratio, 1.0 / (2.0 * mu * volume * fill)], rtol=1e-9)


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("seed", range(3))
def test_a_turned_tetrahedron_is_at_rest(seed):
    turned = REST @ rotation_of_seed(seed).T
    moved, _ = projected(build_corotated(REST, ORDER, 1e6, 0.3), turned, np.ones(4), 1e4)
    np.testing.assert_allclose(moved, turned, atol=3e-6)
