# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of an object, up to its last deformer, that tells what becomes of given coordinates.

The artist's own object stays as it is. Copies live for as long as a bake reads or writes, and take no part in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.copied_keys import clear_copied_keys
from ..data.data_lookup import object_by_uid
from ..reading.modifier_stack import DEFORMERS, deformers, muted_modifiers
from .played_scene import MARK, remove_lost_scenes

Singles = npt.NDArray[np.float32]

_NAME = "XPBD Probe"
# These simulate by themselves, or only mark the object
_NOT_PROBED = frozenset({"CLOTH", "COLLISION", "DYNAMIC_PAINT", "FLUID", "PARTICLE_SYSTEM", "SOFT_BODY"})


class Probe:
    """One copy; found again at each call, as an undo between two may have taken it away."""

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
        """Make the copy.

        Args:
            scene: that gets it.
            obj: the object of a body.
        """
        self._object_name = obj.name
        self._count = len(obj.data.vertices)
        probe = obj.copy()
        probe.data = obj.data.copy()
        probe.name, probe[MARK] = _NAME, True
        _make_plain(probe)
        _keep_deformers(probe, obj)
        scene.collection.objects.link(probe)
        clear_copied_keys(probe)
        probe.shape_key_add(name="Basis", from_mix=False)
        key = probe.shape_key_add(name=_NAME, from_mix=False)
        key.value = 1.0
        self._uid = probe.session_uid

    def show(self, coordinates: npt.NDArray[np.floating]) -> None:
        """Put the vertices before the deformers somewhere, shape (vertices, 3); to be evaluated afterwards."""
        probe = self._require()
        block = probe.data.shape_keys.key_blocks[1]
        block.points.foreach_set("co", np.ascontiguousarray(coordinates, np.float32).ravel())
        probe.data.update_tag()

    def look_again(self) -> None:
        """Have it evaluated anew: Blender does not at a new frame, where a parent deforms it that has changed."""
        self._require().data.update_tag()

    def shape(self, depsgraph: bpy.types.Depsgraph) -> Singles:
        """The vertices after the deformers, shape (vertices, 3).

        Raises:
            XpbdError: E_MODIFIER_TOPOLOGY, where these are others.
        """
        mesh = self._require().evaluated_get(depsgraph).data
        if len(mesh.vertices) != self._count:
            text = (
                "A modifier changes the vertices before a deformer moves them, so the deformed mesh cannot be "
                "followed: move it below the deformers."
            )
            raise XpbdError("E_MODIFIER_TOPOLOGY", text, self._object_name)
        coordinates = np.empty((self._count, 3), np.float32)
        mesh.vertices.foreach_get("co", coordinates.ravel())
        return coordinates

    def move_to(self, scene: bpy.types.Scene) -> None:
        """Put the copy into another scene."""
        probe = self._require()
        for collection in probe.users_collection:
            collection.objects.unlink(probe)
        scene.collection.objects.link(probe)

    def remove(self) -> None:
        """Take the copy away, if it is still there."""
        probe = object_by_uid(self._uid)
        if probe is not None:
            _remove([probe])

    def _require(self) -> bpy.types.Object:
        probe = object_by_uid(self._uid)
        if probe is None:
            raise XpbdError("E_INTERRUPTED", "The scene was changed while it was being read: bake again.")
        return probe


def remove_lost_probes() -> None:
    """Take away what an undo, or a file that was saved meanwhile, has brought back."""
    objects: list[Any] = list(bpy.data.objects)
    _remove([obj for obj in objects if MARK in obj])
    remove_lost_scenes()


def _remove(probes: Iterable[bpy.types.Object]) -> None:
    for probe in probes:
        mesh = probe.data
        bpy.data.objects.remove(probe)
        if mesh is not None and mesh.users == 0:
            bpy.data.meshes.remove(mesh)


def _make_plain(probe: bpy.types.Object) -> None:
    """Nothing else of the scene shall take notice of it."""
    probe.xpbd.role, probe.xpbd.bake_record = "NONE", ""
    probe.display_type = "BOUNDS"
    probe.hide_render, probe.hide_select, probe.show_only_shape_key = True, True, False
    probe.instance_type = "NONE"
    if probe.field is not None:
        probe.field.type = "NONE"


def _keep_deformers(probe: bpy.types.Object, obj: bpy.types.Object) -> None:
    """Remove what comes after the last deformer, or does not deform; show what a bake has muted."""
    names = [modifier.name for modifier in deformers(obj)]
    muted = muted_modifiers(obj)
    last = max((obj.modifiers.find(name) for name in names), default=-1)
    for index, modifier in reversed(list(enumerate(probe.modifiers))):
        is_idle = modifier.type in DEFORMERS and modifier.name not in names
        if index > last or is_idle or modifier.type in _NOT_PROBED:
            probe.modifiers.remove(modifier)
        elif modifier.name in muted:
            modifier.show_viewport = True
