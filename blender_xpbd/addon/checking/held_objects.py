# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices hold an object, without reading the whole scene; a bake finds the same."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body import Pins
from ..data.object_types import is_body
from ..measures.held import held_vertices
from ..reading.attachment_reader import read_attachment, resolved
from ..reading.body_reader import read_pins
from ..reading.enabled_objects import enabled_objects
from ..reading.ride_reader import Rides, keeps_pins


def read_held(obj: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> npt.NDArray[np.int32]:
    """Vertices by which an object hangs, as ``held_vertices``.

    Args:
        obj: that is simulated.
        view_layer: whose objects take part.
    """
    vertices, weights, _ = read_pins(obj)
    local, _ = read_attachment(obj)
    if local is None:
        return held_vertices(Pins(vertices, weights))
    present = enabled_objects(view_layer)
    bodies = {one.session_uid: one.name for one in present if is_body(one)}
    if Rides(bodies, {one.session_uid for one in present}).takes(local):
        keeps = keeps_pins(vertices, local.vertices)
        return held_vertices(Pins(vertices[keeps], weights[keeps]), local)
    attachment, _ = resolved(local, obj.session_uid, obj.name, bodies)
    return held_vertices(Pins(vertices, weights), attachment)
