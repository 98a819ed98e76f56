# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of bodies and colliders where they start, and which of their triangles and edges may cross."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.collider import Collider
from ...scene.starts import unlike_asides, without_contact
from ..measures.passing import of_strangers
from ..measures.solid_measures import edge_numbers, fans, triangle_edges
from .doubled import doubled_places
from .reach import starting_places
from .triangle_trees import overlapping, triangle_tree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# of how many triangles the pairs are found first, and of how many that are asked of their own surface: whether they
# are too many
FIRST_ASKED, FIRST_OF_ITS_OWN = 8, 256
# along the longest side of a surface that is too large to be looked at as a whole, how many patches
PATCHES = 24
# the golden ratio, less 1
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
# for trees an edge alone is a triangle, which is so thin, as a share of its length
_THIN = 1e-3
# by which share elements are grown, so that trees find those that meet at their borders in spite of rounding
_GROWN = 1e-5


class Surface:
    """What takes part of a body or a collider, where it starts.

    Attributes:
        points: of all vertices, shape (vertices, 3) [m].
        elements: triangles, then edges of none, whose second end stands twice; shape (elements, 3).
        triangles: of the elements, those that are triangles, which come first, shape (triangles, 3).
        origins: equal where vertices touch by how they were made, shape (vertices,): what has one of them in common
            does not cross itself there.
        low, high: ends of the box about them [m], shape (3,).
    """

    def __init__(self, one: Body | Collider) -> None:
        self.points = starting_places(one)
        self.origins = np.arange(len(self.points), dtype=np.int32)
        if isinstance(one, Collider):
            self.triangles = self.elements = one.triangles
        else:
            self._take(one)
        used = self.points[self.elements.ravel()]
        self.low, self.high = used.min(axis=0, initial=np.inf), used.max(axis=0, initial=-np.inf)

    @cached_property
    def edges(self) -> Ints:
        """Of the elements, each once, the lower end first, shape (edges, 2)."""
        numbers = np.unique(edge_numbers(triangle_edges(self.elements)))
        ends = np.stack([numbers >> 32, numbers & 0xFFFFFFFF], axis=1).astype(np.int32)
        return ends[ends[:, 0] < ends[:, 1]]

    @cached_property
    def asides(self) -> Floats:
        """By how much points are moved to see what crosses at vertices alone [m], shape (vertices, 3)."""
        return unlike_asides(self.points)

    def crossings(self, found: Ints) -> Ints:
        """Numbers of edge and triangle, shape (n, 2), by their ends and corners as of ``passed``."""
        edges = np.searchsorted(self._edge_numbers, edge_numbers(found[:, :2]))
        numbers, order = self._numbered
        triangles = order[np.searchsorted(numbers, _triangle_numbers(found[:, 2:]))]
        return np.stack([edges, triangles], axis=1).astype(np.int32)

    @cached_property
    def _edge_numbers(self) -> npt.NDArray[np.int64]:
        return edge_numbers(self.edges)

    @cached_property
    def _numbered(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        """Numbers of the triangles, ascending, and which these are."""
        numbers = _triangle_numbers(self.triangles)
        order = np.argsort(numbers)
        return numbers[order], order

    def _take(self, body: Body) -> None:
        triangles, loose = fans(body.face_sizes, body.corners), body.loose_edges
        if len(body.seams) and body_kind(body.role, body.name).is_sheet:
            shown = _joined(body.seams)
            triangles, loose = shown[triangles], shown[loose]
        elif body.contact.self_collision:
            self.origins = doubled_places(body.positions, triangles)
        is_out = np.zeros(len(self.points), np.bool_)
        is_out[without_contact(body)] = True
        takes_part = ~is_out[triangles].any(axis=1)
        if is_out.any():
            # of a triangle that is left out, edges may still take part
            loose = np.concatenate([loose, triangle_edges(triangles[~takes_part])])
        self.triangles = triangles[takes_part]
        loose = loose[~is_out[loose].any(axis=1)]
        self.elements = np.concatenate([self.triangles, loose[:, [0, 1, 1]]]).astype(np.int32)

    def within(self, low: Floats, high: Floats) -> Ints:
        """The elements whose boxes meet another one, shape (elements, 3)."""
        is_low, is_high = self.points <= high, self.points >= low
        near = is_low[self.elements].any(axis=1) & is_high[self.elements].any(axis=1)
        return self.elements[near.all(axis=1)]


def _triangle_numbers(triangles: Ints) -> npt.NDArray[np.int64]:
    """A number for each triangle, its own where there are at most 2 million points."""
    a, b, c = triangles.T.astype(np.int64)
    return (a << 42) ^ (b << 21) ^ c


def _joined(seams: Ints) -> Ints:
    """For each vertex, the first one that was the same before the mesh was cut, shape (vertices,)."""
    own = np.arange(len(seams), dtype=np.int32)
    _, firsts, inverse = np.unique(seams, return_index=True, return_inverse=True)
    return np.where(seams > 0, firsts[inverse.reshape(-1)], own).astype(np.int32)


def pairs_of(one: Surface, other: Surface, most: int) -> tuple[Ints, bool]:
    """Elements of two surfaces that may cross; and whether they are those of a sample, as the others are too many.

    Args:
        one: of which some elements are asked after some, evenly among all.
        other: of which all are.
        most: pairs after which no further elements are asked.

    Returns:
        numbers of corners of both, shape (pairs, 2, 3), and whether it is a sample.
    """
    low, high = np.maximum(one.low, other.low), np.minimum(one.high, other.high)
    mine, others = one.within(low, high), other.within(low, high)
    if not (len(mine) and len(others)):
        return np.zeros((0, 2, 3), np.int32), False
    tree = _tree(other.points, others)

    def find(some: Ints) -> Ints:
        pairs = overlapping(_tree(one.points, some, by=_GROWN), tree)
        return np.stack([some[pairs[:, 0]], others[pairs[:, 1]]], axis=1)

    return _asked_by_and_by(mine, find, most)


def own_pairs(surface: Surface, most_elements: int, most: int) -> tuple[Ints, bool]:
    """As ``pairs_of``, of a surface with itself.

    Args:
        surface: any.
        most_elements: of a larger one patches are looked at, that lie evenly over it.
        most: pairs beyond which some elements are asked alone.

    Points are moved aside by rounding, so that those are found, too, that cross at vertices alone.
    """
    places = surface.points + surface.asides
    elements, is_sample = surface.elements, len(surface.elements) > most_elements
    if is_sample:
        elements = _patches(surface.points, elements, most_elements)
    tree = _tree(places, elements)

    def find(some: Ints) -> Ints:
        return _strangers(surface, some, elements, overlapping(_tree(places, some), tree))

    some = elements[:: -(-len(elements) // FIRST_OF_ITS_OWN)]
    if len(find(some)) * len(elements) > 2 * most * len(some):
        pairs, is_part = _asked_by_and_by(elements, find, most)
        return pairs, is_sample or is_part
    pairs = overlapping(tree, tree)
    return _strangers(surface, elements, elements, pairs[pairs[:, 0] < pairs[:, 1]]), is_sample


def near_pairs(surface: Surface, pairs: Ints, found: Ints) -> Ints:
    """Pairs of elements as of ``own_pairs``, and all others that rounding may let cross around some crossings.

    Args:
        surface: any.
        pairs: of ``own_pairs``.
        found: edges and triangles that cross, as of ``passed``.
    """
    is_near = np.zeros(len(surface.points), np.bool_)
    is_near[found.ravel()] = True
    for _ in range(2):
        elements = surface.elements[is_near[surface.elements].any(axis=1)]
        is_near[elements.ravel()] = True
    if len(elements) == 0:
        return pairs
    corners = surface.points[elements]
    sizes = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    by = _GROWN + 4.0 * float(np.abs(surface.asides).max()) / max(float(np.median(sizes)), 1e-300)
    both = overlapping(_tree(surface.points, elements, by), _tree(surface.points, elements, by))
    near = _strangers(surface, elements, elements, both[both[:, 0] < both[:, 1]])
    return np.unique(np.concatenate([pairs, near]), axis=0)


def _strangers(surface: Surface, some: Ints, elements: Ints, pairs: Ints) -> Ints:
    """Of pairs of elements of a surface, those of which an edge may pass through the other one, as corners."""
    mine, others = some[pairs[:, 0]], elements[pairs[:, 1]]
    first, second = surface.origins[mine], surface.origins[others]
    asked = of_strangers(first, second).any(axis=1) | of_strangers(second, first).any(axis=1)
    return np.stack([mine[asked], others[asked]], axis=1)


def _asked_by_and_by(mine: Ints, find: Callable[[Ints], Ints], most: int) -> tuple[Ints, bool]:
    """Pairs as of ``pairs_of``, of some elements that lie evenly among all, by what finds those of some."""
    found = [np.zeros((0, 2, 3), np.int32)]
    mine = evenly(mine)
    asked, count, next_asked = 0, 0, FIRST_ASKED
    while asked < len(mine) and count < most:
        some = mine[asked : asked + next_asked]
        found.append(find(some))
        asked, count = asked + len(some), count + len(found[-1])
        next_asked = min(7 * asked, (most - count) * asked // max(count, 1) + 1)
    return np.concatenate(found), asked < len(mine)


def evenly(rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Rows in another order, in which the first so many lie evenly among all."""
    return rows[np.argsort(np.arange(len(rows)) * _GOLDEN % 1.0)]


def _patches(points: Floats, elements: Ints, most: int) -> Ints:
    """The elements of so many patches that lie evenly over a surface that they are at most so many."""
    middles = points[elements].mean(axis=1)
    low, size = middles.min(axis=0), float(np.ptp(middles, axis=0).max()) / PATCHES
    cells = ((middles - low) / max(size, 1e-300)).astype(np.int64).clip(0, PATCHES)
    numbers, of_elements = np.unique(cells @ [(PATCHES + 1) ** 2, PATCHES + 1, 1], return_inverse=True)
    of_elements = of_elements.reshape(-1)
    order = evenly(np.arange(len(numbers), dtype=np.int32))
    counts = np.cumsum(np.bincount(of_elements, minlength=len(numbers))[order])
    is_kept = np.zeros(len(numbers), np.bool_)
    is_kept[order[: max(int((counts <= most).sum()), 1)]] = True
    return elements[is_kept[of_elements]][:most]


def _tree(points: Floats, elements: Ints, by: float = 0.0) -> BVHTree:
    """A tree over some elements of a surface, each grown by a share."""
    used, numbers = np.unique(elements, return_inverse=True)
    places, corners = points[used], numbers.reshape(-1, 3)
    is_edge = corners[:, 1] == corners[:, 2]
    if is_edge.any():
        ends = places[corners[is_edge, 1]]
        ways = ends - places[corners[is_edge, 0]]
        # across the edge, whichever way it goes
        thin = ends + _THIN * np.cross(ways, np.eye(3)[np.abs(ways).argmin(axis=1)])
        corners = corners.copy()
        corners[is_edge, 2] = len(places) + np.arange(len(thin))
        places = np.concatenate([places, thin])
    if by:
        whole = places[corners]
        middles = whole.mean(axis=1, keepdims=True)
        places = (middles + (1.0 + by) * (whole - middles)).reshape(-1, 3)
        corners = np.arange(len(places)).reshape(-1, 3)
    return triangle_tree(places, corners)
