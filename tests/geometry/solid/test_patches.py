# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of a solid hang together, and the surface by which they hang on the rest is measured."""

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.geometry.solid.patches import Solid, cut_area, patch_around
from blender_xpbd.geometry.solid.tetrahedra import signed_volumes
from blender_xpbd.scene.settings import SolverSettings
from tests.solver.scenes import jelly_cube


def solid(size=1.0, resolution=16):
    """A cube of which all is free."""
    model = build_body(jelly_cube(size, 0.0, resolution), SolverSettings())
    volumes = signed_volumes(model.positions, model.tetrahedra)
    return Solid(model.positions, np.ones(len(model.positions), np.bool_), model.edges, model.tetrahedra, volumes)


def nearest(body, point):
    return np.array([np.linalg.norm(body.positions - point, axis=1).argmin()], np.int32)


@pytest.mark.parametrize(
    ("point", "share"), [((0.0, 0.0, 1.0), 1 / 2), ((0.5, 0.0, 1.0), 1 / 4), ((0.5, 0.5, 1.0), 1 / 8)]
)
def test_a_patch_is_a_part_of_a_ball(point, share):
    body, radius = solid(), 0.4
    patch = patch_around(body, np.array(point), nearest(body, point), radius)
    assert np.linalg.norm(body.positions[patch] - point, axis=1).max() <= radius
    assert cut_area(body, patch) == pytest.approx(share * 4.0 * np.pi * radius**2, rel=0.35)


def test_what_does_not_hang_together_with_the_point_is_left_out():
    body = solid()
    # a slit above which the point is
    gap = (body.positions[:, 2] > 0.6) & (body.positions[:, 2] < 0.8)
    point = np.array([0.0, 0.0, 1.0])
    patch = patch_around(body._replace(is_free=~gap), point, nearest(body, point), 0.9)
    assert len(patch)
    assert (body.positions[patch, 2] >= 0.8).all()


def test_what_carries_the_point_is_in_it_however_small_it_is():
    body, point = solid(), np.array([0.0, 0.0, 1.0])
    carrying = nearest(body, point)
    np.testing.assert_array_equal(patch_around(body, point, carrying, 0.0), carrying)
