# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start nearer to each other than the gap that they keep, so that all of them move apart as seen.

Two do not: a gap is small. In a stack the outermost goes as far as all lack. So what is told of is the longest way
through bodies that start too near, the sum of what their gaps lack.

Of two that cross, ``crossed`` tells: what is crossed is taken apart, however thin it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

from ...scene.body import Body
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ...scene.starts import takes_no_part, without_contact
from ..measures.solid_measures import fans
from ..reading.feel import length_of
from .crossed import crosses
from .gaps import Gaps, meet
from .reach import starting_places
from .triangle_trees import triangle_tree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of the length of the greatest body, by how much they move apart at least; and of the vertices of one of two bodies,
# how many are too near at least: where corners touch, little moves. Chosen by hand
VISIBLE, NEAR_SHARE = 0.05, 0.25
# vertices of a body that are asked for at most
MOST_ASKED = 200
# of a gap, from how much on a distance can be kept; what is nearer touches, as a copy in one place does
KEPT = 0.01


@dataclass(frozen=True)
class NearPair:
    """Two bodies that start too near.

    Attributes:
        first: number of the one in the scene.
        second: of the other one.
        distance: between them where they are nearest [m].
        gap: that they keep [m].
        lack: what the gap lacks where they are too near, in the mean [m].
    """

    first: int
    second: int
    distance: float
    gap: float
    lack: float


def starts_near(scene: Scene) -> Iterator[Notice]:
    """A warning for each stack of bodies that would be seen to move apart, named by the first of them."""
    for pairs, way in near_stacks(scene):
        names = [scene.bodies[number].name for number in sorted({one for p in pairs for one in (p.first, p.second)})]
        least = min(pairs, key=lambda pair: pair.distance)
        text = (
            f"Starts so near to {quoted(names[1:])} that they move apart, by {way:.2g} m in all: there are "
            f"{least.distance:.2g} m between them, and they keep {least.gap:.2g} m. Fit Thickness lets them stay. Else "
            "model them farther apart."
        )
        yield Notice("W_NEAR", text, names[0])


def near_stacks(scene: Scene) -> Iterator[tuple[list[NearPair], float]]:
    """Bodies that start too near, those together that hang together, and how far they would move apart [m]."""
    candidates, gaps = _candidates(scene), Gaps()
    for numbers in _groups(candidates):
        size = max(shown_length(scene.bodies[n]) for n in numbers)
        # no distance is measured where even gaps that lack all would not be seen, and no edge where any would not
        bounds = (
            max(map(thickness, (scene.bodies[n] for n in numbers))) for thickness in (_most_thickness, gaps.thickness)
        )
        if any((len(numbers) - 1) * most <= VISIBLE * size for most in bounds):
            continue
        near = _measured(scene.bodies, [pair for pair in candidates if pair[0] in numbers], gaps)
        # asked for where something is told alone, for it takes long
        told = [pair for pairs, _ in _seen_stacks(near, size) for pair in pairs]
        apart = [pair for pair in told if not crosses(scene.bodies[pair.first], scene.bodies[pair.second])]
        yield from _seen_stacks(apart, size)


def _seen_stacks(near: Sequence[NearPair], size: float) -> Iterator[tuple[list[NearPair], float]]:
    """The stacks of bodies that would be seen to move apart, whose greatest is so long [m], and how far they would."""
    for mine in _groups([(pair.first, pair.second) for pair in near]):
        pairs = [pair for pair in near if pair.first in mine]
        if (way := _longest_way(pairs)) > VISIBLE * size:
            yield pairs, way


def shown_length(body: Body) -> float:
    """How long the faces of a body are where it starts, along the longest of its own axes [m]."""
    return length_of(starting_places(body)[np.unique(body.corners)], body.axes)


