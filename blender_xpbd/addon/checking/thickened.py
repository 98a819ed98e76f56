# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that Solidify shows thicker than the gap that it keeps, so that it sinks into what it comes to lie on.

Solidify moves one copy of the surface out by t (1 + o) / 2 and another in by t (1 − o) / 2, with the thickness t and
the offset o. A cloth may lie on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import bpy
import numpy as np

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.collider import Collider
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ..data.properties import unit_scale_of
from ..reading.modifier_stack import acts
from .gaps import MOST_GAP, Gaps
from .reach import Boxes, within_reach

# of a gap, by how much what is seen may be thicker: nobody sees less
_MARGIN = 0.01
_THINNER = (
    "Its edges let it keep a gap of {:.2g} m, a quarter of their length: subdivide it, make Solidify thinner than that "
    "on both sides, or make it a Jelly."
)


def thickened(scene: bpy.types.Scene, read: Scene) -> Iterator[Notice]:
    """A warning for each cloth that its modifier shows so thick that it would sink into what it may lie on.

    Args:
        scene: whose objects have modifiers.
        read: the same, as it was read at its first frame.
    """
    sides, gaps, boxes = _shown_sides(scene, read), Gaps(), Boxes(read.gravity)
    for body in read.bodies:
        side = sides.get(body.identifier, 0.0)
        if side == 0.0:
            continue
        found = _gaps(body, read, sides, gaps, boxes)
        sunk = [name for name, shown, gap in found if shown > (1.0 + _MARGIN) * gap]
        if sunk:
            text = (
                f"Solidify shows it {side:.2g} m thick to one side, more than the gap that it keeps, so that it would "
                f"sink into {quoted(sunk)} where they touch. "
            )
            text += (
                "Make Room widens the gap."
                if (most := _too_little(gaps.edge(body), side)) is None
                else _THINNER.format(most)
            )
            yield Notice("W_THICKENED", text, body.name)


def shown_side(obj: bpy.types.Object) -> float:
    """How far modifiers show a surface to one side of the mesh at most, in the scene's unit of length."""
    scale = float(np.linalg.norm(np.array(obj.matrix_world)[:3, :3], axis=0).max())
    return scale * sum(_side(one) for one in obj.modifiers if one.type == "SOLIDIFY" and acts(one))


def make_room(obj: bpy.types.Object, body: Body, unit_scale: float) -> str:
    """Give a cloth the gap that it is shown to fill; why not, where its mesh is too coarse for that.

    Args:
        obj: of the body.
        body: as it was read.
        unit_scale: metres per Blender unit.
    """
    side = shown_side(obj) * unit_scale
    if (most := _too_little(Gaps().edge(body), side)) is not None:
        return f'"{obj.name}": {_THINNER.format(most)}'
    # a gap that is wider already stays
    obj.xpbd.contact_offset = max(obj.xpbd.contact_offset, side / unit_scale)
    # two layers face each other, and each is shown thick
    obj.xpbd.thickness = max(obj.xpbd.thickness, 2.0 * side / unit_scale)
    return ""


def _too_little(edge: float, side: float) -> float | None:
    """The gap that a cloth of such edges may keep at most, where it is shown thicker to one side; else None [m]."""
    most = MOST_GAP * edge
    return most if side > (1.0 + _MARGIN) * most else None


def _side(modifier: bpy.types.Modifier) -> float:
    return 0.5 * abs(modifier.thickness) * (1.0 + abs(modifier.offset))


def _shown_sides(scene: bpy.types.Scene, read: Scene) -> dict[str, float]:
    """How far each cloth is shown to one side [m], by its identifier; arguments as of ``thickened``."""
    # Blender looks for each name in all of them
    objects = dict(scene.objects.items())
    unit_scale = unit_scale_of(scene)
    sheets = (one for one in read.bodies if one.name in objects and body_kind(one.role, one.name).is_sheet)
    return {one.identifier: shown_side(objects[one.name]) * unit_scale for one in sheets}


def _gaps(
    body: Body, read: Scene, sides: Mapping[str, float], gaps: Gaps, boxes: Boxes
) -> Iterator[tuple[str, float, float]]:
    """What a cloth may lie on: its name, how thick both are shown towards each other, and the gap between them [m].

    Args:
        body: of the cloth.
        read: the scene as it was read.
        sides: as ``_shown_sides``.
        gaps: of this check.
        boxes: of this check.
    """
    side = sides[body.identifier]
    for one in within_reach(body, read, boxes):
        if isinstance(one, Collider):
            yield one.name, side, gaps.to_colliders(body)
            continue
        kind = body_kind(one.role, one.name)
        if kind.is_solid or kind.is_sheet:
            yield one.name, side + sides.get(one.identifier, 0.0), gaps.between(body, one)
    if body.contact.self_collision:
        yield body.name, 2.0 * side, gaps.thickness(body)
