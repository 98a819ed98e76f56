# SPDX-License-Identifier: GPL-3.0-or-later
"""One object that is simulated as arrays: rest shape, own shape keys, weights. Nothing is changed."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import XpbdError
from ..data.bake_record import ABSOLUTE, read_record
from .points import point_count, read_points

Floats = npt.NDArray[np.float64]

# Deformers of a rig work on the vertices that are simulated; what changes the vertices must come after them
RIG_MODIFIERS = frozenset({"ARMATURE", "CURVE", "HOOK", "LATTICE", "MESH_DEFORM", "SURFACE_DEFORM"})
TOPOLOGY_MODIFIERS = frozenset(
    {
        "ARRAY",
        "BEVEL",
        "BOOLEAN",
        "BUILD",
        "DECIMATE",
        "EDGE_SPLIT",
        "EXPLODE",
        "MASK",
        "MIRROR",
        "MULTIRES",
        "OCEAN",
        "REMESH",
        "SCREW",
        "SKIN",
        "SOLIDIFY",
        "SUBSURF",
        "TRIANGULATE",
        "WELD",
        "WIREFRAME",
    }
)
# Greater coordinates than this are faults of whoever made the mesh
FARTHEST = 1e18
_EDITING_MODES = {"EDIT": "Edit Mode", "SCULPT": "Sculpt Mode"}


def editing_mode(obj: bpy.types.Object) -> str:
    """The mode, if it keeps its own copy of the mesh, so that keys written now would be lost; else ""."""
    return _EDITING_MODES["EDIT"] if is_edited(obj) else _EDITING_MODES.get(obj.mode, "")


def is_edited(obj: bpy.types.Object) -> bool:
    """Whether its data are in Edit Mode, by this object or another that has them too. Hair does not tell the latter."""
    return obj.mode == "EDIT" or bool(getattr(obj.data, "is_editmode", False))


def own_shape_keys(data: Any) -> bpy.types.Key | None:
    """The shape keys of an object's data; hair can have none."""
    keys: bpy.types.Key | None = getattr(data, "shape_keys", None)
    return keys


def check_object(obj: bpy.types.Object, *, make_single_user: bool = False) -> None:
    """Refuse an object whose shape keys could not be written, or would be lost.

    Args:
        obj: of a type that is simulated.
        make_single_user: data that several objects use are no fault: they will be copied.

    Raises:
        XpbdError: E_DATA_LINKED, E_DATA_SHARED, E_MODE_EDIT or E_MODIFIER_TOPOLOGY.
    """
    mesh = obj.data
    for data in (obj, mesh, own_shape_keys(mesh)):
        if data is not None and (data.library is not None or data.override_library is not None):
            raise XpbdError(
                "E_DATA_LINKED",
                "The object or its mesh is linked from another file or a library override, where shape keys would be "
                "lost on saving: make it local (Object > Relations > Make Local > Selected Objects and Data).",
                obj.name,
            )
    if editing_mode(obj):
        raise XpbdError("E_MODE_EDIT", "The mesh is being edited: go back to Object Mode (Tab) first.", obj.name)
    if not make_single_user and is_shared(obj):
        raise XpbdError(
            "E_DATA_SHARED",
            "Other objects use the same mesh and would gain the shape keys: make it single-user first (Object > "
            "Relations > Make Single User > Object & Data).",
            obj.name,
        )
    check_modifiers(obj)


def is_shared(obj: bpy.types.Object) -> bool:
    """Whether another object has the same mesh."""
    return any(other.data == obj.data for other in bpy.data.objects if other != obj)


def check_modifiers(obj: bpy.types.Object) -> None:
    """Refuse a stack in which a rig deforms what another modifier has made.

    Raises:
        XpbdError: E_MODIFIER_TOPOLOGY.
    """
    changer = ""
    for modifier in obj.modifiers:
        if not (modifier.show_viewport or modifier.show_render):
            continue
        if modifier.type in TOPOLOGY_MODIFIERS:
            changer = changer or modifier.name
        elif modifier.type in RIG_MODIFIERS and changer:
            raise XpbdError(
                "E_MODIFIER_TOPOLOGY",
                f'The modifier "{changer}" changes the vertices before "{modifier.name}" moves them; the simulation '
                f'moves the vertices of the mesh itself: move "{changer}" below "{modifier.name}".',
                obj.name,
            )


