# SPDX-License-Identifier: GPL-3.0-or-later
"""The strain of a mesh as an attribute that plays with its keys: a Geometry Nodes modifier.

Blender keeps no attribute per frame. So nodes compute it from what is shown, by ``rest_position``, which Blender adds
before keys and modifiers: whatever plays the mesh, the attribute goes with it, in viewports, renders and exports.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..reading.mesh_reader import RIG_MODIFIERS

MODIFIER = "XPBD Strain"
# of vertices: mean of |length / rest length − 1| over the edges of a vertex; and a colour for it
STRAIN, COLOUR = "xpbd_strain", "xpbd_strain_color"
_REST = "rest_position"
_FULL = "Full Strain"
_STORE = "GeometryNodeStoreNamedAttribute"
# on the object, so that Clear knows what it may take away
_MARK = "xpbd_strain_rest"
_COLOURS = ((0.0, (0.02, 0.05, 0.6)), (0.35, (0.0, 0.6, 0.4)), (0.7, (0.9, 0.75, 0.0)), (1.0, (0.8, 0.02, 0.02)))


def shows_strain(obj: bpy.types.Object) -> bool:
    """Whether the object has the modifier."""
    return _rest_before(obj) is not None and _modifier(obj) is not None


def show_strain(obj: bpy.types.Object, full: float) -> None:
    """Add the modifier, after the deformers at the head of the stack, where the mesh is as it was simulated.

    Args:
        obj: a mesh object.
        full: strain of the last colour, as a share.
    """
    hide_strain(obj)
    obj[_MARK] = bool(obj.add_rest_position_attribute)
    obj.add_rest_position_attribute = True
    modifier = obj.modifiers.new(MODIFIER, "NODES")
    modifier.node_group = _node_tree(full)
    place = 0
    while obj.modifiers[place].type in RIG_MODIFIERS:
        place += 1
    obj.modifiers.move(len(obj.modifiers) - 1, place)


def hide_strain(obj: bpy.types.Object) -> bool:
    """Take the modifier away, and all that came with it; whether it was there."""
    had_rest = _rest_before(obj)
    if had_rest is None:
        return False
    del obj[_MARK]
    obj.add_rest_position_attribute = had_rest
    modifier = _modifier(obj)
    if modifier is None:
        return False
    tree = getattr(modifier, "node_group", None)
    obj.modifiers.remove(modifier)
    if tree is not None and tree.users == 0:
        bpy.data.node_groups.remove(tree)
    return True


def _modifier(obj: Any) -> Any:
    """The modifier, by its name or by what its nodes store, for an artist may rename it; None where there is none."""
    for modifier in obj.modifiers:
        tree = getattr(modifier, "node_group", None)
        nodes = tree.nodes if tree is not None else ()
        if modifier.name == MODIFIER or any(
            node.bl_idname == _STORE and node.inputs["Name"].default_value == STRAIN for node in nodes
        ):
            return modifier
    return None


def _rest_before(obj: Any) -> bool | None:
    """Whether the object had a rest position before it showed its strain; None where it does not show it."""
    mark = obj.get(_MARK)
    return None if mark is None else bool(mark)


def _node_tree(full: float) -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new(MODIFIER, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    socket = tree.interface.new_socket(_FULL, in_out="INPUT", socket_type="NodeSocketFloat")
    socket.default_value, socket.min_value = full, 1e-6
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    links, nodes = tree.links, tree.nodes
    begin, end = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    edge = nodes.new("GeometryNodeInputMeshEdgeVertices")
    strain = _math(tree, "ABSOLUTE", _math(tree, "SUBTRACT", _stretch(tree, edge), 1.0).outputs[0])
    # computed of edges, and only then brought to vertices
    of_edges = nodes.new("GeometryNodeFieldOnDomain")
    of_edges.data_type, of_edges.domain = "FLOAT", "EDGE"
    links.new(strain.outputs[0], of_edges.inputs["Value"])
    keep = _stored(tree, STRAIN, "FLOAT", of_edges.outputs["Value"])
    links.new(begin.outputs["Geometry"], keep.inputs["Geometry"])
    ramp = nodes.new("ShaderNodeValToRGB")
    _set_colours(ramp.color_ramp)
    stored = nodes.new("GeometryNodeInputNamedAttribute")
    stored.data_type = "FLOAT"
    stored.inputs["Name"].default_value = STRAIN
    share = _math(tree, "DIVIDE", stored.outputs["Attribute"])
    links.new(begin.outputs[_FULL], share.inputs[1])
    links.new(share.outputs[0], ramp.inputs[0])
    colour = _stored(tree, COLOUR, "FLOAT_COLOR", ramp.outputs["Color"])
    links.new(keep.outputs["Geometry"], colour.inputs["Geometry"])
    links.new(colour.outputs["Geometry"], end.inputs["Geometry"])
    for number, node in enumerate(nodes):
        node.location = (180.0 * (number % 6), -220.0 * (number // 6))
    return tree


def _stretch(tree: bpy.types.NodeTree, edge: bpy.types.Node) -> bpy.types.NodeSocket:
    """The length of an edge by that at rest."""
    rest = tree.nodes.new("GeometryNodeInputNamedAttribute")
    rest.data_type = "FLOAT_VECTOR"
    rest.inputs["Name"].default_value = _REST
    ends = []
    for number in (1, 2):
        at = tree.nodes.new("GeometryNodeFieldAtIndex")
        at.data_type, at.domain = "FLOAT_VECTOR", "POINT"
        tree.links.new(edge.outputs[f"Vertex Index {number}"], at.inputs["Index"])
        tree.links.new(rest.outputs["Attribute"], at.inputs["Value"])
        ends.append(at.outputs["Value"])
    # in the object's own coordinates what is scaled unevenly would be strained as it turns
    info = tree.nodes.new("GeometryNodeObjectInfo")
    tree.links.new(tree.nodes.new("GeometryNodeSelfObject").outputs[0], info.inputs["Object"])
    scale = info.outputs["Scale"]
    shown = _length(tree, edge.outputs["Position 1"], edge.outputs["Position 2"], scale)
    divide = _math(tree, "DIVIDE", shown)
    tree.links.new(_length(tree, ends[0], ends[1], scale), divide.inputs[1])
    return divide.outputs[0]


def _length(
    tree: bpy.types.NodeTree, first: bpy.types.NodeSocket, second: bpy.types.NodeSocket, scale: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    """How far two points of a scaled object are apart."""
    way = _vector(tree, "SUBTRACT", first, second)
    scaled = _vector(tree, "MULTIPLY", way.outputs["Vector"], scale)
    return _vector(tree, "LENGTH", scaled.outputs["Vector"]).outputs["Value"]


def _vector(tree: bpy.types.NodeTree, operation: str, *values: bpy.types.NodeSocket) -> bpy.types.Node:
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = operation
    for socket, value in zip(node.inputs, values, strict=False):
        tree.links.new(value, socket)
    return node


def _math(
    tree: bpy.types.NodeTree, operation: str, first: bpy.types.NodeSocket, second: float | None = None
) -> bpy.types.Node:
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    tree.links.new(first, node.inputs[0])
    if second is not None:
        node.inputs[1].default_value = second
    return node


def _stored(tree: bpy.types.NodeTree, name: str, kind: str, value: bpy.types.NodeSocket) -> bpy.types.Node:
    """A node that keeps a field of edges as an attribute of vertices: the mean of a vertex's edges."""
    node = tree.nodes.new(_STORE)
    node.data_type, node.domain = kind, "POINT"
    node.inputs["Name"].default_value = name
    tree.links.new(value, node.inputs["Value"])
    return node


def _set_colours(ramp: bpy.types.ColorRamp) -> None:
    elements = ramp.elements
    while len(elements) < len(_COLOURS):
        elements.new(0.5)
    for element, (position, colour) in zip(elements, _COLOURS, strict=True):
        element.position, element.color = position, (*colour, 1.0)
