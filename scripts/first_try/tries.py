# SPDX-License-Identifier: GPL-3.0-or-later
"""The first tries: which primitive, which role, with a floor or without, how large."""

from __future__ import annotations

from dataclasses import dataclass

from blender_xpbd.scene.parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND


@dataclass(frozen=True)
class Try:
    """What somebody does in a new file: add it, give it the role, press Bake.

    Attributes:
        primitive: as Blender's Add menu names it; ``baking`` adds it at the origin.
        role: its role.
        has_floor: whether *Floor* is on.
        size: across, as it is added [m].
    """

    primitive: str
    role: str
    has_floor: bool
    size: float

    @property
    def name(self) -> str:
        """For tables and the command line."""
        size = f"{1e2 * self.size:g} cm" if self.size < 0.1 else f"{self.size:g} m"
        return f"{self.primitive}, {self.role.lower()}, {'floor' if self.has_floor else 'no floor'}, {size}"


def _tries(primitive: str, role: str, *where: str) -> list[Try]:
    """Tries of a primitive, each told as "floor 1" or "none 0.01"."""
    parted = (words.split() for words in where)
    return [Try(primitive, role, place == "floor", float(size)) for place, size in parted]


# a circle has no faces, and is tried as cloth all the same
TRIES = (
    *_tries("cube", JELLY, "floor 0.01", "floor 1", "floor 10", "none 1"),
    *_tries("UV sphere", JELLY, "floor 1", "floor 10"),
    *_tries("ico sphere", JELLY, "floor 0.01"),
    *_tries("cylinder", JELLY, "floor 1"),
    *_tries("cone", JELLY, "floor 1", "floor 10"),
    *_tries("torus", JELLY, "floor 0.01", "floor 1"),
    *_tries("Suzanne", JELLY, "floor 0.01", "floor 1", "floor 10"),
    *_tries("plane", CLOTH, "floor 1"),
    *_tries("grid", CLOTH, "floor 1", "none 10"),
    *_tries("circle", CLOTH, "floor 1"),
    *_tries("cube", CLOTH, "floor 1"),
    *_tries("UV sphere", CLOTH, "floor 1"),
    *_tries("cylinder", CLOTH, "floor 0.01"),
    *_tries("torus", CLOTH, "floor 1"),
    *_tries("Suzanne", CLOTH, "floor 10"),
    *_tries("circle", STRAND, "floor 0.01", "floor 1"),
    *_tries("curve", STRAND, "floor 1"),
    *_tries("grid", GRAINS, "floor 1"),
    *_tries("UV sphere", GRAINS, "floor 10"),
    *_tries("Suzanne", GRAINS, "floor 0.01"),
)