def read_uvs(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[np.float32]:
    """UV of each corner, shape (corners, 2), from the named map or the active one; (0, 2) where there is none."""
    layer = mesh.uv_layers.get(name) if name else mesh.uv_layers.active
    if layer is None:
        return np.zeros((0, 2), np.float32)
    uvs = np.zeros((len(mesh.loops), 2), np.float32)
    layer.uv.foreach_get("vector", uvs.ravel())
    return uvs


def key_coordinates(key_block: bpy.types.ShapeKey) -> Floats:
    """Local coordinates of a shape key, shape (points, 3)."""
    if len(key_block.points) == 0:
        # of a curve, whose keys Blender has no fast way to
        places: list[Any] = [point.co[:] for point in key_block.data]
        return np.array(places, np.float64).reshape(-1, 3)
    coordinates = np.empty((len(key_block.points), 3), np.float32)
    key_block.points.foreach_get("co", coordinates.ravel())
    return coordinates.astype(np.float64)


def read_rest_shape(obj: bpy.types.Object) -> Floats:
    """The mesh before its modifiers as the artist's own shape keys make it, without what a bake has added.

    A pinned key is shown alone. Else relative keys are mixed by their present values; of absolute
    keys the two around the evaluation time are, or were before our bake.

    Returns:
        Local coordinates, shape (vertices, 3).

    Raises:
        XpbdError: E_GEOM_NONFINITE.
    """
    pinned = pinned_key(obj)
    return _checked(obj, _key_alone(obj, pinned)) if pinned is not None else read_mixed_shape(obj)


def read_mixed_shape(obj: bpy.types.Object) -> Floats:
    """As ``read_rest_shape``, but as if no key were pinned: so the artist's keys are shown below relative baked ones.

    Raises:
        XpbdError: E_GEOM_NONFINITE.
    """
    keys = own_shape_keys(obj.data)
    return _checked(obj, _mix_of_keys(obj, keys) if keys is not None else read_points(obj.data))


def _checked(obj: bpy.types.Object, coordinates: Floats) -> Floats:
    # Also what overflows in float32 as soon as it is squared
    bad = np.flatnonzero(~(np.abs(coordinates) < FARTHEST).all(axis=1))
    if len(bad):
        place = f"{'Vertex' if obj.type == 'MESH' else 'Point'} {int(bad[0])}"
        raise XpbdError("E_GEOM_NONFINITE", f"{place} is at no finite place: move or delete it.", obj.name)
    return coordinates


def pinned_key(obj: bpy.types.Object) -> bpy.types.ShapeKey | None:
    """The artist's key that is shown alone, or was before a bake, which takes the pin away until it is cleared."""
    own = own_keys(obj)
    if obj.show_only_shape_key and obj.active_shape_key in own:
        return obj.active_shape_key
    record = read_record(obj)
    if record is None or not record.show_only or record.created_keys:
        return None
    blocks = obj.data.shape_keys.key_blocks if own else ()
    before = blocks[record.active_index] if record.active_index < len(blocks) else None
    return before if before in own else None


def own_keys(obj: bpy.types.Object) -> list[bpy.types.ShapeKey]:
    """The artist's shape keys: all but those that a bake has added."""
    keys = own_shape_keys(obj.data)
    if keys is None:
        return []
    record = read_record(obj)
    ours = record.key_names() if record else frozenset()
    own = [block for block in keys.key_blocks if block.name not in ours]
    # A Basis that we made is the artist's as soon as other keys refer to it
    return [] if record and record.created_keys and len(own) == 1 else own


def _mix_of_keys(obj: bpy.types.Object, keys: bpy.types.Key) -> Floats:
    own = own_keys(obj)
    record = read_record(obj)
    basis = keys.reference_key
    if not own or (record and record.created_keys and record.style == ABSOLUTE):
        return key_coordinates(basis)
    before = record if record and not record.created_keys else keys
    return _relative_mix(obj, own, basis) if before.use_relative else _absolute_mix(own, before.eval_time)


def _key_alone(obj: bpy.types.Object, block: bpy.types.ShapeKey) -> Floats:
    """A pinned key as Blender shows it: not if it is muted, and as far as its vertex group says."""
    basis = key_coordinates(obj.data.shape_keys.reference_key)
    if block.mute:
        return basis
    coordinates = key_coordinates(block)
    if not block.vertex_group:
        return coordinates
    return basis + (coordinates - basis) * group_weights(obj, block.vertex_group)[:, None]


def _relative_mix(obj: bpy.types.Object, blocks: list[bpy.types.ShapeKey], basis: bpy.types.ShapeKey) -> Floats:
    mixed = key_coordinates(basis)
    for block in blocks:
        if block == basis or block.mute or block.value == 0.0:
            continue
        offset = (key_coordinates(block) - key_coordinates(block.relative_key)) * block.value
        if block.vertex_group:
            offset *= group_weights(obj, block.vertex_group)[:, None]
        mixed += offset
    return mixed


def _absolute_mix(blocks: list[bpy.types.ShapeKey], time: float) -> Floats:
    blocks = sorted(blocks, key=lambda block: block.frame)
    after = next((index for index, block in enumerate(blocks) if block.frame >= time), len(blocks) - 1)
    before = max(after - 1, 0)
    first, second = blocks[before], blocks[after]
    span = second.frame - first.frame
    share = min(max((time - first.frame) / span, 0.0), 1.0) if span > 0 else 1.0
    return (1.0 - share) * key_coordinates(first) + share * key_coordinates(second)


def has_group(obj: bpy.types.Object, name: str) -> bool:
    """Whether an object has a vertex group; hair has attributes of its points instead, a curve has neither."""
    if obj.type == "CURVES":
        return _point_attribute(obj, name) is not None
    return obj.vertex_groups.get(name) is not None


def _point_attribute(obj: bpy.types.Object, name: str) -> Any:
    attribute = obj.data.attributes.get(name)
    is_weight = attribute is not None and attribute.domain == "POINT" and attribute.data_type == "FLOAT"
    return attribute if is_weight else None


def group_weights(obj: bpy.types.Object, name: str) -> npt.NDArray[np.float32]:
    """Weight of each point in a group, 0 where it is not in it or the group is missing; shape (points,)."""
    data = obj.data
    weights = np.zeros(point_count(data), np.float32)
    if obj.type == "CURVES":
        if (attribute := _point_attribute(obj, name)) is not None:
            attribute.data.foreach_get("value", weights)
        return np.where(np.isfinite(weights), np.maximum(weights, np.float32(0.0)), np.float32(0.0))
    group = obj.vertex_groups.get(name)
    if group is None or obj.type != "MESH":
        return weights
    index = group.index
    for vertex in data.vertices:
        for element in vertex.groups:
            if element.group == index:
                weights[vertex.index] = element.weight
                break
    return weights
