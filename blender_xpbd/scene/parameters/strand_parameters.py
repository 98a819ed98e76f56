# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of what is round: strands, the loose edges of cloth, and the radius of grains."""

from __future__ import annotations

from ..parameter import Parameter
from ..roles import CLOTH, GRAINS, STRAND

STRAND_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "radius",
        "Radius",
        "Half the thickness of a strand, or of the threads that are loose edges of a cloth: from it follow mass and "
        "stiffness. Or the radius of each grain; where it was never set, grains are as large as fits between their "
        "points. It is the gap that they keep to other surfaces",
        0.002,
        "m",
        0.0,
        1e6,
        1e-4,
        1.0,
        exclusive_minimum=True,
        roles=(CLOTH, STRAND, GRAINS),
    ),
    Parameter(
        "twist_stiffness",
        "Twist Stiffness",
        "Resistance of the material to being twisted (shear modulus). Rubber has 500,000 Pa, steel 79,000,000,000 Pa",
        1e8,
        "Pa",
        0.0,
        1e13,
        0.0,
        1e11,
        roles=(STRAND,),
        animatable=True,
    ),
    Parameter(
        "bending_share",
        "Bending",
        "Stiffness against bending by that of a solid rod: fibres of a rope and hairs of a lock slide along each other",
        1.0,
        "",
        0.0,
        100.0,
        0.0,
        1.0,
        roles=(STRAND,),
        animatable=True,
    ),
)
