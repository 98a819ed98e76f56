# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh as its shape keys and deformers show it at each frame, and the way back through the deformers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

# of a map per vertex: below this share of what its stretch would make of the volume it flattens, and has no inverse
_LEAST_VOLUME = 1e-4


class DeformedMotion:
    """The mesh of one body at the frames of a bake, in its own coordinates and Blender units.

    Deformers are taken to be a linear map of each vertex about where its shape keys put it. ``correct`` keeps what was
    found where they are not.

    Attributes:
        name: of the object.
        shapes: deformed coordinates at each frame, shape (vertices, 3).
        deformers: names of the modifiers, "" for a parent that deforms.
        muted: of them, those that are muted while baked.
        flattened: greatest number of vertices of a frame that cannot be taken back, and the index of that frame.
    """

    def __init__(self, name: str, deformers: tuple[str, ...], muted: tuple[str, ...]) -> None:
        """No frame yet."""
        self.shapes: list[Singles] = []
        self.name, self.deformers, self.muted = name, deformers, muted
        self.flattened = (0, 0)
        self._rests: list[Singles] = []
        self._inverses: list[Singles] = []
        self._corrected: dict[int, Singles] = {}

    @property
    def is_taken_out(self) -> bool:
        """Whether there are deformers that go on in what is baked."""
        return len(self.muted) < len(self.deformers)

    @property
    def deformer_names(self) -> str:
        """For a message."""
        return " and ".join(f'"{name}"' if name else "its parent" for name in self.deformers)

    @property
    def has_parent(self) -> bool:
        """Whether one of them is the parent."""
        return "" in self.deformers

    @property
    def advice(self) -> str:
        """What to do where they cannot be taken out."""
        if not self.has_parent:
            return "Turn on Mute Deformers While Baked."
        return (
            "Blender may play a parent that deforms a frame late, and it cannot be muted: choose Object as its type in "
            "Object Properties > Relations, and give the object a Lattice or Armature modifier in its place."
        )

    @property
    def size(self) -> float:
        """Of the mesh at the first frame, along its longest side."""
        return float(np.ptp(self.shapes[0], axis=0).max())

    def add(self, rest: Singles, shape: Singles, maps: Floats | None) -> None:
        """Take a frame.

        Args:
            rest: before the deformers, shape (vertices, 3).
            shape: after them.
            maps: what they make of a displacement of each vertex, shape (vertices, 3, 3); None where none are taken
                out.
        """
        unchanged = bool(self._rests) and np.array_equal(self._rests[-1], rest)
        self._rests.append(self._rests[-1] if unchanged else rest)
        self.shapes.append(shape)
        if maps is not None:
            inverses, count = inverted(maps)
            if count > self.flattened[0]:
                self.flattened = (count, len(self._inverses))
            self._inverses.append(inverses.astype(np.float32))

    def moved_keys(self, index: int) -> Singles:
        """How far the artist's shape keys have moved each vertex since the first frame, shape (vertices, 3)."""
        moved: Singles = self._rests[index] - self._rests[0]
        return moved

    def rest(self, index: int) -> Singles:
        """Coordinates before the deformers at a frame, shape (vertices, 3); the same array while nothing changes."""
        return self._rests[index]

    def before(self, index: int, shape: Floats) -> Floats:
        """What the deformers turn into a given shape at a frame, shape (vertices, 3).

        Args:
            index: of the frame, from the first.
            shape: after them.
        """
        if not self.is_taken_out:
            return shape
        known = self._corrected.get(index)
        if known is not None:
            return known.astype(np.float64)
        return self._rests[index] + self.step(index, shape - self.shapes[index])

    def step(self, index: int, difference: Floats) -> Floats:
        """How far to move vertices before the deformers to move them by ``difference`` after them."""
        moved: Floats = np.einsum("vij,vj->vi", self._inverses[index], difference)
        return moved

    def correct(self, index: int, before: Floats) -> None:
        """Keep what was found to turn into the simulated shape at a frame, shape (vertices, 3)."""
        self._corrected[index] = before.astype(np.float32)


def inverted(maps: Floats) -> tuple[Floats, int]:
    """Inverses of maps, shape (vertices, 3, 3), 0 of those that flatten, and how many those are."""
    # by Cramer's rule: a library of linear algebra would wake threads
    a, b, c = maps[:, :, 0], maps[:, :, 1], maps[:, :, 2]
    rows = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    volumes = np.einsum("vi,vi->v", a, rows[:, 0])
    stretch = np.sqrt(np.einsum("vij,vij->v", maps, maps) / 3.0)
    flat = ~(np.abs(volumes) > _LEAST_VOLUME * stretch**3) | (stretch == 0.0)
    inverses: Floats = np.where(flat[:, None, None], 0.0, rows / np.where(flat, 1.0, volumes)[:, None, None])
    return inverses, int(np.count_nonzero(flat))
