# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body meets, besides the colliders that every body meets, and how thick it is there."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .checks import require_indices
from .errors import XpbdError
from .parameter import Parameter, by_name
from .parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND

Ints = npt.NDArray[np.int32]

# An automatic thickness of a jelly, as a share of its gap to colliders. A sheet lies as far from others as from
# colliders; the surface of a solid has no thickness that could be seen. Chosen by hand: enough for the gap to survive
# rounding
JELLY_THICKNESS_SHARE = 0.2

# what the artist sets, by the names of ``Object.xpbd``
CONTACT_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "use_self_collision",
        "Self",
        "The object does not pass through itself: folds and layers come to lie on each other. Takes several times as "
        "long, so turn it on for what folds",
        False,
        roles=(JELLY, CLOTH, STRAND),
    ),
    Parameter(
        "use_body_collision",
        "Others",
        "The object and other jelly, cloth, strands or grains that have this on do not pass through each other",
        True,
        roles=(JELLY, CLOTH, STRAND, GRAINS),
    ),
    Parameter(
        "thickness",
        "Thickness",
        "How thick the surface is where jelly and cloth meet: half of each is the gap between two. "
        "0 for one that follows from the contact distance and the mesh",
        0.0,
        "m",
        0.0,
        1e6,
        0.0,
        0.1,
        roles=(JELLY, CLOTH, STRAND),
    ),
    Parameter(
        "contact_layer",
        "Layer",
        "Of two objects that cross at the first frame, that with the higher layer comes to lie outside",
        0,
        minimum=0,
        maximum=100,
        soft_maximum=10,
        roles=(JELLY, CLOTH, STRAND),
    ),
)
_PARAMETERS = by_name(CONTACT_PARAMETERS)


@dataclass(frozen=True)
class BodyContact:
    """Contact of a body with itself, with other bodies and with mesh colliders.

    Two bodies meet where both have ``body_collision`` and each sees the other. A collider meets a body that sees it;
    any other body passes through it.

    Attributes:
        self_collision: whether the body meets itself.
        body_collision: whether it meets other bodies.
        thickness: [m]; 0 for one that follows from the material's gap, see ``BodyModel.thickness``.
        sees: identifiers of the bodies and colliders that it may meet, each once; None for all.
        left_out: vertices that meet neither bodies nor the body itself, each once, shape (vertices,).
        layer: of two bodies that start tangled, that with the higher layer comes to lie outside.
    """

    self_collision: bool = False
    body_collision: bool = True
    thickness: float = 0.0
    sees: tuple[str, ...] | None = None
    left_out: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    layer: int = 0


def validate_contact(contact: BodyContact, vertex_count: int, others: Set[str], name: str) -> None:
    """Check what a stranger's job, or a script, may have got wrong.

    Args:
        contact: to be checked.
        vertex_count: of the body's mesh.
        others: identifiers of the other bodies and of all colliders.
        name: of the body, for messages.

    Raises:
        XpbdError: E_PARAM.
    """
    _PARAMETERS["thickness"].check(contact.thickness, name)
    _PARAMETERS["contact_layer"].check(contact.layer, name)
    if contact.left_out.ndim != 1:
        raise XpbdError("E_PARAM", "The vertices without contact must be a list of indices.", name)
    require_indices(contact.left_out, vertex_count, name)
    if len(np.unique(contact.left_out)) != len(contact.left_out):
        raise XpbdError("E_PARAM", "A vertex is left out of contact twice.", name)
    _validate_seen(contact.sees or (), others, name)


def _validate_seen(sees: tuple[str, ...], others: Set[str], name: str) -> None:
    unknown = next((identifier for identifier in sees if identifier not in others), None)
    if unknown is not None:
        raise XpbdError("E_PARAM", f"There is no other body and no collider {unknown!r} to meet.", name)
    if len(set(sees)) != len(sees):
        raise XpbdError("E_PARAM", "An object that the body may meet is listed twice.", name)
