# SPDX-License-Identifier: GPL-3.0-or-later
"""The strain of a mesh as an attribute that plays with its keys: a Geometry Nodes modifier.

Blender keeps no attribute per frame. So nodes compute it from what is shown, by ``rest_position``, which Blender adds
before keys and modifiers: whatever plays the mesh, the attribute goes with it, in viewports, renders and exports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body_kinds import body_kind
from ..data.object_types import is_body
from ..reading.mesh_reader import RIG_MODIFIERS

MODIFIER = "XPBD Strain"
# of vertices: mean of |length / rest length − 1| over the edges of a vertex; and a colour for it
STRAIN = "xpbd_strain"
# of vertices, by stress_map.py: mean of the stress of the faces of a vertex
STRESS = "xpbd_stress"
MAPS = (STRAIN, STRESS)
# of each a colour beside it
COLOUR_SUFFIX = "_color"
_REST = "rest_position"
_FULL = "Full Strain"
_STORE = "GeometryNodeStoreNamedAttribute"
# strain that has the last colour where nothing else was chosen, as a share
FULL_STRAIN = 0.1
# on the object, so that Clear knows what it may take away
_MARK = "xpbd_strain_rest"
_COLOURS = ((0.0, (0.02, 0.05, 0.6)), (0.35, (0.0, 0.6, 0.4)), (0.7, (0.9, 0.75, 0.0)), (1.0, (0.8, 0.02, 0.02)))


def shows_strain(obj: bpy.types.Object) -> bool:
    """Whether the object has the modifier, of strain or of stress."""
    return _rest_before(obj) is not None and _modifier(obj) is not None


def shown_map(obj: bpy.types.Object) -> str:
    """The attribute that the object's modifier gives it, strain or stress; "" where it has none."""
    return _map_of(_modifier(obj)) if _rest_before(obj) is not None else ""


def show_strain(obj: bpy.types.Object, full: float) -> None:
    """Add the modifier, after the deformers at the head of the stack, where the mesh is as it was simulated.

    Args:
        obj: a mesh object.
        full: strain of the last colour, as a share.
    """
    show_map(obj, MODIFIER, _node_tree(full, is_sewn=is_sewn(obj)))


def is_sewn(obj: bpy.types.Object) -> bool:
    """Whether edges without faces are seams, which close: that is no strain."""
    return is_body(obj) and body_kind(obj.xpbd.role).is_sheet and bool(obj.xpbd.use_stitches)


def map_colours(shares: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float32]:
    """The colours that nodes give to shares of what has the last colour, shape (shares, 4)."""
    places, colours = [place for place, _ in _COLOURS], np.array([colour for _, colour in _COLOURS])
    channels = [np.interp(shares, places, channel) for channel in colours.T]
    return np.stack([*channels, np.ones(len(shares))], axis=1).astype(np.float32)


def show_map(obj: bpy.types.Object, name: str, tree: bpy.types.NodeTree) -> None:
    """Give an object a modifier that shows strain or stress, in the place of one that it has.

    Args:
        obj: a mesh object.
        name: of the modifier.
        tree: its nodes.
    """
    hide_strain(obj)
    obj[_MARK] = bool(obj.add_rest_position_attribute)
    obj.add_rest_position_attribute = True
    modifier = obj.modifiers.new(name, "NODES")
    modifier.node_group = tree
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
    named = [modifier for modifier in obj.modifiers if modifier.name == MODIFIER]
    return next((modifier for modifier in obj.modifiers if _map_of(modifier)), named[0] if named else None)


def _map_of(modifier: Any) -> str:
    """Which of our attributes the nodes of a modifier store; "" for none."""
    tree = getattr(modifier, "node_group", None)
    for node in tree.nodes if tree is not None else ():
        if node.bl_idname == _STORE and node.inputs["Name"].default_value in MAPS:
            return str(node.inputs["Name"].default_value)
    return ""


def _rest_before(obj: Any) -> bool | None:
    """Whether the object had a rest position before it showed its strain; None where it does not show it."""
    mark = obj.get(_MARK)
    return None if mark is None else bool(mark)


def _node_tree(full: float, *, is_sewn: bool) -> bpy.types.NodeTree:
    """Nodes that store the strain.

    Args:
        full: as of ``show_strain``.
        is_sewn: as the function says.
    """
    tree, begin = map_tree(MODIFIER, {_FULL: full})
    edge = tree.nodes.new("GeometryNodeInputMeshEdgeVertices")
    strain = math_node(tree, "ABSOLUTE", math_node(tree, "SUBTRACT", _stretch(tree, edge), 1.0).outputs[0]).outputs[0]
    around = on_domain(tree, "EDGE", strain)
    if is_sewn:
        faces = tree.nodes.new("GeometryNodeInputMeshEdgeNeighbors").outputs["Face Count"]
        counts = math_node(tree, "GREATER_THAN", faces, 0.5).outputs[0]
        strained = on_domain(tree, "EDGE", math_node(tree, "MULTIPLY", strain, counts).outputs[0])
        # Blender's own division gives 0 at a vertex that seams alone have
        around = math_node(tree, "DIVIDE", strained, on_domain(tree, "EDGE", counts)).outputs[0]
    keep_map(tree, begin, STRAIN, around, _FULL)
    return tree


