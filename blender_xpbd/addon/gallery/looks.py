# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies without faces are seen: by Geometry Nodes modifiers, after what a bake writes."""

from __future__ import annotations

from typing import Any

import bpy

_SIDES = 8


def paint(obj: Any) -> None:
    """Give what the last modifier makes, which is of Geometry Nodes, the material of the object."""
    tree = obj.modifiers[-1].node_group
    end = tree.nodes["Group Output"].inputs[0]
    node = tree.nodes.new("GeometryNodeSetMaterial")
    node.inputs["Material"].default_value = obj.data.materials[0]
    tree.links.new(end.links[0].from_socket, node.inputs["Geometry"])
    tree.links.new(node.outputs[0], end)


def show_edges(obj: Any, thickness: float) -> None:
    """Show edges without faces as round threads so thick [m], beside what the object shows already."""
    if not obj.modifiers:
        obj.modifiers.new("Threads", "NODES").node_group = _unchanged(obj.name)
    tree = obj.modifiers[-1].node_group
    begin, end = tree.nodes["Group Input"], tree.nodes["Group Output"].inputs[0]
    faces = tree.nodes.new("GeometryNodeInputMeshEdgeNeighbors")
    is_loose = tree.nodes.new("FunctionNodeCompare")
    is_loose.data_type, is_loose.operation = "INT", "EQUAL"
    curves = tree.nodes.new("GeometryNodeMeshToCurve")
    circle = tree.nodes.new("GeometryNodeCurvePrimitiveCircle")
    circle.inputs["Resolution"].default_value = _SIDES
    circle.inputs["Radius"].default_value = 0.5 * thickness
    threads = tree.nodes.new("GeometryNodeCurveToMesh")
    both = tree.nodes.new("GeometryNodeJoinGeometry")
    shown = end.links[0].from_socket
    links = tree.links
    links.new(faces.outputs["Face Count"], is_loose.inputs["A"])
    links.new(begin.outputs[0], curves.inputs[0])
    links.new(is_loose.outputs[0], curves.inputs["Selection"])
    links.new(curves.outputs[0], threads.inputs[0])
    links.new(circle.outputs[0], threads.inputs[1])
    links.new(shown, both.inputs[0])
    links.new(threads.outputs[0], both.inputs[0])
    links.new(both.outputs[0], end)
    paint(obj)


def _unchanged(name: str) -> Any:
    """A tree of nodes that hands geometry on as it is."""
    tree: Any = bpy.data.node_groups.new(f"Threads of {name}", "GeometryNodeTree")
    for kind in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=kind, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(begin.outputs[0], end.inputs[0])
    return tree
