# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together with something that pins fix, or that pins and a goal hold firmly."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.bodies.goals import held_particles
from blender_xpbd.scene.body import Pins
from blender_xpbd.solver.system.substeps import substeps_for_waves
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import jelly_cube, pins, plane, scene


def cube(goal_weight=0.0, pin_weight=0.0, frequency=3.0, identifier="b0", **material):
    """A cube of 40 cm of soft jelly high over the floor, all of it drawn to a goal, or held at its first vertex."""
    body = replace(jelly_cube(0.4, 2.0, 4, **{"youngs_modulus": 2e4, "goal_frequency": frequency, **material}))
    vertices = np.arange(body.vertex_count, dtype=np.int32)
    held = {"pins": pins(body.positions, [0], pin_weight)} if pin_weight else {}
    if goal_weight:
        held["goal"] = Pins(vertices, np.full(len(vertices), goal_weight, np.float32), body.positions[None])
    return replace(body, identifier=identifier, **held)


def two_pieces(pin_weights, body):
    """A model of two pieces of two particles each, between which the vertices are shared out."""
    elements = np.repeat((np.arange(body.vertex_count, dtype=np.int32) % 4)[:, None], 4, axis=1)
    return BodyModel(
        body=body,
        positions=np.zeros((4, 3)),
        masses=np.ones(4),
        blocks=(),
        elements=elements,
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (body.vertex_count, 1)),
        pin_weights=np.array(pin_weights),
        edges=np.array([[0, 1], [2, 3]], np.int32),
    )


@pytest.mark.parametrize(
    ("pin_weights", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], [False, False, False, False]),
        ([0.0, 1.0, 0.0, 0.0], [True, True, False, False]),
        ([0.0, 0.5, 1e-3, 1e-3], [True, True, False, False]),
    ],
)
def test_pieces_are_held_as_a_whole(pin_weights, expected):
    """Half of the mass at 5 Hz sags by 2 cm, at a thousandth of that by 10 m."""
    model = two_pieces(pin_weights, cube(pin_frequency=5.0))
    np.testing.assert_array_equal(held_particles(model), expected)


@pytest.mark.parametrize(("weight", "frequency", "expected"), [(1.0, 3.0, True), (1.0, 0.0, False), (1e-4, 3.0, False)])
def test_a_goal_holds_what_it_does_not_let_sag_by_its_size(weight, frequency, expected):
    assert (held_particles(two_pieces(np.zeros(4), cube(weight, frequency=frequency))) == expected).all()


def systems(*held, **values):
    """A free cube, and one that is held, each alone over a floor."""
    return [build_system(scene(body, colliders=[plane()], substeps=20, **values)) for body in (cube(), *held)]


@pytest.mark.parametrize("held", [{"goal_weight": 1.0}, {"pin_weight": 1.0}])
def test_what_is_held_is_not_asked_for_rebounds(held):
    free, fixed = systems(cube(**held))
    assert substeps_for_waves(free) > 0
    assert substeps_for_waves(fixed) == 0


@pytest.mark.parametrize("model", ["COROTATED", "SPRINGS"])
def test_what_cannot_lag_is_asked_for_rebounds(model):
    _, fixed = systems(cube(pin_weight=1.0, solid_model=model))
    assert substeps_for_waves(fixed) > 0


def test_what_a_weak_goal_draws_falls_and_rebounds():
    """By 2 g/(2πf)² = 5.5 m."""
    _, drawn = systems(cube(1.0, frequency=0.3))
    assert substeps_for_waves(drawn) > 0
