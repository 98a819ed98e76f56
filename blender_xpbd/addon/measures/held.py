# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices hold a body. Arrays alone."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

# weight from which on a vertex bears the body
HELD = 0.5


class Hold(Protocol):
    """Vertices that something holds: pins, or an attachment."""

    @property
    def vertices(self) -> npt.NDArray[np.int32]:
        """Shape (held,)."""

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """How much of each, 0 to 1, shape (held,)."""


def held_vertices(*holds: Hold | None) -> npt.NDArray[np.int32]:
    """Vertices by which a body hangs, in their order; it stands where there are none.

    Args:
        holds: its pins, those that ride on other objects among them, and its attachment to another body; None for none.
    """
    found = [hold.vertices[hold.weights >= HELD] for hold in holds if hold is not None]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *found]))
