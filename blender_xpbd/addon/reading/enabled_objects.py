# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a view layer are there for a bake."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..data.object_types import takes_part
from .force_reader import acts
from .motion import animated_paths


def enabled_objects(view_layer: bpy.types.ViewLayer) -> list[bpy.types.Object]:
    """Those that take part, in the order of their names."""
    uids = {obj.session_uid for obj in _enabled_in(view_layer.layer_collection)}
    return [obj for obj in bpy.data.objects if obj.session_uid in uids]


def _enabled_in(layer: bpy.types.LayerCollection) -> Iterable[bpy.types.Object]:
    return (obj for obj in _listed_in(layer) if not obj.hide_viewport)


def _listed_in(layer: bpy.types.LayerCollection) -> Iterable[bpy.types.Object]:
    if layer.exclude or layer.collection.hide_viewport:
        return
    yield from layer.collection.objects
    for child in layer.children:
        yield from _listed_in(child)


def rendered_uids(scene: bpy.types.Scene) -> frozenset[int]:
    """The ``session_uid`` of all objects that renders of a scene show, whatever the viewports do."""
    layers = [layer.layer_collection for layer in scene.view_layers if layer.use]
    return frozenset(obj.session_uid for layer in layers for obj in _rendered_in(layer))


def _rendered_in(layer: bpy.types.LayerCollection) -> Iterable[bpy.types.Object]:
    if layer.exclude or layer.collection.hide_render:
        return
    yield from (obj for obj in layer.collection.objects if not obj.hide_render)
    for child in layer.children:
        yield from _rendered_in(child)


def switched_names(view_layer: bpy.types.ViewLayer) -> list[str]:
    """The names of what takes part in some frames alone, as its animation says."""
    found = {obj.name: obj for obj in _listed_in(view_layer.layer_collection) if takes_part(obj) or acts(obj)}
    return sorted(name for name, obj in found.items() if "hide_viewport" in animated_paths(obj, with_muted=False))
