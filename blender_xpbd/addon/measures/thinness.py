# SPDX-License-Identifier: GPL-3.0-or-later
"""Jellies that are thin for their cells, told by rays before anything is built.

The worker tells of what is thin by volume, from the cage (``geometry/cage/thinness.py``). It does not know what bears
the body, and nobody hears of it before the bake.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ...scene.body import RESOLUTION_RANGE, Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.scene import Scene
from .held import held_vertices
from .kept_measures import kept_measures

# two cells across, less a hundredth, so that 2 cm of 20 cm are 20 cells and not 21 by rounding
CELLS_ACROSS = 2.0 * 0.99
# cells from which on nothing is told: what Draft makes of these, three quarters, and a little for rays
ENOUGH_CELLS = 1.45


def thinness_notices(scene: Scene) -> Iterator[Notice]:
    """``W_THIN`` of each of ``caged_bodies`` whose thin parts, or what bears it, has too few cells across."""
    return filter(None, (thinness_notice(body, scene.gravity) for body in caged_bodies(scene)))


def caged_bodies(scene: Scene) -> list[Body]:
    """The jellies whose tetrahedra are those of a cage."""
    return [
        body
        for body in scene.bodies
        if body_kind(body.role, body.name).is_solid and body.tetrahedralization.method == "CAGE"
    ]


def thinness_notice(body: Body, gravity: npt.NDArray[np.float64]) -> Notice | None:
    """As ``thinness_notices``, of one, None where nothing is thin; it takes some 45 ms, more for dense meshes.

    Args:
        body: one of ``caged_bodies``.
        gravity: of the scene [m/s²], shape (3,).
    """
    held = held_vertices(body.pins, body.attachment)
    own, pull = body.positions @ body.axes, gravity * body.material.gravity_factor @ body.axes
    measures = kept_measures(own, body.face_sizes, body.corners, held, pull)
    if measures is None:
        return None
    resolution = body.tetrahedralization.resolution
    cells = resolution * measures.thinnest / measures.length
    if cells >= ENOUGH_CELLS:
        return None
    is_bearing = measures.bearing < measures.thickness
    part = "What bears it" if is_bearing else "A fifth of it or more"
    text = f"{part} is only {cells:.1f} cells of its cage thick and bends too stiffly; "
    needed = math.ceil(CELLS_ACROSS * measures.length / measures.thinnest)
    if needed <= RESOLUTION_RANGE[1]:
        text += f"take a Resolution of about {needed}"
    else:
        text += "thicken it, or make it cloth: no Resolution is fine enough"
    return Notice("W_THIN", text, body.name)
