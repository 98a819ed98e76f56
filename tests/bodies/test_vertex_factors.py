# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex groups scale the stiffness however it is given: by the material, as compliances, as the shares of PBD."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.settings import SolverSettings
from tests.bodies.test_materials import jelly
from tests.solver.scenes import cloth, pins, run, solver

WEIGHT = 0.25
OWN = {"stiffness_input": "COMPLIANCE"}
# how the stiffness is given: settings, then the material without a group, and the one that the group stands for
GIVEN = {
    "PBD": (
        {"solver_mode": "PBD", "iterations": 2},
        {"pbd_stretch_stiffness": 0.8, "pbd_bending_stiffness": 0.4, "pbd_volume_stiffness": 0.6},
        {"pbd_stretch_stiffness": 0.2, "pbd_bending_stiffness": 0.1, "pbd_volume_stiffness": 0.15},
    ),
    "COMPLIANCE": (
        {},
        {**OWN, "stretch_compliance": 1e-4, "bending_compliance": 0.5, "volume_compliance": 1e-7},
        {**OWN, "stretch_compliance": 4e-4, "bending_compliance": 2.0, "volume_compliance": 4e-7},
    ),
}
BODIES = {
    "cloth, dihedral": lambda values: cloth(5, bending_model="DIHEDRAL", **values),
    "cloth, distance": lambda values: cloth(5, bending_model="DISTANCE", **values),
    "cloth, isometric": lambda values: cloth(5, bending_model="ISOMETRIC", **values),
    "cloth that gives way": lambda values: cloth(5, compression_share=0.5, **values),
    "jelly": lambda values: jelly(resolution=3, **values),
}


def weighted(body, weight, *names):
    """The body with vertex groups of one weight for all vertices."""
    return replace(body, vertex_factors={name: np.full(body.vertex_count, weight, np.float32) for name in names})


def parameters(body, settings):
    return [block.parameters for block in build_body(body, settings).blocks]


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(("settings", "plain", "softer"), GIVEN.values(), ids=GIVEN)
def test_a_weight_stands_for_a_softer_material(make, settings, plain, softer):
    """All vertices of weight w are as a material of w times the stiffness: constraint by constraint."""
    chosen = SolverSettings(**settings)
    grouped = parameters(weighted(make(plain), WEIGHT, "stiffness", "bending"), chosen)
    for given, wanted, unlike in zip(
        grouped, parameters(make(softer), chosen), parameters(make(plain), chosen), strict=True
    ):
        np.testing.assert_allclose(given, wanted, rtol=1e-6)
        assert not np.allclose(given[:, -1], unlike[:, -1], rtol=1e-3)


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("factor", [0.0, 1.0, 5.0])
def test_shares_of_pbd_stay_shares(make, factor):
    settings = SolverSettings(solver_mode="PBD", iterations=3)
    for values in parameters(weighted(make({}), factor, "stiffness", "bending"), settings):
        assert ((values[:, -1] >= 0.0) & (values[:, -1] <= 1.0)).all()


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_rigid_springs_are_limp_only_at_weight_0(weight):
    body = weighted(cloth(5, bending_model="NONE", **OWN, stretch_compliance=0.0), weight, "stiffness")
    for values in parameters(body, SolverSettings()):
        assert (values[:, -1] > 1e6).all() if weight == 0.0 else (values[:, -1] == 0.0).all()


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize(
    ("settings", "values"),
    [({"solver_mode": "PBD"}, {}), ({}, {**OWN, "stretch_compliance": 1e-2})],
    ids=["PBD", "COMPLIANCE"],
)
def test_the_softer_half_hangs_lower(settings, values):
    """Half of a hanging cloth has a tenth of the stiffness."""
    body = cloth(8, damping=8.0, bending_model="NONE", **values)
    material = Material.from_values({**body.material.values(), "pbd_stretch_stiffness": 0.5})
    upright = replace(body, material=material, positions=body.positions[:, [0, 2, 1]])
    held = pins(upright.positions, np.arange(7, 64, 8))
    factors = np.where(upright.positions[:, 0] > 0, 0.1, 1.0).astype(np.float32)
    end = run(solver(replace(upright, pins=held, vertex_factors={"stiffness": factors}), **settings), 48)
    assert np.ptp(end[-8:, 2]) > np.ptp(end[:8, 2]) + 0.01
