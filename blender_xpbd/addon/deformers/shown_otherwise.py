# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewports or renders show in another shape than a bake reads, so that things touch that do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy

from ...scene.collider_shapes import collider_shape
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.parameters.material_parameters import COLLIDER
from ..data.object_types import is_body, takes_part
from ..reading.modifier_stack import acts, deformers, follows_deformed, modifier_path
from ..reading.motion import animated_paths

_SUBDIVIDERS = frozenset(("SUBSURF", "MULTIRES"))


def shown_otherwise(scene: bpy.types.Scene, enabled: Sequence[bpy.types.Object]) -> Iterator[Notice]:
    """A warning for each kind of it.

    Args:
        scene: to be baked.
        enabled: all objects that are enabled in it.
    """
    bodies = [obj for obj in enabled if is_body(obj)]
    colliders = [obj for obj in enabled if obj.xpbd.role == COLLIDER and takes_part(obj)]
    meshes = [obj for obj in colliders if collider_shape(obj.xpbd.collider_shape).needs_mesh]
    if coarser := [obj.name for obj in meshes if _is_simplified(scene, obj)]:
        text = (
            f"Simplify takes subdivision off these colliders, in viewports and bakes or in renders: {quoted(coarser)}."
        )
        yield Notice("W_SIMPLIFY", text)
    followed = [obj for obj in bodies if follows_deformed(obj)]
    if switched := [obj.name for obj in (*followed, *meshes) if _is_switched_once(obj)]:
        text = "Keys turn a modifier on or off in viewports or in renders alone; a bake goes by viewports: "
        yield Notice("W_ANIMATED", f"{text}{quoted(switched)}.")
    if unmuted := [obj.name for obj in followed if obj.xpbd.mute_deformers and any(map(any, _switches(obj)))]:
        text = "Keys turn deformers on, so Mute Deformers While Baked cannot keep them off, and they act twice: "
        yield Notice("W_ANIMATED", f"{text}{quoted(unmuted)}.")


def _is_simplified(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    """Whether *Simplify* of a scene makes a mesh coarser in viewports or in renders, and not in the other as much."""
    render = scene.render
    if not render.use_simplify:
        return False
    for modifier in obj.modifiers:
        if modifier.type in _SUBDIVIDERS and acts(modifier):
            asked = (modifier.levels * modifier.show_viewport, modifier.render_levels * modifier.show_render)
            shown = (min(asked[0], render.simplify_subdivision), min(asked[1], render.simplify_subdivision_render))
            if shown != asked and shown[0] != shown[1]:
                return True
    return False


def _is_switched_once(obj: bpy.types.Object) -> bool:
    """Whether something animates that a modifier by which a bake goes is on in viewports, or in renders, not both."""
    return any(in_viewports != in_renders for in_viewports, in_renders in _switches(obj))


def _switches(obj: bpy.types.Object) -> list[tuple[bool, bool]]:
    """Of each modifier by which a bake goes, whether something animates that it is on in viewports, and in renders."""
    paths = animated_paths(obj, with_muted=False, with_still=False)
    starts = [f"{modifier_path(one)}.show_" for one in (deformers(obj) if is_body(obj) else obj.modifiers)]
    return [(f"{start}viewport" in paths, f"{start}render" in paths) for start in starts]
