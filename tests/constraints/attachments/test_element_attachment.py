# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of elements held together."""

import numpy as np
import pytest

from blender_xpbd.constraints.attachments.element_attachment import build_element_attachment, build_weld
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def test_a_weld_brings_particles_to_their_centre_of_mass():
    positions = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, -1.0]])
    moved, _ = projected(build_weld(np.array([[0, 1]], np.int32)), positions, [1.0, 3.0])
    np.testing.assert_allclose(moved, np.tile([0.25, 0.5, -0.25], (2, 1)), atol=1e-6)


def test_a_vertex_and_a_triangle_meet_in_one_projection_and_keep_momentum():
    positions = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, 0.7]])
    weights = np.array([[0.5, 0.2, 0.3, 0.0]])
    masses = np.array([1.0, 2.0, 0.5, 1.5])
    block = build_element_attachment(
        np.array([[3, 3, 3, 3]], np.int32),
        np.array([[1.0, 0.0, 0.0, 0.0]]),
        np.array([[0, 1, 2, 2]], np.int32),
        weights,
        0.0,
    )
    moved, _ = projected(block, positions, 1.0 / masses)
    np.testing.assert_allclose(moved[3], weights[0, :3] @ moved[:3], atol=1e-6)
    np.testing.assert_allclose(masses @ moved, masses @ positions, atol=1e-6)
    before, after = (np.cross(positions, masses[:, None] * x).sum(axis=0) for x in (positions, moved))
    np.testing.assert_allclose(after, before, atol=1e-6)


def test_weights_of_a_particle_that_repeats_are_summed():
    positions = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    split = build_element_attachment(
        np.array([[0, 0, 0, 0]], np.int32),
        np.full((1, 4), 0.25),
        np.array([[1, 0, 1, 1]], np.int32),
        np.array([[0.5, 0.0, 0.25, 0.25]]),
        0.2,
    )
    whole = build_weld(np.array([[0, 1]], np.int32), 0.2)
    for block in (split, whole):
        moved, _ = projected(block, positions, [1.0, 1.0])
        np.testing.assert_allclose(moved[:, 0], [1.0 / 2.2, 1.0 - 1.0 / 2.2], atol=1e-6)


def test_infinite_compliance_attaches_nothing():
    assert len(build_weld(np.array([[0, 1], [1, 2]], np.int32), np.array([np.inf, 0.0]))) == 1
