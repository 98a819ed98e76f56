# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a body, by its object alone and by the scene that a bake reads."""

from __future__ import annotations

import pytest


def group(body, name, weights):
    """A vertex group, by the weights of its vertices; return its name."""
    made = body.vertex_groups.new(name=name)
    for vertex, weight in weights.items():
        made.add([vertex], weight, "REPLACE")
    return name


PINNED, ATTACHED = {0: 1.0, 1: 0.4, 2: 0.9}, {2: 0.3, 3: 0.6, 5: 0.2}
CASES = {
    "nothing": ("", "", []),
    "pins": ("PINS", "", [0, 2]),
    "an empty": ("", "EMPTY", [3]),
    "pins and an empty": ("PINS", "EMPTY", [0, 3]),
    "a collider": ("PINS", "COLLIDER", [0, 3]),
    "a body": ("", "BODY", [3]),
    "pins and a body": ("PINS", "BODY", [0, 2, 3]),
    "what is disabled": ("PINS", "DISABLED", [0, 2]),
    "itself": ("PINS", "ITSELF", [0, 2]),
    "a group that is missing": ("PINS", "UNGROUPED", [0, 2]),
}


@pytest.mark.parametrize(("pins", "target", "wanted"), CASES.values(), ids=CASES.keys())
def test_pins_and_attachments_hold_a_body(bpy, make_body, read, pins, target, wanted):
    from blender_xpbd.addon.checking.held_objects import read_held
    from blender_xpbd.addon.measures.held import held_vertices

    body = make_body("Held", role="JELLY")
    if pins:
        body.xpbd.pin_group = group(body, "Pins", PINNED)
    if target in {"BODY", "DISABLED", "COLLIDER"}:
        other = make_body("Other", role="COLLIDER" if target == "COLLIDER" else "JELLY", location=(5.0, 0.0, 0.0))
        other.hide_viewport = target == "DISABLED"
    else:
        other = bpy.data.objects.new("Empty", None)
        bpy.context.collection.objects.link(other)
    if target:
        body.xpbd.attach_object = body if target == "ITSELF" else other
        body.xpbd.attach_group = "" if target == "UNGROUPED" else group(body, "Attached", ATTACHED)
    bpy.context.view_layer.update()
    (one,) = (one for one in read(frame_end=1).scene.bodies if one.name == "Held")
    assert held_vertices(one.pins, one.attachment).tolist() == wanted
    assert read_held(body, bpy.context.view_layer).tolist() == wanted
