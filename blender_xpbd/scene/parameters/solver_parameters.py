# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object asks of the solver that it shares with all others."""

from __future__ import annotations

from ..parameter import Parameter
from ..roles import CLOTH, GRAINS, JELLY, STRAND

MINIMUM_SUBSTEPS = Parameter(
    "minimum_substeps",
    "Minimum Substeps",
    "The scene takes at least so many substeps per frame where this object takes part, whatever its quality says. All "
    "objects share them. 0 asks for none",
    0,
    "",
    0,
    1000,
    0,
    100,
    roles=(JELLY, CLOTH, STRAND, GRAINS),
)
