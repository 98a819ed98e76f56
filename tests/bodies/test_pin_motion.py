# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins that follow an object, and pins that have places of their own."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Pins
from blender_xpbd.solver.system.system import build_system
from tests.bodies.test_materials import jelly
from tests.solver.scenes import cloth, run, scene, solver

FRAMES = 5
BODIES = pytest.mark.parametrize("make", [lambda: cloth(6, height=2.0), jelly], ids=["cloth", "jelly"])


def motion(frames=FRAMES):
    """A turn about a tilted axis that also goes up, from rest."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    matrices = np.tile(np.eye(4), (frames, 1, 1))
    for number, angle in enumerate(np.linspace(0.0, 0.4, frames)):
        matrices[number, :3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        matrices[number, :3, 3] = 0.3 * angle
    return matrices


def both_ways(body, matrices, weights=1.0):
    """The body with the same pins by matrices and by places; they do not lie in a plane where the body does not."""
    vertices = np.arange(0, body.vertex_count, 3, dtype=np.int32)
    weights = np.full(len(vertices), weights, np.float32)
    followed = Pins.following(vertices, weights, matrices)
    places = np.stack([followed.places(body.positions, number) for number in range(len(matrices))])
    return replace(body, pins=followed), replace(body, pins=Pins(vertices, weights, places))


@BODIES
@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_a_matrix_carries_as_the_places_it_gives_do(make, weight):
    systems = [build_system(scene(body, frames=(1, FRAMES))) for body in both_ways(make(), motion(), weight)]
    for frame in range(FRAMES + 1):
        by_matrix, by_places = (system.targets(frame) for system in systems)
        np.testing.assert_allclose(by_matrix, by_places, rtol=0, atol=1e-13)
    assert np.abs(systems[0].targets(FRAMES) - systems[0].targets(0)).max() > 0.1


@BODIES
def test_what_stands_still_is_exactly_at_rest(make):
    body, _ = both_ways(make(), motion(1))
    system = build_system(scene(body, frames=(1, FRAMES)))
    sources = system.pinned[0].sources
    for frame in (0, 3):
        np.testing.assert_array_equal(system.targets(frame), system.models[0].positions[sources] - system.origin)


@BODIES
@pytest.mark.usefixtures("taichi_cpu")
def test_a_bake_is_the_same_either_way(make):
    first, second = both_ways(make(), motion())
    ends = [run(solver(body, frames=(1, FRAMES), substeps=10), FRAMES - 1) for body in (first, second)]
    # cloth is computed in single precision
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-6)


def test_one_pin_goes_with_its_object_and_turns_nothing():
    """It is a ball joint: the place counts alone."""
    body = jelly()
    matrices = motion()
    pinned = replace(body, pins=Pins.following(np.array([0], np.int32), np.ones(1, np.float32), matrices))
    system = build_system(scene(pinned, frames=(1, FRAMES)))
    # one of its own, and the corner of the cage that is in its place
    fixed = system.models[0].positions[system.pinned[0].sources]
    np.testing.assert_allclose(fixed, np.repeat(body.positions[:1], 2, axis=0), atol=1e-14)
    expected = np.repeat(pinned.pins.places(body.positions, FRAMES - 1) - system.origin, 2, axis=0)
    np.testing.assert_allclose(system.targets(FRAMES - 1), expected, atol=1e-14)
