# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands that a curve's bevel or extrusion shows thicker than they are simulated, so that they sink in at touch."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ..data.properties import unit_scale_of
from ..reading.points import spline_points
from .reach import Boxes, within_reach

# of a radius, by how much what is seen may be thicker: nobody sees less
_MARGIN = 0.05


def bevelled(scene: bpy.types.Scene, read: Scene) -> Iterator[Notice]:
    """A warning for each strand whose bevel is thicker than its *Radius*, where it may come to touch something.

    Args:
        scene: whose objects have bevels.
        read: the same, as it was read at its first frame.
    """
    boxes, unit_scale = Boxes(read.gravity), unit_scale_of(scene)
    for body in read.bodies:
        if body.name not in scene.objects:
            continue
        obj = scene.objects[body.name]
        shown = shown_radius(obj) * unit_scale
        if shown <= (1.0 + _MARGIN) * body.material.radius:
            continue
        touched = [one.name for one in within_reach(body, read, boxes)]
        if touched:
            by = "extrusion" if _is_ribbon(obj) else "bevel"
            text = (
                f"Its {by} shows it {shown:.2g} m thick to each side, and it is simulated with a Radius of "
                f"{body.material.radius:.2g} m, so that it would sink into {quoted(touched)} where they touch. "
                "Make Room gives it the Radius that is shown, with which it is heavier and stiffer."
            )
            if _is_ribbon(obj):
                text = f"{text} Object > Convert > Mesh makes a ribbon of it that can be Cloth."
            yield Notice("W_THICKENED", text, body.name)


def shown_radius(obj: bpy.types.Object) -> float:
    """How far bevel and extrusion show a curve to one side at most, in the scene's unit of length; 0 without them."""
    if obj.type != "CURVE" or obj.data.bevel_mode == "OBJECT":
        return 0.0
    radii = [point.radius for spline in obj.data.splines for point in spline_points(spline)]
    scale = float(np.linalg.norm(np.array(obj.matrix_world)[:3, :3], axis=0).max())
    return scale * (abs(obj.data.bevel_depth) + abs(obj.data.extrude)) * max(radii, default=0.0)


def _is_ribbon(obj: bpy.types.Object) -> bool:
    """Whether a curve, of those that are shown thick, is shown more wide than round."""
    return abs(obj.data.extrude) > abs(obj.data.bevel_depth)
