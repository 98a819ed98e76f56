# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a body that only grains have."""

from __future__ import annotations

from ..parameter import Parameter
from ..roles import GRAINS

GRAIN_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "cohesion",
        "Cohesion",
        "Tension up to which grains that touch hold together, on the cross-section of one. Dry sand has none, damp "
        "sand holds some 1,000 Pa",
        0.0,
        "Pa",
        0.0,
        1e12,
        0.0,
        1e4,
        roles=(GRAINS,),
        animatable=True,
    ),
)
