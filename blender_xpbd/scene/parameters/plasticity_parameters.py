# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a body that say when it keeps a new shape, and when it tears."""

from __future__ import annotations

from ..parameter import Parameter
from ..roles import CLOTH, JELLY

PLASTICITY_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "yield_strain",
        "Yield Strain",
        "Strain beyond which the body keeps its new shape, 0 for never. Clay yields at 1 to 3 %",
        0.0,
        "%",
        0.0,
        10000.0,
        0.0,
        100.0,
        roles=(JELLY, CLOTH),
        animatable=True,
    ),
    Parameter(
        "yield_curvature",
        "Yield Curvature",
        "Curvature beyond which a fold stays, 0 for never: one over the radius of the tightest bend that springs back. "
        "Paper keeps a crease from some 200 1/m on",
        0.0,
        "1/m",
        0.0,
        1e6,
        0.0,
        1000.0,
        roles=(CLOTH,),
        animatable=True,
    ),
    Parameter(
        "creep",
        "Creep",
        "How fast the body takes on its new shape: rate at which what is beyond the yield strain or curvature becomes "
        "permanent",
        50.0,
        "1/s",
        0.0,
        1e6,
        0.0,
        1000.0,
        roles=(JELLY, CLOTH),
        animatable=True,
    ),
    Parameter(
        "tear_strain",
        "Tear Strain",
        "Strain across a cut at which it tears there, 0 for never. Cloth tears along the edges of Make Tearable, jelly "
        "into its pieces. Paper tears at 2 to 5 %, cotton at some 10 to 20 %",
        0.0,
        "%",
        0.0,
        10000.0,
        0.0,
        200.0,
        roles=(JELLY, CLOTH),
        animatable=True,
    ),
)
