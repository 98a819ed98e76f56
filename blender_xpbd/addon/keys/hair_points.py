# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair that plays a bake: Blender gives hair no shape keys, so a mesh of its points has them.

The mesh object is in no collection; its vertices are the points of the hair, in its coordinates. A geometry nodes
modifier of the hair reads it and puts each point where the vertex of the same number is. All three, object, mesh and
node group, have one name, which the bake's record holds before they are made.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..reading.points import read_points, read_segments

_NODE = "XPBD Points"
_MODIFIER = "XPBD"
_SURFACE_NODE = "GeometryNodeDeformCurvesOnSurface"


def free_points_name(object_name: str) -> str:
    """A name that no object, mesh or node group has."""
    # an ID's name has at most 63 bytes, which a long name with umlauts may pass
    stem = f"{_NODE} {object_name}".encode()[:48].decode("utf-8", "ignore")
    name, number = stem, 1
    while any(name in collection for collection in (bpy.data.objects, bpy.data.meshes, bpy.data.node_groups)):
        name, number = f"{stem}.{number:03d}", number + 1
    return name


def add_points(hair: bpy.types.Object, name: str) -> bpy.types.Object:
    """Make the mesh object, and let the hair follow it.

    Returns:
        The mesh object.
    """
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(read_points(hair.data).tolist(), read_segments(hair.data).tolist(), [])
    points = bpy.data.objects.new(name, mesh)
    active = hair.modifiers.active
    active_name = active.name if active else ""
    modifier: Any = hair.modifiers.new(_MODIFIER, "NODES")
    modifier.node_group = _node_group(name, points)
    modifier.show_expanded = False
    hair.modifiers.move(len(hair.modifiers) - 1, _place(hair))
    hair.modifiers.active = hair.modifiers.get(active_name) if active_name else None
    return points


def points_modifier(hair: bpy.types.Object) -> Any:
    """The modifier that plays a bake, whatever it is called now, or None."""
    modifiers: list[Any] = [modifier for modifier in hair.modifiers if modifier.type == "NODES"]
    return next((each for each in modifiers if each.node_group and _NODE in each.node_group.nodes), None)


def followed_points(hair: bpy.types.Object, name: str) -> bpy.types.Object | None:
    """The mesh object that hair follows, by its modifier or else by the name that it had when it was made."""
    modifier = points_modifier(hair)
    group = modifier.node_group if modifier is not None else bpy.data.node_groups.get(name)
    found = group.nodes[_NODE].inputs["Object"].default_value if group is not None and _NODE in group.nodes else None
    points: bpy.types.Object | None = found or bpy.data.objects.get(name)
    return points


def is_played_by_others(hair: bpy.types.Object) -> bool:
    """Whether a copy of the hair plays the same bake."""
    modifier = points_modifier(hair)
    return modifier is not None and modifier.node_group.users > 1


def remove_points(hair: bpy.types.Object, name: str) -> None:
    """Remove what a bake has added; mesh and node group stay as long as a copy of the hair plays them.

    Args:
        hair: that plays the bake.
        name: of mesh object, mesh and node group when they were made.
    """
    modifier, points = points_modifier(hair), followed_points(hair, name)
    group = modifier.node_group if modifier is not None else bpy.data.node_groups.get(name)
    if modifier is not None:
        hair.modifiers.remove(modifier)
    if group is not None and group.users == 0:
        bpy.data.node_groups.remove(group)
    if points is not None and points.users == 0:
        mesh: Any = points.data
        bpy.data.objects.remove(points)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)


def _place(hair: bpy.types.Object) -> int:
    """Before all modifiers, but after those that let hair follow its surface, as the baked points do by themselves."""
    following = [index for index, modifier in enumerate(hair.modifiers) if _follows_surface(modifier)]
    return following[-1] + 1 if following else 0


def _follows_surface(modifier: Any) -> bool:
    group = modifier.node_group if modifier.type == "NODES" else None
    return group is not None and any(node.bl_idname == _SURFACE_NODE for node in group.nodes)


def _node_group(name: str, points: bpy.types.Object) -> bpy.types.NodeTree:
    """Nodes that put point i of a geometry where vertex i of an object is, both in their own coordinates."""
    group: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    source = group.nodes.new("GeometryNodeObjectInfo")
    source.name = source.label = _NODE
    source.transform_space = "ORIGINAL"
    source.inputs["Object"].default_value = points
    sample = group.nodes.new("GeometryNodeSampleIndex")
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    position, index = group.nodes.new("GeometryNodeInputPosition"), group.nodes.new("GeometryNodeInputIndex")
    put = group.nodes.new("GeometryNodeSetPosition")
    for column, node in enumerate((start, source, position, index, sample, put, end)):
        node.location = (180.0 * column, 0.0)
    value = next(socket for socket in sample.inputs if socket.name == "Value" and socket.enabled)
    sampled = next(socket for socket in sample.outputs if socket.enabled)
    for output, target in (
        (start.outputs[0], put.inputs["Geometry"]),
        (source.outputs["Geometry"], sample.inputs["Geometry"]),
        (position.outputs[0], value),
        (index.outputs[0], sample.inputs["Index"]),
        (sampled, put.inputs["Position"]),
        (put.outputs[0], end.inputs[0]),
    ):
        group.links.new(output, target)
    return group