def map_tree(name: str, values: Mapping[str, float]) -> tuple[bpy.types.NodeTree, bpy.types.Node]:
    """Nodes of a modifier that has some positive values, and the node that they and the geometry come from."""
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    for label, value in values.items():
        socket = tree.interface.new_socket(label, in_out="INPUT", socket_type="NodeSocketFloat")
        socket.default_value, socket.min_value = value, 1e-6
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    return tree, tree.nodes.new("NodeGroupInput")


def keep_map(
    tree: bpy.types.NodeTree,
    begin: bpy.types.Node,
    name: str,
    field: bpy.types.NodeSocket,
    full: str,
) -> None:
    """Store a field of vertices and its colour as attributes.

    Args:
        tree: of ``map_tree``, which is complete then.
        begin: the same.
        name: of the attribute.
        field: the values, as ``on_domain`` gives them.
        full: label of the value that has the last colour.
    """
    links, nodes = tree.links, tree.nodes
    end = nodes.new("NodeGroupOutput")
    keep = _stored_node(tree, name, "FLOAT", field)
    links.new(begin.outputs["Geometry"], keep.inputs["Geometry"])
    ramp = nodes.new("ShaderNodeValToRGB")
    _set_colours(ramp.color_ramp)
    stored = nodes.new("GeometryNodeInputNamedAttribute")
    stored.data_type = "FLOAT"
    stored.inputs["Name"].default_value = name
    share = math_node(tree, "DIVIDE", stored.outputs["Attribute"], begin.outputs[full])
    links.new(share.outputs[0], ramp.inputs[0])
    colour = _stored_node(tree, name + COLOUR_SUFFIX, "FLOAT_COLOR", ramp.outputs["Color"])
    links.new(keep.outputs["Geometry"], colour.inputs["Geometry"])
    links.new(colour.outputs["Geometry"], end.inputs["Geometry"])
    for number, node in enumerate(nodes):
        node.location = (180.0 * (number % 6), -220.0 * (number // 6))


def on_domain(
    tree: bpy.types.NodeTree, domain: Literal["EDGE", "FACE"], field: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    """A field that is computed of edges or faces: at a vertex it is the mean of those around."""
    node = tree.nodes.new("GeometryNodeFieldOnDomain")
    node.data_type, node.domain = "FLOAT", domain
    tree.links.new(field, node.inputs["Value"])
    return node.outputs["Value"]


def rest_positions(tree: bpy.types.NodeTree) -> bpy.types.NodeSocket:
    """Where vertices rest, before keys and modifiers."""
    rest = tree.nodes.new("GeometryNodeInputNamedAttribute")
    rest.data_type = "FLOAT_VECTOR"
    rest.inputs["Name"].default_value = _REST
    return rest.outputs["Attribute"]


def at_vertex(
    tree: bpy.types.NodeTree, vectors: bpy.types.NodeSocket, index: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    """Of vectors of vertices that of one."""
    at = tree.nodes.new("GeometryNodeFieldAtIndex")
    at.data_type, at.domain = "FLOAT_VECTOR", "POINT"
    tree.links.new(index, at.inputs["Index"])
    tree.links.new(vectors, at.inputs["Value"])
    return at.outputs["Value"]


def object_scale(tree: bpy.types.NodeTree) -> bpy.types.NodeSocket:
    """The object's own: in its coordinates what is scaled unevenly would be strained as it turns."""
    info = tree.nodes.new("GeometryNodeObjectInfo")
    tree.links.new(tree.nodes.new("GeometryNodeSelfObject").outputs[0], info.inputs["Object"])
    return info.outputs["Scale"]


def _stretch(tree: bpy.types.NodeTree, edge: bpy.types.Node) -> bpy.types.NodeSocket:
    """The length of an edge by that at rest."""
    rest, scale = rest_positions(tree), object_scale(tree)
    ends = [at_vertex(tree, rest, edge.outputs[f"Vertex Index {number}"]) for number in (1, 2)]
    shown = _length(tree, edge.outputs["Position 1"], edge.outputs["Position 2"], scale)
    divide = math_node(tree, "DIVIDE", shown)
    tree.links.new(_length(tree, ends[0], ends[1], scale), divide.inputs[1])
    return divide.outputs[0]


def _length(
    tree: bpy.types.NodeTree, first: bpy.types.NodeSocket, second: bpy.types.NodeSocket, scale: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    """How far two points of a scaled object are apart."""
    way = vector_node(tree, "SUBTRACT", first, second)
    scaled = vector_node(tree, "MULTIPLY", way.outputs["Vector"], scale)
    return vector_node(tree, "LENGTH", scaled.outputs["Vector"]).outputs["Value"]


def vector_node(tree: bpy.types.NodeTree, operation: str, *values: bpy.types.NodeSocket) -> bpy.types.Node:
    """A node that computes with vectors."""
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = operation
    for socket, value in zip(node.inputs, values, strict=False):
        tree.links.new(value, socket)
    return node


def math_node(
    tree: bpy.types.NodeTree, operation: str, first: Any, second: Any = None, third: Any = None
) -> bpy.types.Node:
    """A node that computes with one to three values, each a number or a socket."""
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    for socket, value in zip(node.inputs, (first, second, third), strict=False):
        if isinstance(value, float):
            socket.default_value = value
        elif value is not None:
            tree.links.new(value, socket)
    return node


def _stored_node(tree: bpy.types.NodeTree, name: str, kind: str, value: bpy.types.NodeSocket) -> bpy.types.Node:
    """A node that keeps a field as an attribute of vertices."""
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
