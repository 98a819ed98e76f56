# SPDX-License-Identifier: GPL-3.0-or-later
"""The first tries: which primitive, which role, with a floor or without, how large."""

from __future__ import annotations

from dataclasses import dataclass

from blender_xpbd.scene.parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND

# as Blender's Add menu has them
SOLIDS = ("cube", "UV sphere", "ico sphere", "cylinder", "cone", "torus", "Suzanne")
SHEETS = ("plane", "grid", "circle")
CURVES = ("circle", "curve")
# of the longest side, in metres
SIZES = (0.01, 1.0, 10.0)


@dataclass(frozen=True)
class Try:
    """What somebody does in a new file: add it, give it the role, press Bake.

    Attributes:
        primitive: of ``SOLIDS``, ``SHEETS`` or ``CURVES``.
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


def _crossed(primitives: tuple[str, ...], role: str) -> list[Try]:
    return [
        Try(primitive, role, has_floor, size)
        for primitive in primitives
        for has_floor in (True, False)
        for size in SIZES
    ]


# all that there are; a circle has no faces, and is tried as cloth all the same
EVERY = (
    *_crossed(SOLIDS, JELLY),
    *_crossed((*SHEETS, *SOLIDS), CLOTH),
    *_crossed(CURVES, STRAND),
    *_crossed(("grid", "UV sphere", "Suzanne"), GRAINS),
)
