# SPDX-License-Identifier: GPL-3.0-or-later
"""About how much memory and disk a bake needs, as far as its scene tells before it is built.

The numbers were measured with bakes of cloth, cages and strands (docs/performance.md, *Memory and disk*).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...jobs.milestones import milestone_frames
from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.scene import Scene
from ..measures.solid_measures import area_and_volume, fans

# of a cage, for each cell that the mesh fills. Its tetrahedra have a mean width of 0.827 cells, so on either side of a
# face of any direction half of 12 · 0.827 per cell's square reach beyond it (Santaló, Integral Geometry, 2004)
TETRAHEDRA_PER_CELL = 12
TETRAHEDRA_PER_SQUARE = 0.5 * 0.827 * TETRAHEDRA_PER_CELL

# of a frame [bytes]: three numbers in single precision for a vertex, in its file as in a shape key; four for a rod
_KEY_PER_VERTEX = 12
_FRAME_PER_ROD = 16
_FRAME_HEADER = 300
# of a state from which a bake can go on [bytes]
_STATE_PER_VERTEX = 32
_STATE_PER_ROD = 96
_STATE_PER_TETRAHEDRON = 95
# of the worker at its peak [bytes]
_WORKER = 140_000_000
_WORKER_PER_VERTEX = 6700
_WORKER_PER_ROD = 2600
_WORKER_PER_TETRAHEDRON = 390


@dataclass(frozen=True)
class Needs:
    """What a bake needs [bytes].

    Attributes:
        disk: of its job folder, with all frames and the states that are kept.
        worker: memory of the worker.
        keys: memory of Blender for a shape key at every frame that is kept.
    """

    disk: int
    worker: int
    keys: int


def needs_of(scene: Scene) -> Needs:
    """What baking a scene will need, for one where nothing is kept yet."""
    kept = len(scene.frames.kept())
    between = len(scene.frames.between(scene.frames.end))
    vertices = sum(body.vertex_count for body in scene.bodies)
    rods = sum(len(body.loose_edges) for body in scene.bodies)
    shells = sum(body.vertex_count for body in scene.bodies if len(body.face_sizes) and not _is_solid(body))
    solids = sum(map(tetrahedra, scene.bodies))
    state = _STATE_PER_VERTEX * vertices + _STATE_PER_ROD * rods + _STATE_PER_TETRAHEDRON * solids
    frame = _KEY_PER_VERTEX * vertices + _FRAME_PER_ROD * rods + _FRAME_HEADER
    states = len(milestone_frames(scene.frames)) + 1
    worker = _WORKER + _WORKER_PER_VERTEX * shells + _WORKER_PER_ROD * rods + _WORKER_PER_TETRAHEDRON * solids
    return Needs(int((kept + between) * frame + states * state), int(worker), kept * vertices * _KEY_PER_VERTEX)


def tetrahedra(body: Body) -> float:
    """About how many tetrahedra a jelly will have; 0 for what has none, and for libraries, which choose themselves."""
    fill = body.tetrahedralization
    if not _is_solid(body) or fill.method not in {"CAGE", "FILE"}:
        return 0.0
    if fill.method == "FILE":
        return float(len(fill.tetrahedra))
    size = float(np.ptp(body.positions @ body.axes, axis=0).max())
    area, volume = area_and_volume(body.positions, fans(body.face_sizes, body.corners))
    return cage_tetrahedra(volume, area, size / fill.resolution) if size > 0.0 else 0.0


def cage_tetrahedra(volume: float, area: float, cell: float) -> float:
    """About how many tetrahedra a cage has: for 16 meshes 1 % fewer to 32 % more, most for a plate of 0.2 cells.

    Args:
        volume: inside the mesh.
        area: of the mesh.
        cell: edge of a cell, in the same unit.
    """
    return TETRAHEDRA_PER_CELL * volume / cell**3 + TETRAHEDRA_PER_SQUARE * area / cell**2


def _is_solid(body: Body) -> bool:
    return body_kind(body.role, body.name).is_solid
