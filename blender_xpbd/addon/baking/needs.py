# SPDX-License-Identifier: GPL-3.0-or-later
"""About how much memory and disk a bake needs, as far as its scene tells before it is built.

The numbers were measured with bakes of cloth, cages and strands (docs/performance.md, *Memory and disk*).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...jobs.milestones import milestone_frames
from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.scene import Scene

# of a cage, for each cell that the mesh fills
TETRAHEDRA_PER_CELL = 12

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
    vertices = sum(body.vertex_count for body in scene.bodies)
    rods = sum(len(body.loose_edges) for body in scene.bodies)
    shells = sum(body.vertex_count for body in scene.bodies if len(body.face_sizes) and not _is_solid(body))
    solids = sum(map(tetrahedra, scene.bodies))
    state = _STATE_PER_VERTEX * vertices + _STATE_PER_ROD * rods + _STATE_PER_TETRAHEDRON * solids
    frame = _KEY_PER_VERTEX * vertices + _FRAME_PER_ROD * rods + _FRAME_HEADER
    states = len(milestone_frames(scene.frames)) + 1
    worker = _WORKER + _WORKER_PER_VERTEX * shells + _WORKER_PER_ROD * rods + _WORKER_PER_TETRAHEDRON * solids
    between = len(scene.frames.between(scene.frames.end)) * _KEY_PER_VERTEX * vertices
    return Needs(int(kept * frame + between + states * state), int(worker), kept * vertices * _KEY_PER_VERTEX)


def tetrahedra(body: Body) -> float:
    """About how many tetrahedra a jelly will have; 0 for what has none, and for libraries, which choose themselves."""
    fill = body.tetrahedralization
    if not _is_solid(body) or fill.method not in {"CAGE", "FILE"}:
        return 0.0
    if fill.method == "FILE":
        return float(len(fill.tetrahedra))
    size = float(np.ptp(body.positions @ body.axes, axis=0).max())
    cells = _volume(body) / (size / fill.resolution) ** 3 if size > 0.0 else 0.0
    # the outermost cells reach beyond the mesh
    return TETRAHEDRA_PER_CELL * cells * (1.0 + 1.0 / fill.resolution)


def _is_solid(body: Body) -> bool:
    return body_kind(body.role, body.name).is_solid


def _volume(body: Body) -> float:
    """Inside the mesh [m³], by fans of triangles."""
    starts = np.cumsum(body.face_sizes) - body.face_sizes
    points = body.positions - body.positions.mean(axis=0)
    first = np.repeat(starts, np.maximum(body.face_sizes - 2, 0))
    middle = first + 1 + _within(np.maximum(body.face_sizes - 2, 0))
    a, b, c = (points[body.corners[corner]] for corner in (first, middle, middle + 1))
    return abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6.0


def _within(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """0, 1, … within each group of these sizes."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
