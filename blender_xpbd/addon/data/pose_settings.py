# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the shapes that an object is to have at some frames: a list, each with its own."""

from __future__ import annotations

from ...scene.parameter import Parameter
from ...scene.parameters.material_parameters import CLOTH, JELLY

POSE_ROLES = (JELLY, CLOTH)

POSE_KEY = Parameter(
    "target",
    "Pose Target",
    "Shape key of the object that it is to have at the pose frame. The least force that does it acts on it in the "
    "frames before, and none after. The key's own value may be 0. Empty: no pose",
    "",
    roles=POSE_ROLES,
)
POSE_OBJECT = Parameter(
    "object",
    "Pose Object",
    "Object with as many vertices, whose shape and place the simulated one is to have at the pose frame. A shape key "
    "goes before it",
    "",
    roles=POSE_ROLES,
)
POSE_FRAME = Parameter(
    "frame",
    "Pose Frame",
    "Frame at which the object is to be in its pose",
    25,
    minimum=-1048574,
    maximum=1048574,
    roles=POSE_ROLES,
)
POSE_LEAD = Parameter(
    "lead",
    "Lead",
    "Frames before the pose frame over which the force acts: more frames need less force. It begins after the pose "
    "before at the earliest",
    12,
    minimum=1,
    maximum=1000,
    soft_maximum=100,
    roles=POSE_ROLES,
)
POSE_TOLERANCE = Parameter(
    "tolerance",
    "Pose Tolerance",
    "How far a vertex may be from its pose: no more force is used than brings it so near, and what is farther is told",
    5.0,
    "mm",
    0.0,
    1e6,
    soft_maximum=50.0,
    roles=POSE_ROLES,
)
# of an object, besides the list
POSE_INDEX = Parameter("pose_index", "Pose", "Which pose of the list the panel shows", 0, minimum=0)
