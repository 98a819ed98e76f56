# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per kind of force field; ``evaluate`` sums them at a point, ``air`` is what wind does to a triangle.

``FORCES`` is ordered: the position in it is the kind's number in the solver's tables.
"""

from .charge_field import CHARGE
from .drag_field import DRAG
from .force_field import FORCE
from .force_type import ForceType
from .harmonic_field import HARMONIC
from .magnet_field import MAGNET
from .turbulence_field import TURBULENCE
from .vortex_field import VORTEX
from .wind_field import WIND

FORCES: tuple[ForceType, ...] = (FORCE, WIND, VORTEX, MAGNET, HARMONIC, CHARGE, TURBULENCE, DRAG)
