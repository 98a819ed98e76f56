# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings of what is by far too weak or too small because of the scene's unit scale.

Blender keeps gravity and lengths in its own units. Its default gravity of 9.81 is that of the Earth at a unit scale of
1 alone; at 0.001, of a scene in millimetres, it is a thousandth of that, and Blender's panels say so too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.errors import Notice
from ...scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ..measures.solid_measures import mean_edge

# what gravity is in Blender units where nobody has changed it, and by how much of it a typed one is taken for it
DEFAULT_GRAVITY, _ALIKE = 9.81, 0.01
# unit scales of which the default gravity is taken for that of the Earth
_EARTHLY = (0.9, 1.1)
_GAP = next(parameter for parameter in MATERIAL_PARAMETERS if parameter.name == "contact_offset")
# [m], and the roles that have it
DEFAULT_GAP, _HAVE_GAP = float(_GAP.default), frozenset(_GAP.roles)
# share of its mean edge below which a gap to mesh colliders lets cloth through: docs/experiments.md, Gaps to colliders
LEAST_GAP = 1e-3
# and the one that is given then
GOOD_GAP = 0.01


def gravity_notice(gravity: npt.NDArray[np.float64], unit_scale: float) -> Iterator[Notice]:
    """A warning where Blender's default gravity is that of the Earth no more.

    Args:
        gravity: of the scene at the first frame [m/s²].
        unit_scale: metres per Blender unit.
    """
    strength = float(np.linalg.norm(gravity))
    is_default = abs(strength / unit_scale - DEFAULT_GRAVITY) <= _ALIKE * DEFAULT_GRAVITY
    if not is_default or _EARTHLY[0] <= unit_scale <= _EARTHLY[1]:
        return
    slower = unit_scale**-0.5
    much = f"{slower:.3g} times as slow" if slower > 1.0 else f"{1.0 / slower:.3g} times as fast"
    text = (
        f"Gravity is {strength:.3g} m/s², since Blender's default counts in units of the scene, of "
        f"{unit_scale:.3g} m: all falls {much} as on the Earth."
    )
    yield Notice("W_UNITS", text)


def gap_notices(bodies: Iterable[Body]) -> Iterator[Notice]:
    """A warning for each body whose gap to colliders is far smaller than its mesh, so that it may pass through them."""
    for body in bodies:
        gap, edge = body.material.contact_offset, _edge(body)
        if 0.0 < gap < LEAST_GAP * edge:
            text = (
                f"Contact Distance is {gap:.2g} m, of edges of {edge:.2g} m: so thin a gap lets through what is fast. "
                f"{_fitting(edge):.2g} m would do."
            )
            yield Notice("W_GAP", text, body.name)


def fitting_gap(body: Body) -> float:
    """The usual gap, or more where edges are long [m]; 0 of what has no gap of its own."""
    edge = _edge(body)
    return _fitting(edge) if edge > 0.0 else 0.0


def _fitting(edge: float) -> float:
    return max(DEFAULT_GAP, GOOD_GAP * edge)


def _edge(body: Body) -> float:
    """Mean edge of a body that has a gap to colliders of its own, else 0 [m]."""
    return mean_edge(body.positions, body.face_sizes, body.corners) if body.role in _HAVE_GAP else 0.0
