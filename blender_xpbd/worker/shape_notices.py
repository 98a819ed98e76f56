# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of the shape of a solid at a frame: tetrahedra inside out, and edges that have run away."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from ..bodies.body_model import BodyModel
from ..bodies.measures import STATISTICS
from ..geometry.edges import edge_lengths
from ..geometry.surface.topology import unique_edges
from ..scene.errors import Notice

STRAIN, INVERTED = STATISTICS.index("greatest_strain"), STATISTICS.index("inverted_tetrahedra")
# greatest strain of an edge from which on a solid has blown up in a place, or hangs on too little of it. Chosen by
# hand: what was crushed, and what hung by a vertex, had at most 8
RUN_AWAY = 20.0
# and of an edge of the mesh, for else it is not seen: what bears a body on a net stretches a tetrahedron inside so far
SEEN_AWAY = 4.0
_AWAY = "times as long in a place"


def shape_notices(
    row: npt.NDArray[np.float64],
    model: BodyModel,
    frame: int,
    told: Collection[Notice],
    surface: Callable[[], npt.NDArray[np.float32]],
    own: slice,
) -> list[Notice]:
    """Warnings of a body, each once in a bake.

    Args:
        row: its statistics, columns as in ``STATISTICS`` first; of an earlier run's frame they may be any numbers.
        model: of the body.
        frame: of the statistics.
        told: what is known already.
        surface: tells where the vertices of all bodies are [m], shape (vertices of all, 3).
        own: which of these are the body's.
    """
    name, known = model.body.name, {(notice.code, notice.object_name) for notice in told}
    found = []
    if 0 < row[INVERTED] < np.inf and ("W_INVERTED", name) not in known:
        # an earlier run's frame may tell of a body that has none
        share = f" of {len(model.tetrahedra):,}" if len(model.tetrahedra) else ""
        text = (
            f"{int(row[INVERTED])}{share} tetrahedra inside out at frame {frame}, as in a deep crease. Where it shows,"
            " take Final, or a firmer material."
        )
        found.append(Notice("W_INVERTED", text, name))
    # of too few substeps the same code tells
    is_told = any(notice.object_name == name and _AWAY in notice.message for notice in told)
    is_away = RUN_AWAY < row[STRAIN] < np.inf and len(model.tetrahedra) > 0 and not is_told
    if is_away and (strain := _seen_strain(model, surface()[own])) > SEEN_AWAY:
        text = (
            f"It is {1.0 + strain:.0f} {_AWAY} as it was, at frame {frame}: it blew up there, or "
            "what holds it is too small for its weight. Take more substeps, hold more vertices of it, or a firmer one."
        )
        found.append(Notice("W_QUALITY", text, name))
    return found


def _seen_strain(model: BodyModel, vertices: npt.NDArray[np.float32]) -> float:
    """The greatest strain of an edge of the mesh."""
    edges = unique_edges(model.body.face_sizes, model.body.corners)
    rest = edge_lengths(model.body.positions, edges)
    now = edge_lengths(vertices.astype(np.float64), edges)
    return float((now[rest > 0.0] / rest[rest > 0.0]).max(initial=0.0)) - 1.0
