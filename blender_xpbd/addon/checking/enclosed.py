# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start wholly inside a jelly, or in the place of another."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from ...scene.starts import bodies_meet, enclosed_notice, in_one_place, is_kept_in
from ..reading.solid_measures import fans
from .depths import is_within

# the vertex group of what is kept inside
KEPT_GROUP = "Inside"


def starts_within(scene: Scene) -> Iterator[Notice]:
    """A warning for each body that starts wholly inside a jelly that it meets."""
    for body in scene.bodies:
        for outer in enclosing(body, scene):
            yield enclosed_notice(body, outer.name)


def starts_in_place(scene: Scene) -> Iterator[Notice]:
    """As ``in_one_place``."""
    return in_one_place(scene.bodies)


def enclosing(body: Body, scene: Scene) -> list[Body]:
    """The jellies in which a body starts that it meets and is not attached to."""
    return [
        other
        for other in scene.bodies
        if other is not body
        and body_kind(other.role, other.name).is_solid
        and bodies_meet(body, other)
        and not is_kept_in(body, other)
        and is_within(body.positions, other.positions, fans(other.face_sizes, other.corners))
    ]


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
