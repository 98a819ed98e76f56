# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start in each other: what is told of them, before a bake and in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .body import Body
from .body_kinds import body_kind
from .errors import Notice

# share of its vertices from which on a body lies in the place of another: of cubes face on face half of them do
SAME_PLACE = 0.6


def bodies_meet(body: Body, other: Body) -> bool:
    """Whether two bodies meet."""
    both = ((body, other), (other, body))
    return all(
        one.contact.body_collision and (one.contact.sees is None or two.identifier in one.contact.sees)
        for one, two in both
    )


def in_one_place(bodies: Sequence[Body]) -> Iterator[Notice]:
    """A warning for each body most of whose vertices are where an earlier one that it meets has some.

    So it is with what was duplicated and not moved. Nothing crosses there, and neither comes to lie on the other.
    """
    for number, body in enumerate(bodies):
        for other in bodies[:number]:
            if not bodies_meet(body, other) or not _boxes_meet(body.positions, other.positions):
                continue
            shared = _shared(body.positions, other.positions)
            if shared >= SAME_PLACE * len(body.positions):
                text = (
                    f'{shared} of its {len(body.positions)} vertices are where "{other.name}" has some, so neither '
                    "lies on the other: move or delete one of the two."
                )
                yield Notice("W_TANGLED", text, body.name)


def _boxes_meet(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> bool:
    """Whether the boxes around some points do; shapes (n, 3) and (m, 3)."""
    if len(one) == 0 or len(other) == 0:
        return False
    return bool(((one.min(axis=0) <= other.max(axis=0)) & (one.max(axis=0) >= other.min(axis=0))).all())


def _shared(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> int:
    """How many points are exactly at one of some others; shapes (n, 3) and (m, 3)."""
    places = np.unique(np.concatenate([other, one]), axis=0, return_inverse=True)[1].reshape(-1)
    return int(np.isin(places[len(other) :], places[: len(other)]).sum())


def is_kept_in(body: Body, outer: Body) -> bool:
    """Whether a body is attached to the jelly in which it is."""
    return body.attachment is not None and body.attachment.target == outer.identifier


def enclosed_notice(body: Body, outer: str) -> Notice:
    """A warning of a body that starts wholly inside a jelly, by its name."""
    is_solid = body_kind(body.role, body.name).is_solid
    fate = "is moved out of it" if is_solid else "falls through it until it lies on its surface from within"
    text = (
        f'Starts wholly inside "{outer}", and {fate}. To keep it in, as fruit in jelly, attach all its vertices to '
        f'"{outer}" (Keep Inside); else move it out.'
    )
    return Notice("W_WITHIN", text, body.name)
