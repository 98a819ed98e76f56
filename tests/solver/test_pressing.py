# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly that lies on something keeps its gap, though elasticity presses all of its weight into what it lies on."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ipctk")

from contact_cases import shapes
from contact_cases.judge import Judge
from contact_cases.objects import cloth, floor, jelly

from blender_xpbd.contacts.pairs.tables import ANCHOR_FLOATS, ANCHOR_FORCE
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import pins, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 30
CLOTH = 17 * 17


def odd_ball():
    """A ball with bumps and a flat top."""
    places, faces = shapes.sphere(0.1, 3)
    way = places / 0.1
    bumps = 1.0 + 0.25 * np.sin(5.0 * way[:, :1]) * np.cos(4.0 * way[:, 1:2]) + 0.2 * (way[:, 2:] > 0.5)
    return places * bumps * [1.0, 1.0, 0.7], faces


def wedge():
    """A block that is wider above, and leans."""
    places, faces = shapes.box((0.2, 0.12, 0.14), (5, 3, 3))
    x, y, z = places.T
    return np.column_stack([x * (1.0 + 1.5 * z), y + 0.1 * z, z]), faces


def lying_on_jelly(mesh):
    below = jelly("below", shapes.moved(shapes.box((0.2, 0.2, 0.2), (4, 4, 4)), 0.0, 0.0, 0.105), resolution=4)
    return below, jelly("above", shapes.moved(mesh, 0.005, 0.003, 0.315), resolution=4)


def lying_on_cloth(mesh):
    below = cloth("below", shapes.moved(shapes.sheet(16, 16, 0.3, 0.3), 0.0, 0.0, 0.006))
    return below, jelly("above", shapes.moved(mesh, 0.005, 0.003, 0.115), resolution=4)


@pytest.mark.parametrize("make", [lying_on_jelly, lying_on_cloth])
@pytest.mark.parametrize(
    "mesh", [shapes.box((0.15, 0.15, 0.2), (3, 3, 4)), odd_ball(), wedge()], ids=["cube", "odd", "wedge"]
)
def test_a_jelly_keeps_its_gap_from_what_it_lies_on(make, mesh):
    """With ten substeps; a quarter to all of the gap was missing.

    Pairs of cloth with itself are not asked about: friction under the jelly may hold flat cloth squeezed in its plane,
    see docs/experiments.md, Jelly that lies on jelly.
    """
    bodies = make(mesh)
    content = scene(*bodies, colliders=[floor()], meet=True, substeps=10, frames=(1, FRAMES + 1), device="CPU")
    judge, between, simulation = Judge(content), Judge(content), Solver(build_system(content), ("SERIAL",))
    between.tangled = frozenset({0, 1})
    objects = simulation.system.objects
    errors = []
    for frame in range(1, FRAMES + 1):
        simulation.advance()
        if frame > FRAMES - 6:
            surface = simulation.surface(simulation.positions()).astype(np.float64) + simulation.system.origin
            places = judge.places(surface, frame)
            errors.append(between.gap_errors(places, objects.gaps, objects.is_open)[0])
            assert judge.crossings(places) == 0
    assert np.percentile(np.concatenate(errors), 99) < 0.05


def forces(simulation):
    """That pairs give again in the next substep [N]."""
    return simulation.checkpoint()["anchors"][:, ANCHOR_FORCE - ANCHOR_FLOATS]


def test_what_hangs_free_keeps_no_force():
    """A floor leaves a cloth with a jelly on it, which then hangs from its border."""
    below, above = lying_on_cloth(shapes.box((0.15, 0.15, 0.2), (3, 3, 4)))
    border = np.flatnonzero(np.abs(below.positions[:, :2]).max(axis=1) > 0.149)
    below = replace(below, pins=pins(below.positions, border))
    transforms = np.tile(np.eye(4), (13, 1, 1))
    transforms[3:, 2, 3] = -0.3 * np.arange(1, 11)
    bodies, leaving = (below, above), plane(transforms=transforms)
    content = scene(*bodies, colliders=[leaving], meet=True, substeps=10, frames=(1, 13), device="CPU")
    simulation = Solver(build_system(content), ("SERIAL",))
    found, speeds = [], []
    for _ in range(12):
        simulation.advance()
        found.append(float(forces(simulation).max(initial=0.0)))
        speeds.append(float(np.linalg.norm(simulation.checkpoint()["velocities"][:CLOTH, :3], axis=1).max()))
    assert max(found[:4]) > 0.0
    assert found[-3:] == [0.0, 0.0, 0.0]
    # it does not shoot away where its backing was: in the four frames after, what falls freely reaches 1.6 m/s
    assert max(speeds[2:6]) < 1.6
