# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses itself at vertices alone is found; what touches itself, or crosses by more, is not."""

import numpy as np
import pytest

from blender_xpbd.contacts.search.crossings import CrossingSearch
from blender_xpbd.contacts.search.own_ties import own_ties
from tests.contacts.pairs.tangled_sheets import surfaces_of, tangled_surfaces
from tests.contacts.search.test_touching import grid
from tests.solver.ribbons import as_alpha

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def joined(*meshes):
    """Meshes as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    triangles = [faces + start for (_, faces), start in zip(meshes, starts, strict=False)]
    return np.concatenate([points for points, _ in meshes]), np.concatenate(triangles)


def turned(mesh):
    """A mesh that is turned and moved, rounded as Blender's meshes are."""
    points, triangles = mesh
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    return (points @ turn + 0.3).astype(np.float32).astype(np.float64), triangles


def tied(mesh):
    """How often a mesh crosses itself at vertices alone."""
    surfaces, positions = surfaces_of([mesh])
    return len(own_ties(CrossingSearch(surfaces), surfaces, positions))


UPRIGHT = grid((2, 1, 0))
CROSSING = {
    "two grids along their lines": joined(grid(), UPRIGHT),
    "on edges": joined(grid(), grid((2, 1, 0), at=(0.0, 1.0 / 16.0, 0.0))),
    "three grids": joined(grid(), UPRIGHT, grid((0, 2, 1))),
    "a ribbon through itself": as_alpha(),
}


@pytest.mark.parametrize("change", [lambda mesh: mesh, turned], ids=["level", "turned"])
@pytest.mark.parametrize("mesh", CROSSING.values(), ids=CROSSING)
def test_what_crosses_itself_at_vertices_is_found(mesh, change):
    assert tied(change(mesh)) > 0


TOUCHING = {
    "a grid": grid(),
    "one on the other's border": joined(grid(), grid((2, 1, 0), at=(0.5, 0.0, 0.0))),
    "one on the other": joined(grid(), grid((2, 1, 0), at=(1.0 / 16.0, 0.0, 0.5))),
    "copies": joined(grid(), grid()),
    "copies aside": joined(grid(), grid(at=(1.0 / 16.0, 0.03, 0.0))),
    "apart": joined(grid(), grid(at=(0.0, 0.0, 0.1))),
}


@pytest.mark.parametrize("change", [lambda mesh: mesh, turned], ids=["level", "turned"])
@pytest.mark.parametrize("mesh", TOUCHING.values(), ids=TOUCHING)
def test_what_touches_itself_is_not(mesh, change):
    assert tied(change(mesh)) == 0


@pytest.mark.parametrize("way", ["loop", "neck", "pinch", "cone"])
def test_what_crosses_itself_by_more_is_not(way):
    surfaces, positions, _ = tangled_surfaces(way)
    assert len(own_ties(CrossingSearch(surfaces), surfaces, positions)) == 0
