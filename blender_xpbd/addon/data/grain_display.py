# SPDX-License-Identifier: GPL-3.0-or-later
"""Balls at the vertices of an object, so that grains are seen: a Geometry Nodes modifier, which is the artist's own."""

from __future__ import annotations

import bpy

MODIFIER = "Grains"
# how round each ball is: twice subdivided has 162 vertices
SUBDIVISIONS = 2


def show_grains(obj: bpy.types.Object) -> None:
    """Add the modifier, last of the stack; the balls have the radius that the object has, whenever it changes."""
    tree = _node_tree(obj)
    modifier = obj.modifiers.new(MODIFIER, "NODES")
    modifier.node_group = tree


def _node_tree(obj: bpy.types.Object) -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new(f"{MODIFIER} of {obj.name}", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    radius = tree.nodes.new("ShaderNodeValue")
    ball = tree.nodes.new("GeometryNodeMeshIcoSphere")
    smooth = tree.nodes.new("GeometryNodeSetShadeSmooth")
    place = tree.nodes.new("GeometryNodeInstanceOnPoints")
    radius.label = "Radius"
    ball.inputs["Subdivisions"].default_value = SUBDIVISIONS
    for n, node in enumerate((begin, radius, ball, smooth, place, end)):
        node.location = (200.0 * n, -150.0 * (n in {1, 2, 3}))
    links = tree.links
    links.new(radius.outputs[0], ball.inputs["Radius"])
    links.new(ball.outputs["Mesh"], smooth.inputs[0])
    links.new(begin.outputs[0], place.inputs["Points"])
    links.new(smooth.outputs[0], place.inputs["Instance"])
    links.new(place.outputs[0], end.inputs[0])
    _drive(radius.outputs[0], obj)
    return tree


def _drive(socket: bpy.types.NodeSocket, obj: bpy.types.Object) -> None:
    """Let a number of a node tree be the radius of an object."""
    driver = socket.driver_add("default_value").driver
    driver.type = "AVERAGE"
    variable = driver.variables.new()
    variable.targets[0].id = obj
    variable.targets[0].data_path = "xpbd.radius"
