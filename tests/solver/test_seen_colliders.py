# SPDX-License-Identifier: GPL-3.0-or-later
"""A body passes through the colliders that it does not see, whatever their shape, and falls as if there were none."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import COLOURS, SERIAL
from blender_xpbd.solver.system.contact_objects import unseen_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def collider(shape, identifier="c0"):
    """A collider whose top is at a height of 0.2 m."""
    if shape == "PLANE":
        made = plane(0.2)
    elif shape == "SPHERE":
        made = Collider("", "Ball", "SPHERE", np.eye(4)[None], radius=0.2)
    else:
        made = mesh_box(0.2)
    return replace(made, identifier=identifier)


def seeing(body, *identifiers):
    return replace(body, contact=replace(body.contact, sees=identifiers))


def ending(*bodies, path=SERIAL, **keywords):
    """Positions of the bodies' particles after ten frames, a fall of 0.85 m, and where those of each begin."""
    simulation = Solver(build_system(scene(*bodies, meet=True, **keywords)), (path,))
    for _ in range(10):
        simulation.advance()
    starts = simulation.system.starts
    return (simulation.positions() + simulation.system.origin)[: starts[-1]], starts


@pytest.mark.slow
@pytest.mark.parametrize("make", [cloth, jelly_cube], ids=["cloth", "jelly"])
@pytest.mark.parametrize("shape", ["PLANE", "SPHERE", "MESH"])
def test_what_is_not_seen_changes_nothing(shape, make):
    body = cloth(6, size=0.3, height=0.25) if make is cloth else jelly_cube(0.2, 1.3, 3)
    free, _ = ending(body)
    unseen, _ = ending(seeing(body), colliders=[collider(shape)])
    held, _ = ending(body, colliders=[collider(shape)])
    np.testing.assert_array_equal(unseen, free)
    assert np.abs(held - free).max() > 0.1


@pytest.mark.parametrize("path", [SERIAL, COLOURS])
def test_each_body_and_each_collider_has_its_own_rule(path):
    """The first body sees the lower plane alone, the second both."""
    colliders = [replace(plane(0.2), identifier="high"), replace(plane(), identifier="low")]
    first = seeing(cloth(4, size=0.2, height=0.3, identifier="a"), "low")
    second = cloth(4, size=0.2, height=0.3, identifier="b")
    second = replace(second, positions=second.positions + np.array([1.0, 0.0, 0.0]))
    bodies = (first, seeing(second, "high", "low", "a"))
    if path == COLOURS:
        # bodies that may meet run on the processor alone
        bodies = tuple(replace(body, contact=replace(body.contact, body_collision=False)) for body in bodies)
    positions, starts = ending(*bodies, path=path, colliders=colliders)
    assert positions[: starts[1], 2].max() < 0.05
    assert positions[: starts[1], 2].min() > -0.01
    assert positions[starts[1] :, 2].min() > 0.19


def test_naming_all_is_the_same_as_naming_none():
    colliders = [collider("SPHERE", "ball"), replace(plane(), identifier="ground")]
    body = cloth(6, size=0.3, height=0.25)
    whole, _ = ending(body, colliders=colliders)
    named, _ = ending(seeing(body, "ball", "ground"), colliders=colliders)
    np.testing.assert_array_equal(whole, named)


def test_which_colliders_are_unseen():
    colliders = [collider("SPHERE", "ball"), replace(plane(), identifier="ground")]
    bodies = seeing(cloth(3, identifier="a"), "ground"), cloth(3, identifier="b")
    expected = [[True, False], [False, False]]
    np.testing.assert_array_equal(unseen_colliders(scene(*bodies, meet=True, colliders=colliders)), expected)
    assert unseen_colliders(scene(*bodies, meet=True)).shape == (2, 0)
