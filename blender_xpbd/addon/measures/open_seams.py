# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams of sewn cloth that a bake leaves open, measured in its last frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...jobs.frames import FrameCache
from ...jobs.result import read_result
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from .solid_measures import mean_edge

# of a mean edge of the cloth, from which on an artist sees a gap
_OPEN = 0.25


def open_seams(job: Path, scene: Scene) -> Iterator[Notice]:
    """A warning for each sewn cloth with seams that are open at the last frame.

    Args:
        job: folder of a bake with all frames.
        scene: its inputs.

    Raises:
        XpbdError: E_CACHE, E_IO.
    """
    sewn = [body.material.use_stitches and body_kind(body.role, body.name).is_sheet for body in scene.bodies]
    if not any(sewn):
        return
    result = read_result(job)
    cache = FrameCache(job, result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)
    places = cache.read(scene.frames.end).positions.astype(np.float64)
    for body, built, is_sewn in zip(scene.bodies, result.bodies, sewn, strict=True):
        edges = body.loose_edges
        if not is_sewn or not len(edges):
            continue
        mine = places[built.vertex_start : built.vertex_start + built.vertex_count]
        mean = mean_edge(mine, body.face_sizes, body.corners)
        gaps = np.linalg.norm(mine[edges[:, 0]] - mine[edges[:, 1]], axis=1)
        if count := np.count_nonzero(gaps > max(_OPEN * mean, 2.0 * body.contact.thickness)):
            text = (
                f"{count} of {len(gaps)} seam edges are open at the last frame, by up to {gaps.max():.2g} m. More "
                "Sewing Frames close them, if the panels are wide enough for what they go around, and no pins hold "
                "them apart."
            )
            yield Notice("W_OPEN_SEAM", text, body.name)
