# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of contacts: what a collider's motion, and a surface that moves within it, carry along."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts import generate
from blender_xpbd.contacts.contact_type import ContactType
from blender_xpbd.contacts.tables import MOTION_WIDTH

pytestmark = pytest.mark.usefixtures("taichi_cpu")

INTS = ti.types.ndarray(dtype=ti.i32, ndim=2)
FLOATS = ti.types.ndarray(dtype=ti.f32, ndim=2)


class Bodies(NamedTuple):
    bodies: Any


class Points(NamedTuple):
    elements: Any
    weights: Any


class Colliders(NamedTuple):
    motion: Any
    ints: Any
    floats: Any


@ti.func
def query_rising(colliders: ti.template(), header, radius, point, previous_point, offset, k):
    """A plane of which each point rises by 2 cm per metre of X."""
    return ti.Vector([0.0, 0.0, 1.0, point[2] - offset]), ti.Vector([0.0, 0.0, 0.02 * point[0]]), False


@ti.kernel
def record(
    motion: ti.types.ndarray(dtype=ti.f32, ndim=3),
    ints: INTS,
    floats: FLOATS,
    bodies: FLOATS,
    elements: INTS,
    weights: FLOATS,
    found: ti.types.ndarray(dtype=ti.f64, ndim=1),
    shape: ti.template(),
):
    particles = ti.static(Bodies(bodies))
    contacts = ti.static(Points(elements, weights))
    colliders = ti.static(Colliders(motion, ints, floats))
    point = ti.Vector([found[0], found[1], found[2]])
    contact, _may_be_more = generate.collider_contact(
        particles, contacts, colliders, 0, 0, 0, point, point, 0.0, ti.static(1 << shape)
    )
    for k in ti.static(range(3)):
        found[k] = contact.normal[k]
        found[4 + k] = contact.carried[k]
    found[3] = contact.gap
    found[7] = contact.friction
    found[8] = contact.restitution


def turned(angle):
    """A turn about Y, then one about Z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]
    )


def found(point, shift=(0.0, 0.0, 0.0), shape=0, turns=(0.0, 0.0)):
    """Normal, gap, carried, friction and restitution at a plane that moves by ``shift`` in the substep."""
    motion = np.zeros((2, 1, MOTION_WIDTH), np.float32)
    motion[:, 0, :9] = [turned(angle).ravel() for angle in turns]
    motion[1, 0, 9:12] = shift
    result = np.zeros(9)
    result[:3] = point
    record(
        motion,
        np.array([[shape, 0]], np.int32),
        np.array([[0.4, 0.7]], np.float32),
        np.array([[0.0, 0.2, 0.01]], np.float32),
        np.zeros((1, 5), np.int32),
        np.array([[1.0, 0.0, 0.0, 0.0, 0.9]], np.float32),
        result,
        shape,
    )
    return result[:3], result[3], result[4:7], result[7], result[8]


def test_a_moving_plane_carries_its_points_along():
    normal, gap, carried, friction, restitution = found([0.3, 0.0, 0.002], (0.05, 0.0, 0.004))
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0])
    assert gap == pytest.approx(0.002 - 0.004 - 0.01, abs=1e-7)
    np.testing.assert_allclose(carried, [0.05, 0.0, 0.004], atol=1e-7)
    assert friction == pytest.approx(np.sqrt(0.9 * 0.4))
    assert restitution == pytest.approx(0.7)


def test_a_deforming_surface_carries_by_its_own_displacement(monkeypatch):
    monkeypatch.setattr(generate, "CONTACTS", (*generate.CONTACTS, ContactType("RISING", query_rising)))
    carried = found([0.5, 0.0, 0.0], (0.05, 0.0, 0.0), len(generate.CONTACTS) - 1)[2]
    np.testing.assert_allclose(carried, [0.05, 0.0, 0.02 * 0.45], atol=1e-7)


def test_a_still_collider_that_is_turned_carries_nothing():
    """Going into its frame and back lost 4e-8 of the distance in each substep: 1 mm in 5 s at 10 m."""
    for place in ([10.0, 3.0, -0.1], [-7.0, 20.0, 0.0], [0.1, -0.4, -0.2]):
        _, gap, carried, *_ = found(turned(0.5236) @ place, turns=(0.5236, 0.5236))
        assert gap < 0.0
        np.testing.assert_array_equal(carried, np.zeros(3))


def test_a_turning_collider_carries_by_its_turn():
    """The ways of substeps add up to that of the frame."""
    angles = np.linspace(0.5, 0.52, 33).astype(np.float32)
    # the surface is where the contact offset has it
    place = np.array([10.0, 3.0, 0.01])
    way = np.zeros(3)
    for turns in pairwise(angles):
        point = turned(turns[1]) @ (place - [0.0, 0.0, 0.001])
        _, gap, carried, *_ = found(point, turns=turns)
        assert gap < 0.0
        way += carried
    np.testing.assert_allclose(way, (turned(angles[-1]) - turned(angles[0])) @ place, atol=2e-6)


def test_what_does_not_touch_has_a_gap():
    assert found([0.0, 0.0, 0.5])[1] == pytest.approx(0.49, abs=1e-6)
