# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts wholly inside a jelly, and bodies in the place of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from ...scene.starts import bodies_meet, boxes, cores, enclosed_notice, in_one_place, takes_no_part
from ..measures.solid_measures import fans
from .depths import closed_tree, is_within

# the vertex group of what is kept inside
KEPT_GROUP = "Inside"


def starts_within(scene: Scene) -> Iterator[Notice]:
    """A warning for each body that starts wholly inside a jelly that it meets."""
    for outer, inner in _enclosed(scene.bodies, scene.bodies):
        yield enclosed_notice(inner, outer.name)


def starts_around(scene: Scene) -> Iterator[Notice]:
    """As ``cores``."""
    return cores(scene, fans)


def starts_in_place(scene: Scene) -> Iterator[Notice]:
    """As ``in_one_place``."""
    return in_one_place(scene.bodies)


def enclosing(body: Body, scene: Scene) -> list[Body]:
    """The jellies in which a body starts that it meets."""
    return [outer for outer, _ in _enclosed([body], scene.bodies)]


def _enclosed(bodies: Sequence[Body], others: Sequence[Body]) -> Iterator[tuple[Body, Body]]:
    """Each jelly of some, and each body that starts inside of it and meets it."""
    asked = [body for body in bodies if not takes_no_part(body)]
    lows, highs = boxes(asked)
    for outer in others:
        if not body_kind(outer.role, outer.name).is_solid:
            continue
        lowest, highest = boxes([outer])
        fits = np.flatnonzero((lows > lowest).all(axis=1) & (highs < highest).all(axis=1))
        inner = [asked[number] for number in fits if bodies_meet(asked[number], outer)]
        tree = closed_tree(outer.positions, fans(outer.face_sizes, outer.corners)) if inner else None
        if tree is not None:
            yield from ((outer, body) for body in inner if is_within(body.positions, tree))


def keep_inside(scene: bpy.types.Scene, obj: bpy.types.Object, outer_name: str) -> str:
    """Attach all vertices of an object to the jelly in which it is; why not, where it cannot be."""
    outer = scene.objects.get(outer_name)
    if obj.type != "MESH" or outer is None:
        return f'"{obj.name}" is no mesh: choose what it is attached to yourself'
    if obj.xpbd.attach_object is not None:
        return f'"{obj.name}" is attached to "{obj.xpbd.attach_object.name}" already'
    group = obj.vertex_groups.new(name=KEPT_GROUP)
    group.add(range(len(obj.data.vertices)), 1.0, "REPLACE")
    obj.xpbd.attach_object, obj.xpbd.attach_group = outer, group.name
    return ""
