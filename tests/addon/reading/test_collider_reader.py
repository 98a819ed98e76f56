# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders and the floor."""

from __future__ import annotations

import numpy as np
import pytest

from tests.addon.readings import animate


def test_colliders_and_floor(bpy, make_body, read):
    make_body("Body")
    plane = make_body("Plane", role="COLLIDER", location=(0, 0, -2))
    plane.xpbd.collider_shape = "PLANE"
    plane.xpbd.friction = 0.25
    ball = make_body("Sphere", role="COLLIDER", scale=(2, 2, 2))
    ball.xpbd.collider_shape = "SPHERE"
    animate(ball)
    mesh = make_body("Wall", role="COLLIDER")
    mesh.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.5
    scene.xpbd.use_floor = True
    scene.xpbd.floor_height = 3.0
    scene.xpbd.floor_restitution = 0.75
    colliders = {collider.name: collider for collider in read().scene.colliders}
    assert list(colliders) == ["Plane", "Sphere", "Wall", "Floor"]
    assert colliders["Plane"].transforms.shape == (1, 4, 4)
    assert colliders["Plane"].transforms[0, 2, 3] == -1.0
    assert colliders["Plane"].friction == 0.25
    assert colliders["Sphere"].radius == pytest.approx(np.linalg.norm([1, 1, 0.1]))
    assert colliders["Sphere"].transforms.shape == (5, 4, 4)
    assert colliders["Sphere"].transforms[4, 0, 3] == pytest.approx(2.5)
    assert colliders["Sphere"].transforms[0, 0, 0] == pytest.approx(1.0)
    assert len(colliders["Wall"].triangles) == 16 * 4 * 2
    assert colliders["Floor"].transforms[0, 2, 3] == pytest.approx(1.5)
    assert colliders["Floor"].restitution == 0.75
