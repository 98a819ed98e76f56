# SPDX-License-Identifier: GPL-3.0-or-later
"""A patch that is held at a point of an edge; what holds for all constraints is in ``test_all_constraints``."""

import numpy as np
import pytest

from blender_xpbd.constraints.attachments.patch_attachment import build_patch_attachment
from tests.constraints.projection_kernel import projected

pytestmark = pytest.mark.usefixtures("taichi_cpu")

CUBE = np.stack(np.meshgrid(*[np.arange(3.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
MASSES = np.random.default_rng(0).uniform(0.5, 2.0, len(CUBE))
# the cube is held at a corner
CORNER = np.array([2.0, 2.0, 2.0])
EDGE = np.array([[2.0, 2.0, 1.0], [2.0, 2.0, 5.0]])
SHARES = np.array([0.75, 0.25])
REST = np.concatenate([CUBE, EDGE])
EVERY = np.concatenate([1.0 / MASSES, [0.5, 2.0]])
COUNT = len(CUBE)


def held(compliance=0.0):
    ends = np.array([COUNT, COUNT + 1], np.int32)
    return build_patch_attachment(
        np.arange(COUNT, dtype=np.int32), CUBE, MASSES, CORNER, ends, SHARES, compliance
    )  # fmt: skip


def pulled(way):
    """The edge has gone a way from the cube."""
    places = REST.copy()
    places[COUNT:] += way
    return places


def is_rigid(places):
    """How far the cube is from its shape."""
    far = np.linalg.norm(places[:COUNT, None] - places[:COUNT], axis=2)
    return np.abs(far - np.linalg.norm(CUBE[:, None] - CUBE, axis=2)).max()


def test_it_is_held_at_its_corner():
    moved, _ = projected(held(), pulled([0.1, -0.05, 0.2]), EVERY, iterations=8)
    np.testing.assert_allclose(held().type.evaluate(moved, held()), 0.0, atol=1e-5)
    np.testing.assert_allclose(moved[COUNT - 1], SHARES @ moved[COUNT:], atol=0.01)


def test_it_moves_as_what_is_rigid_and_keeps_both_momenta():
    places = pulled([0.1, -0.05, 0.2])
    moved, _ = projected(held(), places, EVERY)
    impulse = (moved - places) / EVERY[:, None]
    assert np.abs(impulse).max() > 0.01
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(np.cross(places, impulse).sum(axis=0), 0.0, atol=1e-4)
    # of second order in a turn of 0.05
    assert is_rigid(moved) < 0.01


def test_a_triangle_holds_it_as_an_edge_does():
    """Of a triangle with a share of 0 at one corner, and turned so that this is the first."""
    ends = np.array([COUNT + 2, COUNT, COUNT + 1], np.int32)
    shares = np.array([0.0, *SHARES])
    triangle = build_patch_attachment(np.arange(COUNT, dtype=np.int32), CUBE, MASSES, CORNER, ends, shares, 0.0)
    places = np.concatenate([pulled([0.1, -0.05, 0.2]), [[4.0, 0.0, 0.0]]])
    moved, _ = projected(triangle, places, np.append(EVERY, 3.0))
    np.testing.assert_allclose(moved[:-1], projected(held(), places[:-1], EVERY)[0], atol=1e-6)
    np.testing.assert_array_equal(moved[-1], places[-1].astype(np.float32))


def test_it_turns_about_the_point_freely():
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    places = REST.copy()
    places[:COUNT] = (CUBE - CORNER) @ turn.T + CORNER
    moved, _ = projected(held(), places, EVERY)
    np.testing.assert_allclose(moved, places, atol=1e-5)


def test_a_soft_one_gives():
    """One substep is backward Euler: of the gap α̃/(w + α̃) is left along the line to the centre, where nothing turns."""
    way = 0.1 * (CORNER - MASSES @ CUBE / MASSES.sum())
    weight = 1.0 / MASSES.sum() + SHARES**2 @ EVERY[COUNT:]
    for compliance in (0.1, 1.0):
        moved, _ = projected(held(compliance), pulled(way), EVERY)
        left = held().type.evaluate(moved, held())[0]
        np.testing.assert_allclose(left, -compliance / (weight + compliance) * way, atol=1e-4)
