# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of what a body is drawn to."""

from __future__ import annotations

from ...scene.body_kinds import body_roles
from ...scene.parameter import Choice, Parameter

GOAL_SOURCES = (
    Choice("NONE", "None", "Nothing draws the object. Pins follow the object; deformers move the finished result"),
    Choice("OBJECT", "Object", "Draw the object to its rest shape where the object is"),
    Choice(
        "DEFORMED",
        "Deformed Mesh",
        "Draw the object to its mesh as shape keys, armature, lattice, hooks and other deformers show it. Pins follow "
        "that mesh too, and the bake takes the deformers back out: they stay on, and nothing is deformed twice",
    ),
)
GOAL_PARAMETERS = (
    Parameter("goal_source", "Goal", "What the object is drawn to", "NONE", choices=GOAL_SOURCES, roles=body_roles()),
    Parameter(
        "goal_group",
        "Goal Group",
        "Vertex group of what is drawn to the goal: a weight scales the stiffness. Empty: the whole object",
        "",
        roles=body_roles(),
    ),
    Parameter(
        "mute_deformers",
        "Mute Deformers While Baked",
        "Turn the deformers off while the object is baked, in place of taking them out of the result: for those that "
        "cannot be, as Surface Deform. Clear turns them on again",
        False,
        roles=body_roles(),
    ),
)
