# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as plain values, so that a process with Blender's module can bake them, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

FRAMES_PER_SECOND = 24


@dataclass(frozen=True)
class Thing:
    """An object.

    Attributes:
        name: of the object.
        positions: of its mesh [m], shape (vertices, 3); the object stands at the origin.
        faces: corners of faces of one size, shape (faces, corners).
        values: of ``Object.xpbd``, in the order in which they are set; all else is as the add-on has it.
        pinned: vertices of its pin group.
        places: where it is at each frame [m], shape (frames, 3); empty where it stands still.
    """

    name: str
    positions: Floats
    faces: Ints
    values: Mapping[str, str | float | int | bool]
    pinned: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    places: Floats = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass(frozen=True)
class Shot:
    """A scene to bake.

    Attributes:
        things: its objects.
        frames: simulated after the first.
        values: of ``Scene.xpbd``.
        gravity: downwards [m/s²].
    """

    things: tuple[Thing, ...]
    frames: int
    values: Mapping[str, str | float | int | bool] = field(default_factory=dict)
    gravity: float = 9.81


@dataclass(frozen=True)
class Baked:
    """What came of a shot.

    Attributes:
        shot: that was baked.
        motions: of the bodies by name: vertices at each frame, the first included [m], shape (frames + 1, vertices, 3).
        substeps: a frame, as the bake reports them.
        iterations: likewise.
    """

    shot: Shot
    motions: Mapping[str, Floats]
    substeps: int
    iterations: int

    @property
    def motion(self) -> Floats:
        """Of the only body."""
        (only,) = self.motions.values()
        return only

    @property
    def faces(self) -> Ints:
        """Of the only body."""
        (name,) = self.motions
        return next(thing.faces for thing in self.shot.things if thing.name == name)


def floor() -> dict[str, str | float | int | bool]:
    """The add-on's own floor, at height 0."""
    return {"use_floor": True}
