# SPDX-License-Identifier: GPL-3.0-or-later
"""A shape that a body is to have at a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .checks import require_finite
from .errors import XpbdError
from .settings import FrameRange

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pose:
    """A shape that a body is to have at a frame, brought there by as little force as will do.

    Attributes:
        frame: at which it is to be reached.
        lead: over how many frames before it the force acts, at least 1.
        positions: of all vertices in the world [m], shape (vertices, 3).
        tolerance: how far vertices may be from there [m]; no more force is used than brings them so near.
    """

    frame: int
    lead: int
    positions: Floats
    tolerance: float = 5e-3

    def acts(self, frame: int) -> bool:
        """Whether the force acts from a frame to the next one."""
        return self.frame - self.lead <= frame < self.frame


def validate_poses(poses: Sequence[Pose], vertex_count: int, frames: FrameRange, name: str) -> None:
    """Check the poses of a body.

    Args:
        poses: in the order of their frames.
        vertex_count: of the body.
        frames: of the scene.
        name: of the body.

    Raises:
        XpbdError: E_PARAM; E_FRAME_RANGE, for a frame that no bake has; E_GEOM_NONFINITE.
    """
    for pose in poses:
        if pose.positions.shape != (vertex_count, 3):
            raise XpbdError("E_PARAM", "A pose must give a place for each vertex.", name)
        require_finite(pose.positions, name)
        if not (np.isfinite(pose.tolerance) and pose.tolerance >= 0.0):
            raise XpbdError("E_PARAM", "The tolerance of a pose must be finite and at least 0.", name)
        if pose.lead < 1:
            raise XpbdError("E_PARAM", "The force towards a pose needs a lead of at least 1 frame.", name)
        if not frames.start + frames.hidden < pose.frame <= frames.end:
            raise XpbdError(
                "E_FRAME_RANGE",
                f"The pose target is at frame {pose.frame}, but only frames {frames.start + frames.hidden + 1} to "
                f"{frames.end} are simulated: choose one of these, or bake more frames.",
                name,
                frame=pose.frame,
            )
        if pose.frame not in set(frames.kept()):
            raise XpbdError(
                "E_FRAME_RANGE",
                f"The pose target is at frame {pose.frame}, which the frame step of {frames.step} leaves out: choose a "
                "frame that is kept.",
                name,
                frame=pose.frame,
            )
    numbers = [pose.frame for pose in poses]
    if numbers != sorted(set(numbers)):
        raise XpbdError("E_PARAM", "The poses of a body must be at frames of their own, in their order.", name)
