# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices of a mesh collider over the frames."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...geometry.collider.moving_surface import MovingSurface, build_moving_surface
from ...geometry.rotations import rotation_and_stretch
from ...scene.collider import Collider
from ...scene.transforms import at_frame

Floats = npt.NDArray[np.float64]

# of the size of the collider: what its scale may change by while it counts as rigid; matrices round
_SCALE_TOLERANCE = 1e-4


class ColliderMesh:
    """A mesh collider, in the frame that turns with its object and has the object's origin.

    Attributes:
        collider: of the scene.
        row: its number.
    """

    def __init__(self, collider: Collider, row: int) -> None:
        """Nothing is computed yet."""
        self.collider = collider
        self.row = row
        self._stretches = rotation_and_stretch(collider.transforms[:, :3, :3])[1]

    @cached_property
    def deforms(self) -> bool:
        """Whether the vertices move within the frame: the mesh deforms, or the object's scale changes."""
        greatest = np.linalg.norm(self._stretches, axis=(1, 2)).max()
        scales = bool(np.abs(self._stretches - self._stretches[0]).max() > _SCALE_TOLERANCE * greatest)
        return len(self.collider.positions) > 1 or scales

    @property
    def shape_count(self) -> int:
        """In how many frames the shape or the scale may differ; 1 where nothing does."""
        return max(len(self.collider.positions), len(self._stretches)) if self.deforms else 1

    @property
    def triangles(self) -> npt.NDArray[np.int32]:
        """Of the object's vertices, as its faces wind in the world; shape (triangles, 3)."""
        mirrored = np.linalg.det(self.collider.transforms[0, :3, :3]) < 0.0
        triangles = self.collider.triangles
        return np.ascontiguousarray(triangles[:, ::-1]) if mirrored else triangles

    @cached_property
    def surface(self) -> MovingSurface:
        """The triangles that count, of the vertices that count.

        Raises:
            XpbdError: E_GEOM_EMPTY, where none is left.
        """
        return build_moving_surface(self.all_vertices, self.shape_count, self.triangles, self.collider.name)

    def all_vertices(self, frame_index: int) -> Floats:
        """The object's vertices at a frame, counted from the start [m], shape (vertices, 3)."""
        stretches = self._stretches if self.deforms else self._stretches[:1]
        points: Floats = at_frame(self.collider.positions, frame_index) @ at_frame(stretches, frame_index).T
        return points

    def vertices(self, frame_index: int) -> Floats:
        """Those of ``surface`` at a frame, counted from the start [m], shape (vertices, 3)."""
        return self.all_vertices(frame_index)[self.surface.sources]

    def anchor(self, frame_index: int) -> Floats:
        """The place within the mesh's bounds at a frame that is nearest to the object's origin [m], shape (3,).

        A mesh may lie far from its object's origin. Of one that does not deform, it is the same at every frame.
        """
        points = self.all_vertices(frame_index)
        return np.clip(0.0, points.min(axis=0), points.max(axis=0))
