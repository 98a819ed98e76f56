# SPDX-License-Identifier: GPL-3.0-or-later
"""How far bodies come down onto colliders at most."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.falls.fall import fall_onto_colliders
from blender_xpbd.scene.material import Material
from tests.geometry.surfaces import cube, sphere
from tests.scene.falls.grounds import about_y, sheet, turned
from tests.solver.scenes import GRAVITY, cloth, jelly_of, mesh_box, plane, scene

GAP = 1e-3
ANGLE = np.radians(30.0)
FRICTION = Material().friction


def placed(surface, angle=0.0, at=(0.0, 0.0, 0.0), size=0.3, **values):
    """A jelly that lies a millimetre above the XY plane, turned about Y, then moved."""
    points, triangles = surface
    points = 0.5 * size * points
    points += np.array([0.0, 0.0, GAP - points[:, 2].min()])
    return jelly_of((points @ about_y(angle).T + at, triangles), Material.from_values(values))


def fall(body, *colliders, **keywords):
    return fall_onto_colliders(scene(body, colliders=colliders, frames=(1, 37), **keywords), body)


def on_box(surface, slope, **values):
    """What lies on a box of 1 m that is turned so that its top has a slope."""
    angle = np.arctan(slope)
    return fall(placed(surface, angle, about_y(angle) @ [0.0, 0.0, 0.5], **values), turned(mesh_box(0.5), angle))


def full(slope):
    """From what lies on that box down to its lowest corner."""
    angle = np.arctan(slope)
    return 0.5 * (np.cos(angle) - 0.3 * np.sin(angle)) + 0.5 * (np.sin(angle) + np.cos(angle))


def test_nothing_below_and_what_is_not_seen():
    body = placed(cube(), at=(0.0, 0.0, 1.0))
    assert fall(body) is None
    assert fall(replace(body, contact=replace(body.contact, sees=frozenset())), plane()) is None
    assert fall(body, plane(2.0)) == (0.0, 0.0)
    np.testing.assert_allclose(fall(body, plane()), 1.0 + GAP)


def test_friction_holds_what_lies_on_a_slope():
    held, slides = 0.9 * FRICTION, 1.1 * FRICTION
    np.testing.assert_allclose(on_box(cube(), held), GAP / np.cos(np.arctan(held)), rtol=1e-3)
    np.testing.assert_allclose(on_box(cube(), slides), full(slides), rtol=0.01)
    np.testing.assert_allclose(on_box(cube(), held, friction=0.25 * FRICTION), full(held), rtol=0.01)


def test_a_ball_rolls_and_a_tower_tips_over():
    assert on_box(sphere(), 0.3).way > 0.9
    tower = cube()[0] * [1.0, 1.0, 2.0], cube()[1]
    assert on_box(tower, 0.1).way < 2.0 * GAP
    assert on_box(tower, 0.3).way > 0.9


@pytest.mark.parametrize(("overhang", "falls"), [(-0.01, False), (0.2, True)])
def test_what_hangs_over_an_edge_falls(overhang, falls):
    found = fall(placed(cube(), at=(0.35 + overhang, 0.0, 0.5)), mesh_box(0.5), plane(-0.5))
    assert found.way == pytest.approx(1.0 + GAP if falls else GAP)


@pytest.mark.parametrize("moved", ["thrown", "pushed", "in company", "lifted"])
def test_what_may_be_moved_does_not_lie(moved):
    body, table, floor = placed(cube(), at=(0.0, 0.0, 0.5)), mesh_box(0.5), plane(-0.5)
    others = []
    if moved == "thrown":
        body = replace(body, velocity=np.array([1.0, 0.0, 0.0]))
    elif moved == "pushed":
        body = replace(body, pins=replace(body.pins, vertices=np.zeros(1, np.int32)))
    elif moved == "in company":
        others = [replace(body, identifier="b1")]
    else:
        table = replace(table, transforms=np.tile(np.eye(4), (37, 1, 1)))
    job = replace(scene(body, colliders=[table, floor], frames=(1, 37)), bodies=(body, *others))
    np.testing.assert_allclose(fall_onto_colliders(job, body), 1.0 + GAP)


def test_a_long_slope_is_slid_down_and_not_hit():
    """No farther than g T² sin²θ/2 in the frames; the gap is met first."""
    long = turned(sheet([(-1.0, 0.0), (40.0, 0.0)]), ANGLE)
    for surface in (cube(), sphere()):
        found = fall(placed(surface, ANGLE), long)
        first = GAP / np.cos(ANGLE)
        assert found.way == pytest.approx(first + 0.5 * GRAVITY * (36.0 / 24.0 * np.sin(ANGLE)) ** 2, rel=1e-3)
        assert found.hit == pytest.approx(first, rel=0.5)
    # from above it is hit, though
    assert fall(placed(cube(), ANGLE, (0.0, 0.0, 0.5)), long).hit == pytest.approx(0.5 + first, rel=1e-3)


def test_a_slope_that_ends_level_is_left_with_the_sine_of_its_angle():
    slope = sheet([(-1.0, np.tan(ANGLE)), (2.0, -2.0 * np.tan(ANGLE)), (9.0, -2.0 * np.tan(ANGLE))])
    found = fall(placed(cube(), ANGLE), slope)
    assert found.way == pytest.approx(2.0 * np.tan(ANGLE), rel=0.1)
    assert found.hit == pytest.approx(np.sin(ANGLE) ** 2 * found.way, rel=1e-6)


def test_steps_and_ledges_are_fallen_down():
    stairs = sheet([(-1.0, 0.0), (0.1, 0.0), (0.1, -0.2), (0.4, -0.2), (0.4, -0.4), (5.0, -0.4)])
    body = placed(cube(), at=(-0.2, 0.0, 0.0), friction=0.0)
    np.testing.assert_allclose(fall(replace(body, velocity=np.array([1.0, 0.0, 0.0])), stairs), 0.4 + GAP)
    shelf = turned(sheet([(-1.0, 0.0), (1.0, 0.0)]), 0.1)
    found = fall(placed(sphere(), 0.1), shelf, plane(-3.0))
    assert found.hit > 2.5


def test_a_plane_that_is_not_level_is_met_where_it_is():
    """Not at the height of its origin."""
    found = fall(placed(cube(), ANGLE, (2.0, 0.0, 0.0)), plane(angle=ANGLE))
    assert found.hit == pytest.approx(2.0 * np.tan(ANGLE), rel=0.05)


def test_what_is_flat_has_its_centre_among_its_points():
    """It has no volume to divide by."""
    with np.errstate(all="raise"):
        assert fall(cloth(4), plane()) is not None
