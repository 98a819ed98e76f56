# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of a pair within a substep: repulsion and Coulomb friction, Gauss–Seidel in the order of the list.

C = n · Σ wᵢ xᵢ − gap ≥ 0, with the normal and the closest points of the substep's start.
"""

import taichi as ti

from ..resolve import resolve_contact
from .near import normal_of
from .push import gather_coefficients, push_pair, relative
from .tables import DISTANCE, FRICTION, GAP, GIVEN, MULTIPLIER
