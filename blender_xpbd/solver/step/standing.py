# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells kernels whether colliders stand, and that what is known of points that touch nothing no longer holds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...device.arrays import edited_array, write_array
from .state import State


class StandingColliders:
    """Follows the colliders from frame to frame, see ``contacts.clearance``."""

    def __init__(self, *, deforms: bool) -> None:
        """Nothing is known yet; whether any collider deforms."""
        self._deforms = deforms
        self._poses: npt.NDArray[np.float32] | None = None

    def tell(self, state: State, motion: npt.NDArray[np.float32]) -> None:
        """Tell of the motion of a frame, or of a slice of it, as of ``ColliderSet.motion``, before it is simulated."""
        stands = not self._deforms and bool((motion == motion[0]).all())
        if not stands or self._poses is None or not np.array_equal(self._poses, motion[0]):
            with edited_array(state.colliders.clear_places) as places:
                places[...] = 0.0
        self._poses = motion[0].copy() if stands else None
        write_array(state.colliders.clear_told, np.array([stands], np.int32))
