# SPDX-License-Identifier: GPL-3.0-or-later
"""The size that a jelly feels like."""

from __future__ import annotations

from ...scene.parameter import Parameter
from ...scene.parameters.material_parameters import JELLY

FEEL_PARAMETERS = (
    Parameter(
        "feels_like",
        "Feels Like",
        "Length of an object of the same material whose look this one has: its stiffness is scaled so that its weight "
        "squashes and bends both alike. 0 for its own length, which is true to life",
        0.0,
        "m",
        0.0,
        1e6,
        0.0,
        10.0,
        roles=(JELLY,),
    ),
)
