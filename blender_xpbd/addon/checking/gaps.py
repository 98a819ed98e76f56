# SPDX-License-Identifier: GPL-3.0-or-later
"""Which gaps bodies keep, as the solver will: to colliders, and to each other."""

from __future__ import annotations

from ...scene.body import Body
from ...scene.body_contact import JELLY_THICKNESS_SHARE
from ...scene.body_kinds import body_kind
from ..measures.solid_measures import mean_edge

# a body keeps at most this share of its mean edge as gap, see ``BodyModel.contact_offset``
MOST_GAP = 0.25


class Gaps:
    """The gaps of sheets and solids, whose edges are measured once each, however many bodies they meet."""

    def __init__(self) -> None:
        self._edges: dict[str, float] = {}

    def edge(self, body: Body) -> float:
        """The mean length of its edges [m]."""
        if body.identifier not in self._edges:
            self._edges[body.identifier] = mean_edge(body.positions, body.face_sizes, body.corners)
        return self._edges[body.identifier]

    def to_colliders(self, body: Body) -> float:
        """The gap that it keeps to colliders [m]."""
        return min(body.material.contact_offset, MOST_GAP * self.edge(body))

    def thickness(self, body: Body) -> float:
        """How thick its surface is where bodies meet [m]."""
        share = JELLY_THICKNESS_SHARE if body_kind(body.role, body.name).is_solid else 1.0
        return body.contact.thickness or share * self.to_colliders(body)

    def between(self, body: Body, other: Body) -> float:
        """The gap that two of them keep to each other [m]."""
        return 0.5 * (self.thickness(body) + self.thickness(other))


def meet(body: Body, other: Body) -> bool:
    """Whether two bodies do not pass through each other."""
    sees, seen = body.contact.sees, other.contact.sees
    see = (sees is None or other.identifier in sees) and (seen is None or body.identifier in seen)
    return body is not other and see and body.contact.body_collision and other.contact.body_collision