def _candidates(scene: Scene) -> list[tuple[int, int]]:
    """Bodies that meet and whose boxes are nearer than their gap is at most."""
    asked = [n for n, body in enumerate(scene.bodies) if len(body.face_sizes) and not takes_no_part(body)]
    if len(asked) < 2:
        return []
    places = [starting_places(scene.bodies[n]) for n in asked]
    lows, highs = np.array([one.min(axis=0) for one in places]), np.array([one.max(axis=0) for one in places])
    apart = np.maximum(lows[:, None] - highs, lows - highs[:, None]).max(axis=2)
    most = np.array([_most_thickness(scene.bodies[n]) for n in asked])
    close = np.argwhere(np.triu(apart < 0.5 * (most[:, None] + most), 1))
    return [(asked[a], asked[b]) for a, b in close.tolist() if meet(scene.bodies[asked[a]], scene.bodies[asked[b]])]


def _most_thickness(body: Body) -> float:
    """How thick a body is at most where it meets others, whatever its edges [m]."""
    return body.contact.thickness or body.material.contact_offset


def _groups(pairs: Sequence[tuple[int, int]]) -> list[set[int]]:
    """What hangs together by pairs of numbers."""
    groups: dict[int, set[int]] = {number: {number} for pair in pairs for number in pair}
    for a, b in pairs:
        if groups[a] is not groups[b]:
            groups[a] |= groups[b]
            groups |= dict.fromkeys(groups[b], groups[a])
    return [group for number, group in groups.items() if number == min(group)]


def _measured(bodies: Sequence[Body], close: Sequence[tuple[int, int]], gaps: Gaps) -> list[NearPair]:
    """Of bodies whose boxes are near, those that are too near themselves."""
    numbers = sorted({number for pair in close for number in pair})
    places = {n: starting_places(bodies[n]) for n in numbers}
    trees = {n: triangle_tree(places[n], fans(bodies[n].face_sizes, bodies[n].corners)) for n in numbers}
    asked = {n: places[n][asked_vertices(bodies[n])] for n in numbers}
    found = []
    for a, b in close:
        gap = gaps.between(bodies[a], bodies[b])
        ways = [_distances(asked[one], trees[other], gap) for one, other in ((a, b), (b, a))]
        shares = [len(way) / max(len(asked[one]), 1) for way, one in zip(ways, (a, b), strict=True)]
        most = ways[int(np.argmax(shares))]
        if max(shares) >= NEAR_SHARE and most.mean() > KEPT * gap:
            least = min(way.min() for way in ways if len(way))
            found.append(NearPair(a, b, float(least), gap, float(gap - most.mean())))
    return found


def asked_vertices(body: Body) -> Ints:
    """Some of the vertices that take part in contact, and are not attached, shape (n,)."""
    taking = np.setdiff1d(body.corners, without_contact(body))
    return taking[:: max(-(-len(taking) // MOST_ASKED), 1)]


def _distances(points: Floats, tree: BVHTree, gap: float) -> Floats:
    """Of points that are nearer to a surface than a gap, how far they are from it [m]."""
    found = (tree.find_nearest(point, gap)[3] for point in points.tolist())
    return np.array([distance for distance in found if distance is not None], np.float64)


def _longest_way(pairs: Sequence[NearPair]) -> float:
    """The longest way through a stack, along the pairs that lack most and hold it together [m]."""
    numbers = sorted({number for pair in pairs for number in (pair.first, pair.second)})
    ways = np.zeros((len(numbers), len(numbers)))
    joined = {number: [row] for row, number in enumerate(numbers)}
    for pair in sorted(pairs, key=lambda one: -one.lack):
        mine, others = joined[pair.first], joined[pair.second]
        if mine is not others:
            a, b = numbers.index(pair.first), numbers.index(pair.second)
            between = ways[mine, a][:, None] + pair.lack + ways[b, others]
            ways[np.ix_(mine, others)], ways[np.ix_(others, mine)] = between, between.T
            mine += others
            joined |= {numbers[row]: mine for row in others}
    return float(ways.max())
