# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per constraint: parameters with units, how it is built, its C with its source, its projection.

``CONSTRAINTS`` is ordered: Gauss-Seidel visits the types in this order, which is part of the result.
"""

from .attachments.attachment import ATTACHMENT
from .attachments.element_attachment import ELEMENT_ATTACHMENT
from .attachments.element_link import ELEMENT_LINK
from .attachments.patch_attachment import PATCH_ATTACHMENT
from .bending.dihedral_bending import DIHEDRAL_BENDING
from .bending.isometric_bending import ISOMETRIC_BENDING
from .bending.plate_bending import PLATE_BENDING
from .constraint import ConstraintType
from .corotated import COROTATED
from .diagonal import DIAGONAL
from .distance import DISTANCE
from .enclosed_volume import ENCLOSED_VOLUME
from .membrane import MEMBRANE
from .neo_hookean import NEO_HOOKEAN
from .rods.chain import ROD_CHAINS
from .rods.rod import ROD
from .shape_matching import SHAPE_MATCHING
from .stitch import STITCH
from .tetrahedron_volume import TETRAHEDRON_VOLUME
from .two_sided_distance import TWO_SIDED_DISTANCE

CONSTRAINTS: tuple[ConstraintType, ...] = (
    SHAPE_MATCHING,
    PLATE_BENDING,
    ISOMETRIC_BENDING,
    DIHEDRAL_BENDING,
    MEMBRANE,
    COROTATED,
    NEO_HOOKEAN,
    DIAGONAL,
    DISTANCE,
    TWO_SIDED_DISTANCE,
    TETRAHEDRON_VOLUME,
    ROD,
    ROD_CHAINS,
    ENCLOSED_VOLUME,
    STITCH,
    ELEMENT_LINK,
    PATCH_ATTACHMENT,
    ELEMENT_ATTACHMENT,
    ATTACHMENT,
)
