# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that look like a sewing pattern, panels with edges from one to the other, and are not sewn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from ..measures.solid_measures import fans, pieces

# edges between panels from which on nobody means threads
MANY_EDGES = 4


def unsewn(scene: Scene) -> Iterator[Notice]:
    """A warning for each sheet with edges without faces from one piece of it to another, which is not sewn."""
    for body in scene.bodies:
        edges = body.loose_edges
        if not body_kind(body.role, body.name).is_sheet or body.material.use_stitches or len(edges) < MANY_EDGES:
            continue
        of_piece = np.full(body.vertex_count, -1)
        for number, triangles in enumerate(pieces(body.vertex_count, fans(body.face_sizes, body.corners))):
            of_piece[triangles] = number
        first, second = of_piece[edges[:, 0]], of_piece[edges[:, 1]]
        count = np.count_nonzero((first != second) & (first >= 0) & (second >= 0))
        if count >= MANY_EDGES:
            text = f"{count} edges lead from panel to panel: without Sewing they are threads that stay as long."
            yield Notice("W_SEWING", text, body.name)
