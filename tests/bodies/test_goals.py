# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together with something that a goal draws or pins fix."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.goals import held_particles
from blender_xpbd.scene.body import Pins
from blender_xpbd.solver.system.mode import starts_warm
from blender_xpbd.solver.system.substeps import substeps_for_waves
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import jelly_cube, pins, plane, scene

# two pieces of two particles each
EDGES = np.array([[0, 1], [2, 3]], np.int32)
ELEMENTS = np.repeat(np.arange(4, dtype=np.int32)[:, None], 4, axis=1)


def cube(goal_weight=0.0, pin_weight=0.0, frequency=3.0, **material):
    """A cube of soft jelly high over the floor, held at its first vertex."""
    body = jelly_cube(0.4, 2.0, 4, goal_frequency=frequency, **material)
    held = {"pins": pins(body.positions, [0], pin_weight)} if pin_weight else {}
    if goal_weight:
        held["goal"] = Pins(np.zeros(1, np.int32), np.full(1, goal_weight, np.float32), body.positions[None, :1])
    return replace(body, **held)


@pytest.mark.parametrize(
    ("pin_weights", "goal", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], 0.0, [False, False, False, False]),
        ([0.0, 0.1, 0.0, 0.0], 0.0, [True, True, False, False]),
        ([0.0, 0.0, 0.0, 1.0], 0.0, [False, False, True, True]),
        ([0.0, 0.0, 0.0, 1.0], 1.0, [True, True, True, True]),
    ],
)
def test_pieces_are_held_as_a_whole(pin_weights, goal, expected):
    held = held_particles(cube(goal), ELEMENTS, EDGES, np.array(pin_weights))
    np.testing.assert_array_equal(held, expected)


def test_a_goal_of_no_strength_holds_nothing():
    assert not held_particles(cube(1.0, frequency=0.0), ELEMENTS, EDGES, np.zeros(4)).any()


@pytest.mark.parametrize(
    ("held", "falls"),
    [
        ({"goal_weight": 1.0}, True),
        ({"pin_weight": 0.5}, True),
        ({"pin_weight": 1.0}, False),
    ],
)
def test_what_is_held_starts_warm_and_what_cannot_fall_is_not_asked_for_rebounds(held, falls):
    """However soft it is: only the forces of a warm start lag."""
    free, fixed = (
        build_system(scene(cube(**values, youngs_modulus=2e4), colliders=[plane()], substeps=20))
        for values in ({}, held)
    )
    assert not starts_warm(free, 1)
    assert starts_warm(fixed, 1)
    assert substeps_for_waves(free) > 0
    assert (substeps_for_waves(fixed) > 0) == falls


@pytest.mark.parametrize(("frequency", "falls"), [(3.0, False), (0.3, True)])
def test_what_a_weak_goal_draws_falls_and_rebounds(frequency, falls):
    """All of it is drawn: by 2 g/(2πf)², 5 cm of a height of 40 cm, or 5.5 m."""
    body = cube(frequency=frequency, youngs_modulus=2e4)
    vertices = np.arange(body.vertex_count, dtype=np.int32)
    goal = Pins(vertices, np.ones(len(vertices), np.float32), body.positions[None])
    system = build_system(scene(replace(body, goal=goal), colliders=[plane()], substeps=20))
    assert (substeps_for_waves(system) > 0) == falls
