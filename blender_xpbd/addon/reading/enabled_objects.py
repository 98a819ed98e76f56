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


def switched_names(view_layer: bpy.types.ViewLayer) -> list[str]:
    """The names of what takes part in some frames alone, as its animation says."""
    found = {obj.name: obj for obj in _listed_in(view_layer.layer_collection) if takes_part(obj) or acts(obj)}
    return sorted(name for name, obj in found.items() if "hide_viewport" in animated_paths(obj, with_muted=False))
