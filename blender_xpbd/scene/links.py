# SPDX-License-Identifier: GPL-3.0-or-later
"""Links between vertices of a body, that the artist has made: rods, ropes and bumpers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .checks import require_indices
from .errors import XpbdError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# kinds: how the distance is held. A rope only pulls, a bumper only pushes
EQUAL, AT_MOST, AT_LEAST = LINK_KINDS = (1, 2, 3)


@dataclass(frozen=True)
class Links:
    """Pairs of vertices that are held at a distance.

    Attributes:
        pairs: vertices, shape (links, 2).
        kinds: of ``LINK_KINDS``, shape (links,).
        lengths: at rest [m], 0 for how the mesh is modelled, shape (links,).
        compliances: [m/N], 0 is rigid, shape (links,).
        shares: stiffness in PBD mode, 0 to 1, shape (links,).
    """

    pairs: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    kinds: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    lengths: Floats = field(default_factory=lambda: np.zeros(0))
    compliances: Floats = field(default_factory=lambda: np.zeros(0))
    shares: Floats = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.pairs)

    def columns(self) -> dict[str, npt.NDArray[np.generic]]:
        """All arrays by name."""
        return {
            "pairs": self.pairs,
            "kinds": self.kinds,
            "lengths": self.lengths,
            "compliances": self.compliances,
            "shares": self.shares,
        }


def validate_links(links: Links, vertex_count: int, object_name: str) -> None:
    """Check the links of a body.

    Raises:
        XpbdError: E_PARAM.
    """
    count = len(links)
    if links.pairs.shape != (count, 2) or any(len(column) != count for column in links.columns().values()):
        raise XpbdError("E_PARAM", "Links must have two vertices, a kind and numbers each.", object_name)
    require_indices(links.pairs.ravel(), vertex_count, object_name)
    if not np.isin(links.kinds, LINK_KINDS).all():
        raise XpbdError("E_PARAM", "The kind of a link must be 1 (=), 2 (≤) or 3 (≥).", object_name)
    numbers = np.concatenate([links.lengths, links.compliances, links.shares])
    if not (np.isfinite(numbers).all() and (numbers >= 0.0).all() and (links.shares <= 1.0).all()):
        text = "Rest lengths and compliances of links must be finite and at least 0, their stiffness 0 to 1."
        raise XpbdError("E_PARAM", text, object_name)
