# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays, surfaces and planes."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def hand(bpy):
    from blender_xpbd.addon.playing import hand

    return hand


def test_a_ray_hits_the_nearest_of_two_sheets(hand):
    sheet = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]], float)
    positions = np.concatenate([sheet, sheet + np.array([0, 0, 1.0])])
    triangles = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    hit = hand.nearest_hit(np.array([1.0, 2.0, 5.0]), np.array([0.0, 0.0, -2.0]), positions, triangles)
    assert hit.corners == (3, 4, 5)
    assert hit.distance == pytest.approx(2.0)
    assert hit.weights == pytest.approx((0.25, 0.25, 0.5))
    assert hand.nearest_hit(np.array([1.0, 2.0, 5.0]), np.array([0.0, 0.0, 1.0]), positions, triangles) is None
    assert hand.nearest_hit(np.array([3.0, 3.0, 5.0]), np.array([0.0, 0.0, -1.0]), positions, triangles) is None


def test_a_point_is_taken_where_it_is_seen_near_the_ray(hand):
    points = np.array([[0, 0.01, 4.0], [0, 0.05, 9.0], [0, 1, 5]], float)
    hit = hand.nearest_point(np.zeros(3), np.array([0.0, 0.0, 1.0]), points)
    assert hit.corners == (0, 0, 0)
    assert hand.nearest_point(np.zeros(3), np.array([1.0, 0.0, 0.0]), points) is None


def test_a_hand_moves_in_its_plane(hand):
    view = np.array([0.1, 0.9, -0.2])
    assert hand.drag_normal("WORLD", view).tolist() == [0.0, 1.0, 0.0]
    assert hand.drag_normal("SCREEN", view).tolist() == view.tolist()
    place = hand.on_plane(np.array([0.0, -5.0, 1.0]), np.array([0.2, 1.0, 0.0]), np.zeros(3), np.array([0.0, 1.0, 0.0]))
    assert place == pytest.approx([1.0, 0.0, 1.0])
    along = np.array([1.0, 0.001, 0.0])
    assert hand.on_plane(np.array([0.0, -5.0, 1.0]), along, np.zeros(3), np.array([0.0, 1.0, 0.0])) is None


@pytest.mark.parametrize("extent", [0.1, 0.5, 2.7])
def test_bodies_of_all_sizes_hang_as_far_below_the_hand_for_their_size(hand, extent):
    sag = 9.81 / (2.0 * np.pi * hand.grab_frequency(extent)) ** 2
    assert sag == pytest.approx(0.03 * extent)
