# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a body over some frames that is simulated again, while all else is held to another job's frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .beginning import Beginning
from .body import Body
from .checks import require_indices
from .errors import XpbdError
from .settings import FrameRange

IDENTIFIER = "region"


@dataclass(frozen=True)
class Region:
    """What is simulated again; the other job is that of the scene's beginning.

    Attributes:
        body: identifier of the body.
        vertices: of its mesh, ascending; the others are held; shape (vertices,).
        freedoms: of each, above 0 and at most 1: what is left of it is how firmly it is drawn to the other job's
            frames; shape (vertices,).
        first, last: the frames that are simulated again.
        blend: so many last ones of them lead back to the other job's motion.
    """

    body: str
    vertices: npt.NDArray[np.int32]
    freedoms: npt.NDArray[np.float32]
    first: int
    last: int
    blend: int

    def returned(self, time: float) -> float:
        """How far the region has been led back to the other job's motion: 0 not at all, 1 wholly; evenly at both ends.

        Args:
            time: in frames, also between two of them.
        """
        if not self.blend:
            return 0.0
        share = min(max((time - self.last + self.blend) / self.blend, 0.0), 1.0)
        return share * share * (3.0 - 2.0 * share)


def validate_region(region: Region, bodies: tuple[Body, ...], frames: FrameRange, beginning: Beginning | None) -> None:
    """Check what a stranger's job, or a script, may have got wrong.

    Raises:
        XpbdError: E_PARAM; E_FRAME_RANGE, for frames that are not within the range.
    """
    body = next((body for body in bodies if body.identifier == region.body), None)
    if body is None:
        raise XpbdError("E_PARAM", f"There is no body {region.body!r} of which a region could be simulated again.")
    require_indices(region.vertices, body.vertex_count, body.name)
    if not len(region.vertices) or (np.diff(region.vertices) <= 0).any():
        raise XpbdError("E_PARAM", "A region must have vertices, in ascending order.", body.name)
    if len(region.vertices) == body.vertex_count:
        raise XpbdError("E_PARAM", "A region must leave out some vertices, which hold it.", body.name)
    # NaN is no such number either
    if region.freedoms.shape != region.vertices.shape or not ((region.freedoms > 0) & (region.freedoms <= 1)).all():
        raise XpbdError("E_PARAM", "The freedom of each vertex of a region must be above 0, and at most 1.", body.name)
    if not frames.start < region.first <= region.last <= frames.end:
        text = f"Frames {region.first} to {region.last} cannot be simulated again: the bake has {frames.start + 1} to "
        raise XpbdError("E_FRAME_RANGE", f"{text}{frames.end} after its first.", body.name)
    if not 0 <= region.blend < region.last - region.first + 1:
        raise XpbdError("E_PARAM", "A region must be led back in fewer frames than it has.", body.name)
    if beginning is None or beginning.frame != region.first - 1:
        raise XpbdError("E_PARAM", "A region begins after the last frame that is taken over.", body.name)
