# SPDX-License-Identifier: GPL-3.0-or-later
"""The object that gets keys, as it was read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..reading.deformed_motion import DeformedMotion

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class KeyTarget:
    """The object that gets the keys, as it was read.

    Attributes:
        object_uid: ``session_uid`` of the object.
        name: its name then, for messages.
        topology: digest of what is joined to what.
        mixed_shape: what the artist's own shape keys show below relative baked ones, local, shape (vertices, 3).
        matrices: object to world in Blender units, shape (frames or 1, 4, 4); one where the object does not move.
        start, end, step: the frames that get a key.
        subframes: states between two frames that the cache has.
        unit_scale: metres per Blender unit.
        key_style: "AUTO", "ABSOLUTE" or "RELATIVE".
        make_single_user: copy a mesh that other objects use too.
        key_tolerance: how far vertices may be from where they were simulated, for fewer keys [m]; 0 for a key for
            every frame.
        deformed: what deformers do that the result is freed from, or None.
        loop: frames over which its end was led into its beginning, 0 for none.
        regions: so many regions of the bake were baked again, one after the other.
        is_hair: it can have no keys itself; a mesh of its points has them.
    """

    object_uid: int
    name: str
    topology: str
    mixed_shape: Floats
    matrices: Floats
    start: int
    end: int
    step: int = 1
    unit_scale: float = 1.0
    key_style: str = "AUTO"
    make_single_user: bool = False
    key_tolerance: float = 0.0
    is_hair: bool = False
    subframes: int = 0
    loop: int = 0
    regions: int = 0
    deformed: DeformedMotion | None = None

    @property
    def has_deformers(self) -> bool:
        """Whether keys are what deformers turn into what was simulated."""
        return self.deformed is not None and self.deformed.is_taken_out

    @property
    def muted(self) -> tuple[str, ...]:
        """Names of the modifiers that are muted while baked."""
        return () if self.deformed is None else self.deformed.muted

    def local(self, frame: int, positions: Floats) -> Floats:
        """What a key holds of world positions [m] at a frame: local coordinates, shape (vertices, 3)."""
        local = self.deformed_local(frame, positions)
        return local if self.deformed is None else self.deformed.before(frame - self.start, local)

    def moved_keys(self, frame: int) -> npt.NDArray[np.float32] | float:
        """How far the artist's own keys, which relative keys add to, have moved at a frame, where that is followed."""
        return 0.0 if self.deformed is None else self.deformed.moved_keys(frame - self.start)

    def deformed_local(self, frame: int, positions: Floats) -> Floats:
        """World positions [m] at a frame, shape (vertices, 3), in the object's own coordinates."""
        return local_coordinates(
            positions, self.matrices[frame - self.start if len(self.matrices) > 1 else 0], self.unit_scale
        )


def local_coordinates(positions: Floats, matrix: Floats, unit_scale: float) -> Floats:
    """World positions [m], shape (vertices, 3), in the coordinates of an object.

    Args:
        positions: of the vertices.
        matrix: of the object, local to world in Blender units, shape (4, 4).
        unit_scale: metres per Blender unit.
    """
    x, y, z = np.ascontiguousarray((np.asarray(positions, np.float64) / unit_scale - matrix[:3, 3]).T)
    local = np.empty((len(positions), 3))
    for axis, (a, b, c) in enumerate(_inverse(matrix[:3, :3])):
        local[:, axis] = a * x + b * y + c * z
    return local


def _inverse(matrix: Floats) -> Floats:
    """Of three rows and columns, by Cramer's rule.

    NumPy's own wakes the threads of its library even for this, and waits up to 5 ms for them where the solver has the
    other core: as long as the solver takes for a frame.
    """
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    first, second, third = e * i - f * h, f * g - d * i, d * h - e * g
    adjugate = (
        (first, c * h - b * i, b * f - c * e),
        (second, a * i - c * g, c * d - a * f),
        (third, b * g - a * h, a * e - b * d),
    )
    return np.array(adjugate) / (a * first + b * second + c * third)
