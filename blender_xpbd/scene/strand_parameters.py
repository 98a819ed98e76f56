# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of what is thin and round: strands, and the loose edges of cloth."""

from __future__ import annotations

from .parameter import Parameter
from .roles import STRAND

STRAND_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "radius",
        "Radius",
        "Half the thickness of the strand: from it follow its mass, its stiffness, and the gap that it keeps",
        0.002,
        "m",
        0.0,
        1e6,
        1e-4,
        0.1,
        exclusive_minimum=True,
        roles=(STRAND,),
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
