# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per constraint: parameters with units, how it is built, its C with its source, its projection.

``CONSTRAINTS`` is ordered: Gauss-Seidel visits the types in this order, which is part of the result.
"""

from .attachment import ATTACHMENT
from .constraint import ConstraintType
from .dihedral_bending import DIHEDRAL_BENDING
from .distance import DISTANCE
from .tetrahedron_volume import TETRAHEDRON_VOLUME

CONSTRAINTS: tuple[ConstraintType, ...] = (DIHEDRAL_BENDING, DISTANCE, TETRAHEDRON_VOLUME, ATTACHMENT)
