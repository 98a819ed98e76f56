# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per kind of collider: where its surface is. ``contact.py`` holds what all contacts share.

``CONTACTS`` is ordered: the position in it is the shape's number in the solver's tables.
"""

from .contact_type import ContactType
from .deforming_mesh import DEFORMING_MESH
from .mesh import MESH
from .plane import PLANE
from .sphere import SPHERE

CONTACTS: tuple[ContactType, ...] = (PLANE, SPHERE, MESH, DEFORMING_MESH)


def contact_type(shape: str) -> ContactType:
    """What a shape of colliders is to the solver, for a collider that ``scene.validate`` has let pass."""
    return next(contact for contact in CONTACTS if contact.shape == shape)
