# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of docs/first-hour.md, a file each: made from nothing, to be baked at default settings."""

from __future__ import annotations

from .cape_on_a_walk import CAPE_ON_A_WALK
from .curtain import CURTAIN
from .flag import FLAG
from .jiggling_character import JIGGLING_CHARACTER
from .pillow import PILLOW
from .t_shirt import T_SHIRT
from .toy_on_a_plate import TOY_ON_A_PLATE

TUTORIALS = (TOY_ON_A_PLATE, FLAG, CURTAIN, CAPE_ON_A_WALK, PILLOW, T_SHIRT, JIGGLING_CHARACTER)
