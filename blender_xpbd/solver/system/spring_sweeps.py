# SPDX-License-Identifier: GPL-3.0-or-later
"""How often springs are swept in a substep: several times where cloth hangs on what it touches.

One sweep carries a pull one edge far, so the weight of a cloth stretches it. More substeps help as much as more sweeps,
but with each substep comes contact, which takes longer than the springs do.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...bodies.body_model import BodyModel
from ...bodies.own_settings import is_pbd
from ...geometry.surface.topology import boundary_edges, triangulate
from ...scene.scene import Scene
from ...scene.settings import EFFORTS

# with which cotton without pins has a 99th percentile of strain of about 1 %, or 1.5 times that of the converged run,
# at the substeps of its edges: docs/experiments.md, Sweeps over springs
FREE_SWEEPS = 8


def spring_sweeps(scene: Scene, models: Sequence[BodyModel]) -> int:
    """How often springs are swept in each substep.

    Where the substeps are given, so are the sweeps. It is once where the substeps are tried, and where a share of each
    error is taken away (PBD): there several sweeps would be stiffer.

    Args:
        scene: what is simulated.
        models: its bodies.
    """
    settings = scene.settings
    is_single = settings.iterations == 1 and not settings.measure_residual
    if not is_single or any(is_pbd(body, settings) for body in scene.bodies):
        return 1
    if settings.quality not in EFFORTS:
        return settings.spring_sweeps
    has_support = len(scene.colliders) > 0 or len(scene.bodies) > 1
    return FREE_SWEEPS if has_support and any(_lies_loose(model) for model in models) else 1


def _lies_loose(model: BodyModel) -> bool:
    """Whether it is open cloth that nothing holds, so that it can only hang on what it touches."""
    body = model.body
    is_sheet = len(body.face_sizes) > 0 and len(model.tetrahedra) == 0
    is_held = (body.pins.weights > 0.0).any() or len(body.goal.vertices) > 0 or body.attachment is not None
    if not is_sheet or is_held:
        return False
    return len(boundary_edges(triangulate(body.face_sizes, body.corners))) > 0
