# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that has its own share of gravity behaves the same, whatever else falls in the scene."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.grain_scenes import block, grains
from tests.solver.scenes import cloth, jelly_cube, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SLOPE = 0.3


def on_a_slope(points):
    """Points that touch a plane which is tilted about the Y axis."""
    turn = np.array([[np.cos(SLOPE), 0, np.sin(SLOPE)], [0, 1, 0], [-np.sin(SLOPE), 0, np.cos(SLOPE)]])
    return points @ turn.T


def sliding_grains():
    """They would rest by the thresholds of a body that is ten times as heavy."""
    layer = block((3, 3, 1), 0.02, spacing=3.0, jitter=0.0)
    layer[:, 2] = 0.02
    return replace(grains(on_a_slope(layer), radius=0.02, friction=0.0, gravity_factor=0.1), name="Light")


def lying_sheet():
    sheet = cloth(4, gravity_factor=0.2, friction=0.5)
    lifted = sheet.positions - sheet.positions.mean(axis=0) + [0.0, 0.0, sheet.material.contact_offset]
    return replace(sheet, positions=on_a_slope(lifted))


def falling_cube():
    return jelly_cube(0.2, 0.1, 3, youngs_modulus=3e4, restitution=0.8, gravity_factor=0.2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "collider", "integration", "frames"),
    [
        (sliding_grains, plane(angle=SLOPE, friction=0.0), "SYMPLECTIC_EULER", 24),
        (lying_sheet, plane(angle=SLOPE), "BDF2", 24),
        (falling_cube, plane(restitution=0.8), "SYMPLECTIC_EULER", 30),
    ],
    ids=["grains", "sheet", "cube"],
)
def test_what_falls_far_away_changes_nothing(make, collider, integration, frames):
    body = make()
    other = replace(cloth(3), identifier="far", name="Far")
    other = replace(other, positions=other.positions + np.array([0.0, 3.0, 50.0]))
    found = []
    for bodies in ((body,), (body, other)):
        settings = {"substeps": 10, "time_integration": integration, "precision": "DOUBLE"}
        simulation = Solver(build_system(scene(*bodies, colliders=[collider], **settings)))
        for _ in range(frames):
            simulation.advance()
        count = simulation.system.starts[1]
        found.append(simulation.positions()[:count] + simulation.system.origin)
    assert np.abs(found[0] - found[1]).max() < 1e-4
