# SPDX-License-Identifier: GPL-3.0-or-later
"""What of bodies follows a given motion: deformed meshes, and vertices that ride on other objects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.transforms import transformed
from ..reading.body_reader import LocalBody
from ..reading.deformed_motion import DeformedMotion
from ..reading.ride_reader import Rides

Floats = npt.NDArray[np.float64]


def rides_of(
    bodies: Iterable[LocalBody],
    matrices: dict[int, list[Floats]],
    motions: dict[int, DeformedMotion],
    enabled: Iterable[bpy.types.Object],
) -> Rides:
    """What is attached to objects that are not simulated."""
    rides = Rides([body.object_uid for body in bodies], frozenset(obj.session_uid for obj in enabled))
    for body in bodies:
        if body.attachment is not None and rides.takes(body.attachment):
            motion = motions.get(body.object_uid)
            shape = body.rest_shape if motion is None else motion.shapes[0].astype(np.float64)
            places = transformed(matrices[body.object_uid][0], shape)
            vertices, anchors = body.attachment.vertices, body.attachment.anchors
            anchors = anchors if len(anchors) else vertices
            rides.add(body.object_uid, body.attachment, places[vertices], places[anchors])
    return rides


def followed_body(body: LocalBody, motions: dict[int, DeformedMotion], rides: Rides, unit_scale: float) -> LocalBody:
    """A body with what was found as the frames were played."""
    uid = body.object_uid
    attachment = None if rides.takes(body.attachment) else body.attachment
    return replace(body, deformed=motions.get(uid), riding=rides.pins(uid, unit_scale), attachment=attachment)
