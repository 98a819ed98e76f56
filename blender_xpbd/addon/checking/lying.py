# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat bodies that lie on a plane when they begin, so that gravity does nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy
import numpy as np

from ...scene.body import Body
from ...scene.collider import Collider
from ...scene.collider_shapes import plane_heights
from ...scene.errors import Notice
from ...scene.scene import Scene
from ..reading.feel import length_of
from ..reading.motion import animated_paths, has_frame_handlers, may_move
from ..reading.parameter_tracks import followed_settings
from ..reading.pose_reader import asked_poses
from .depths import FLATNESS, depths

# the shape of colliders, as the floor, on which something can lie flat
PLANE = "PLANE"
# what moves all, by its path in the scene
_OF_ALL = {"gravity", "use_gravity", "xpbd.floor_height"}


def lies(scene: Scene) -> Iterator[Notice]:
    """A warning for each body that lies flat on a plane, as far as the scene that was read tells."""
    for body in scene.bodies:
        if not lies_on(body, scene) or not _can_be_lifted(body, scene.colliders):
            continue
        nothing = "nothing will move" if len(scene.bodies) == 1 else "nothing moves it until another body does"
        text = f"Lies flat on the floor, so {nothing}: lift it, or hold it by pins above the floor."
        yield Notice("W_LIES", text, body.name)


def lying(context: bpy.types.Context, scene: Scene) -> Iterator[Notice]:
    """As ``lies``, without those that something animated may move, which the first frame of a scene does not tell."""
    own = context.scene
    if has_frame_handlers() or animated_paths(own) & _OF_ALL:
        return
    if any(_may_move(own, collider.name) for collider in scene.colliders):
        return
    yield from (notice for notice in lies(scene) if not _may_be_driven(own, notice.object_name))


def lies_on(body: Body, scene: Scene) -> bool:
    """Whether all of a body is as high as a plane that carries it, and nothing is known to move it."""
    gravity = body.material.gravity_factor * scene.gravity
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0 or _is_driven(body, scene):
        return False
    up, sees = -gravity / strength, body.contact.sees
    planes = (one for one in scene.colliders if one.shape == PLANE and (sees is None or one.identifier in sees))
    return any(_is_carried(body, plane, up) for plane in planes)


def _is_carried(body: Body, plane: Collider, up: np.ndarray) -> bool:
    """Whether it lies on a plane that is not too steep; ``up`` is a unit vector against the gravity that pulls it."""
    heights, normal = plane_heights(body.positions, plane)
    friction = np.sqrt(body.material.friction * plane.friction)
    # the cosine of the angle of friction, to rounding
    is_held = float(normal @ up) >= 1.0 / np.sqrt(1.0 + friction**2) - 1e-9
    return is_held and bool((np.abs(heights) <= FLATNESS * length_of(body.positions, body.axes)).all())


def _is_driven(body: Body, scene: Scene) -> bool:
    """Whether something holds, pulls, pushes, throws, blows up or bends it."""
    material = body.material
    has_fields = bool(scene.forces if body.fields is None else body.fields) and material.force_weight > 0.0
    is_pulled = body.attachment is not None or any(
        other.attachment is not None and other.attachment.target == body.identifier for other in scene.bodies
    )
    is_pushed = any((material.push_x, material.push_y, material.push_z)) or bool(body.velocity.any())
    has_shape = bool(body.poses) or len(body.start) > 0 or material.use_stitches or material.pressure_model != "NONE"
    is_held = len(body.pins.vertices) > 0 or len(body.goal.vertices) > 0
    return has_fields or is_pulled or is_pushed or has_shape or is_held or scene.attraction != 0.0


def _can_be_lifted(body: Body, colliders: Iterable[Collider]) -> bool:
    """Whether *Lift* would lead out of all that it is inside of."""
    return all(np.isfinite(depth.lift) for depth in depths(body, colliders).values())


def _may_move(scene: bpy.types.Scene, name: str) -> bool:
    """Whether an object may move, or a rig it is skinned to; the floor is none."""
    obj = scene.objects.get(name)
    return obj is not None and may_move(obj)


def _may_be_driven(scene: bpy.types.Scene, name: str) -> bool:
    """Whether an object, its settings or poses may move it, or it cannot be lifted for that."""
    obj = scene.objects.get(name)
    return obj is not None and (may_move(obj) or bool(followed_settings(obj)) or any(True for _ in asked_poses(obj)))
