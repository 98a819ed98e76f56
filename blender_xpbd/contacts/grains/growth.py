# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains that start inside each other begin smaller and grow: pushed apart at once they would be thrown.

A grain begins with the share of its radius at which it reaches into none of its neighbours, and grows to all of it at a
mean rate that is the same for all. Colliders meet it as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...geometry.near_points import cells_of, parts_of, points_near
from ...scene.errors import Notice, XpbdError
from .tables import PAIR_BYTES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]

# in which a grain would grow from nothing to its size [s]. Chosen by trying: growing faster, a dense crowd of them
# bursts, growing longer, a pile that has come to rest is pressed by it
DURATION = 1.0
# pairs that are nearer than this share of touching count: rounding, and what was placed by hand, is left alone
LEAST_OVERLAP = 0.99
# where a grain reaches into more others than this, what is refused would need lists of pairs of more bytes than this
MOST_OVERLAPS, MOST_START_BYTES = 100, 3 << 29
# pairs that are compared at once, so that a crowd takes no more memory than others
MOST_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class GrainGrowth:
    """How grains begin.

    Attributes:
        shares: of their radius at the start, shape (grains,).
        pairs: that overlap at the start, of each body, shape (bodies,).
        most_overlaps: others that one of them reaches into.
    """

    shares: Floats
    pairs: Ints
    most_overlaps: int

    def __bool__(self) -> bool:
        return bool(self.pairs.any())

    def at(self, seconds: float) -> Floats:
        """Of their radius, what grains have so long after the start, shape (grains,)."""
        lacks = 1.0 - self.shares
        x = np.clip(seconds / (DURATION * np.where(lacks > 0.0, lacks, 1.0)), 0.0, 1.0)
        return self.shares + lacks * x * x * (3.0 - 2.0 * x)

    def notices(self, names: Sequence[str]) -> Iterator[Notice]:
        """A warning for each body with grains that overlap at the start, by the names of the bodies."""
        for name, count in zip(names, self.pairs, strict=True):
            if count:
                pairs = "A pair of grains starts" if count == 1 else f"{count} pairs of grains start"
                text = f"inside each other: they begin smaller, and grow to their radius within {DURATION:.0f} s."
                yield Notice("W_OVERLAP", f"{pairs} {text}", name)


def build_growth(
    places: Floats,
    radii: Floats,
    owners: Ints,
    meet: npt.NDArray[np.bool_],
    is_free: npt.NDArray[np.bool_],
    names: Sequence[str],
) -> GrainGrowth:
    """Find grains that start inside each other, and of which one can be moved.

    Args:
        places: where grains start [m], shape (grains, 3).
        radii: [m], shape (grains,).
        owners: the body of each, shape (grains,).
        meet: which bodies' grains meet, shape (bodies, bodies).
        is_free: whether a grain can be moved, shape (grains,).
        names: of the bodies.

    Raises:
        XpbdError: E_OVERLAP, where so many start in one place that their pairs would fill the memory.
    """
    shares, pairs = np.ones(len(radii)), np.zeros(len(meet), np.int32)
    overlaps = np.zeros(len(radii), np.int64)
    for i, j in _pairs_near(places, radii):
        counts = meet[owners[i], owners[j]] & (is_free[i] | is_free[j])
        share = np.linalg.norm(places[i] - places[j], axis=1) / (radii[i] + radii[j])
        counts &= share < LEAST_OVERLAP
        for of in (i, j):
            np.minimum.at(shares, of[counts], share[counts])
            overlaps += np.bincount(of[counts], minlength=len(overlaps))
        _require_room(overlaps, radii, owners, names)
        # told of the first of the two bodies
        first = np.minimum(owners[i], owners[j])[counts]
        pairs += np.bincount(first, minlength=len(meet)).astype(np.int32)
    return GrainGrowth(shares, pairs, int(overlaps.max(initial=0)))


def _require_room(overlaps: Places, radii: Floats, owners: Ints, names: Sequence[str]) -> None:
    """Refuse grains of which one reaches into so many others that lists with room for them would fill the memory."""
    crowded = int(overlaps.argmax())
    most = int(overlaps[crowded])
    if most <= MOST_OVERLAPS or most * len(overlaps) * PAIR_BYTES <= MOST_START_BYTES:
        return
    raise XpbdError(
        "E_OVERLAP",
        f"{most} grains or more start inside one of {radii[crowded]:.3g} m: too many to push them apart. Merge "
        "vertices by distance, lower the Radius, or spread them.",
        names[int(owners[crowded])],
    )


def _pairs_near(places: Floats, radii: Floats) -> Iterator[tuple[Places, Places]]:
    """Pairs of grains that may touch, each once, in arrays of shape (pairs,).

    They are looked for around the larger of the two, for all that are as large but for a factor of 2 at once: around
    each of many small grains, what a large one reaches would be nearly all.
    """
    sizes = np.frexp(radii)[1]
    for size in np.unique(sizes):
        members = np.flatnonzero(sizes <= size)
        centres, width = np.flatnonzero(sizes[members] == size), 2.0 * float(radii[members].max())
        near = places[members]
        cells = cells_of(near, width)
        for part in parts_of(cells, centres, MOST_AT_ONCE):
            i, j = points_near(near, cells, part, width)
            i = part[i]
            is_first = (sizes[members[j]] < size) | (i < j)
            yield members[i[is_first]], members[j[is_first]]
