# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of reading share."""

from __future__ import annotations

import numpy as np


def in_world(obj):
    points = np.array([vertex.co[:] for vertex in obj.data.vertices])
    matrix = np.array(obj.matrix_world)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def animate(obj):
    for frame in (1, 5):
        obj.location = (float(frame), 0, 0)
        obj.keyframe_insert("location", frame=frame)
    return obj
