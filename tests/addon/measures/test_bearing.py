# SPDX-License-Identifier: GPL-3.0-or-later
"""Thickness of what bears a body, by rays."""

from __future__ import annotations

import numpy as np
import pytest

DOWN = np.array([0.0, 0.0, -9.81])
NOBODY = np.zeros(0, np.int32)


def measured(surface, held=NOBODY, gravity=DOWN):
    from blender_xpbd.addon.measures.solid_measures import measure_solid

    points, triangles = surface
    return measure_solid(points, np.full(len(triangles), 3), triangles.ravel(), held, gravity)


def both(*surfaces):
    counts = np.cumsum([0, *(len(points) for points, _ in surfaces)])
    points = np.concatenate([points for points, _ in surfaces])
    return points, np.concatenate([faces + first for (_, faces), first in zip(surfaces, counts, strict=False)])


def block(size, *place):
    from tests.geometry.surfaces import cube

    points, triangles = cube()
    return 0.5 * points * size + np.array(place), triangles


def ball(radius, *place):
    from tests.geometry.surfaces import sphere

    points, triangles = sphere()
    return radius * points + np.array(place), triangles


def lollipop():
    """A ball of 40 cm on a stick of 4 cm and 50 cm, which has a seventh of the surface and less of the volume."""
    return both(block((0.04, 0.04, 0.5), 0.0, 0.0, 0.25), ball(0.2, 0.0, 0.0, 0.69))


def test_a_stick_bears_the_ball_that_stands_on_it(bpy):
    found = measured(lollipop())
    assert found.bearing == pytest.approx(0.04, rel=0.05)
    assert found.thickness > 0.1
    assert found.thinnest == found.bearing


def test_it_bears_nothing_where_the_ball_lies_below(bpy):
    assert measured(lollipop(), gravity=-DOWN).bearing > 0.1


def test_what_is_held_hangs_on_its_pins_whatever_the_gravity(bpy):
    points, _ = surface = lollipop()
    foot, top = (np.flatnonzero(mask) for mask in (points[:, 2] < 0.01, points[:, 2] > 0.85))
    for gravity in (DOWN, -DOWN, 0.0 * DOWN):
        assert measured(surface, foot, gravity).bearing == pytest.approx(0.04, rel=0.05)
        assert measured(surface, top, gravity).bearing > 0.1


def test_nothing_is_told_without_gravity_and_pins(bpy):
    assert measured(lollipop(), gravity=0.0 * DOWN).bearing == np.inf
    assert measured(lollipop(), np.arange(len(lollipop()[0]))).bearing == np.inf


@pytest.mark.parametrize("legs", [1, 2, 4])
def test_legs_bear_together(bpy, legs):
    """A trunk of 1 × 0.4 × 0.4 m on legs of 5 cm."""
    trunk = block((1.0, 0.4, 0.4), 0.0, 0.0, 0.6)
    places = [(-0.4, -0.15), (0.4, 0.15), (0.4, -0.15), (-0.4, 0.15)][:legs]
    found = measured(both(trunk, *(block((0.05, 0.05, 0.4), x, y, 0.2) for x, y in places)))
    assert found.bearing == pytest.approx(0.05, rel=0.05)
    assert found.thickness > 0.2


def test_ears_and_arms_beside_a_trunk_bear_nothing(bpy):
    trunk = block((0.4, 0.3, 1.0), 0.0, 0.0, 0.5)
    arms = [block((0.06, 0.06, 0.7), side * 0.3, 0.0, 0.5) for side in (-1.0, 1.0)]
    ears = [block((0.2, 0.02, 0.2), side * 0.3, 0.0, 0.95) for side in (-1.0, 1.0)]
    assert measured(both(trunk, *arms)).bearing > 0.25
    assert measured(both(trunk, *ears)).bearing > 0.25


def test_a_strip_that_is_held_at_an_end_bends_across_its_thickness(bpy):
    surface = block((1.0, 0.3, 0.02), 0.0, 0.0, 0.0)
    assert measured(surface, np.flatnonzero(surface[0][:, 0] < 0.0)).bearing == pytest.approx(0.02, rel=0.05)
