# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies may meet: a warning is worth nothing where it always comes."""

from __future__ import annotations

import pytest


@pytest.fixture
def names(bpy, make_body):
    """Make bodies of 2 m at some places, and answer the names of those that may meet."""

    def find(*places, change=lambda _body: None):
        from blender_xpbd.addon.baking.bodies_in_the_way import bodies_in_the_way

        bodies = [make_body(f"B{number}", location=place) for number, place in enumerate(places)]
        change(bodies[0])
        bpy.context.view_layer.update()
        return [obj.name for obj in bodies_in_the_way(bpy.context.scene, bodies)]

    return find


def test_one_body_has_nobody_in_its_way(names):
    assert names((0, 0, 0)) == []


def test_bodies_far_apart_do_not_meet(names):
    assert names((0, 0, 0), (30, 0, 0), (0, 30, 0)) == []


def test_what_stands_below_is_in_the_way_however_far(names):
    assert names((0, 0, 30), (1, 0, 0), (30, 0, 0)) == ["B0", "B1"]


def test_without_gravity_height_counts_too(bpy, names):
    bpy.context.scene.use_gravity = False
    assert names((0, 0, 30), (1, 0, 0)) == []


def test_gravity_may_pull_aside(bpy, names):
    bpy.context.scene.gravity = (-9.81, 0, 0)
    assert names((30, 0, 0), (0, 0, 0), (0, 0, 30)) == ["B0", "B1"]


def test_what_is_thrown_may_come_anywhere(names):
    def throw(body):
        body.xpbd.initial_velocity = (10, 0, 0)

    assert names((0, 0, 0), (30, 0, 0), change=throw) == ["B0", "B1"]


def test_what_is_animated_may_come_anywhere(names):
    def animate(body):
        body.keyframe_insert("location", frame=1)

    assert names((0, 0, 0), (30, 0, 0), change=animate) == ["B0", "B1"]


def test_size_is_that_in_the_world(names):
    def grow(body):
        body.scale = (20, 20, 20)

    assert names((0, 0, 0), (30, 0, 0), change=grow) == ["B0", "B1"]
