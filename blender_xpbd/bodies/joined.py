# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose vertices were duplicated so that they can tear: what is joined at present is one vertex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..geometry.surface.seams import Seams, find_seams, joined_vertices
from ..scene.body import Body
from ..scene.errors import Notice
from .body_model import BodyModel

Ints = npt.NDArray[np.int32]


def body_seams(body: Body) -> Seams:
    """The seams of a body as it is modelled."""
    return find_seams(body.seams, body.positions, body.face_sizes, body.corners)


def build_joined(body: Body, build: Callable[[Body], BodyModel]) -> BodyModel:
    """Build a body from what is joined; copies that are not used have no mass, and are shown where their vertex is.

    Args:
        body: with what of its seams has torn.
        build: makes a model of a body.
    """
    if not len(body.seams):
        return build(body)
    seams = body_seams(body)
    shown = joined_vertices(seams, body.torn if len(body.torn) else np.zeros(len(seams), np.bool_))
    model = build(
        replace(
            body,
            corners=shown[body.corners],
            loose_edges=shown[body.loose_edges],
            links=replace(body.links, pairs=shown[body.links.pairs]),
        )
    )
    notices = tuple(notice for notice in model.notices if notice.code != "W_GEOM_LOOSE")
    if loose := body.vertex_count - len(np.unique(body.corners)):
        notices = (*notices, Notice("W_GEOM_LOOSE", f"{loose} vertices belong to no face", body.name))
    return replace(model, shown=shown, notices=notices)
