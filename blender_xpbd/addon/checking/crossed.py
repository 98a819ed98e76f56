# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start in each other, so that edges of the one pass through faces of the other.

A bake counts them, too, with the crossings of a body with itself, of strands, and of colliders. To count those takes
too long for a click, or other checks tell of what starts inside a collider. What lies face on face crosses by rounding
alone: where a shift by that frees it, it touches, as for the bake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from mathutils.bvhtree import BVHTree

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.listing import listed
from ...scene.scene import Scene
from ...scene.starts import ROUNDING, touching_shifts, without_contact
from ..measures.solid_measures import fans
from .gaps import meet
from .reach import starting_places
from .triangle_trees import overlapping, triangle_tree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# pairs of triangles that are looked at in a check, at most, and for two bodies in any case; and of how many triangles
# the first are found: a check is for the moment of a click
MOST_PAIRS, LEAST_PAIRS, FIRST_ASKED = 100_000, 1000, 8
# the golden ratio, less 1
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
# what lies exactly on an edge is moved to one side of it, by a share of the size along no axis and no diagonal
_TIE = 1e-9 * np.array([0.357, 0.213, 0.909])
# of a triangle, the corners of each edge
_EDGES = np.array([[0, 1], [1, 2], [2, 0]])


def starts_crossed(scene: Scene) -> Iterator[Notice]:
    """A warning for each body that crosses later ones: which, and how often. Layers say that it is meant."""
    bodies = scene.bodies
    surface = cache(lambda number: _Surface(bodies[number]))
    crossed: dict[int, list[str]] = {}
    left = MOST_PAIRS
    for a, b in _near(bodies):
        if bodies[a].contact.layer == bodies[b].contact.layer and meet(bodies[a], bodies[b]):
            pairs, is_sample = _pairs(surface(a), surface(b), max(left, LEAST_PAIRS))
            left -= len(pairs)
            if count := _crossings(surface(a), surface(b), pairs):
                crossed.setdefault(a, []).append(f'"{bodies[b].name}" ({"at least " * is_sample}{count})')
    for number, against in crossed.items():
        names = listed(against)
        text = (
            f"Crosses {names} where it starts: edges that pass through faces, in brackets. What crosses does not hold "
            "until the bake has taken it apart, which pins may prevent. Move it out, or give a higher Layer to what is "
            "to lie outside."
        )
        yield Notice("W_TANGLED", text, bodies[number].name)


def crosses(body: Body, other: Body) -> bool:
    """Whether it is told of two bodies that they cross."""
    if body.contact.layer != other.contact.layer or not meet(body, other):
        return False
    surfaces = _Surface(body), _Surface(other)
    return _crossings(*surfaces, _pairs(*surfaces, MOST_PAIRS)[0]) > 0


def _near(bodies: Sequence[Body]) -> list[tuple[int, int]]:
    """Numbers of bodies of faces whose boxes meet, two by two."""
    asked = [number for number, body in enumerate(bodies) if len(body.face_sizes)]
    if len(asked) < 2:
        return []
    places = [starting_places(bodies[number]) for number in asked]
    lows, highs = np.array([one.min(axis=0) for one in places]), np.array([one.max(axis=0) for one in places])
    meets = ((lows[:, None] <= highs) & (lows <= highs[:, None])).all(axis=2)
    return [(asked[a], asked[b]) for a, b in np.argwhere(np.triu(meets, 1)).tolist()]


class _Surface:
    """The triangles of a body that take part, where it starts.

    Attributes:
        points: of all vertices, shape (vertices, 3) [m].
        triangles: shape (triangles, 3).
        low, high: ends of the box about them [m], shape (3,).
    """

    def __init__(self, body: Body) -> None:
        self.points = starting_places(body)
        triangles = fans(body.face_sizes, body.corners)
        is_out = np.zeros(len(self.points), np.bool_)
        is_out[without_contact(body)] = True
        self.triangles = triangles[~is_out[triangles].any(axis=1)]
        if len(body.seams) and body_kind(body.role, body.name).is_sheet:
            self.triangles = _joined(body.seams)[self.triangles]
        used = self.points[self.triangles.ravel()]
        self.low, self.high = used.min(axis=0, initial=np.inf), used.max(axis=0, initial=-np.inf)

    def within(self, low: Floats, high: Floats) -> Ints:
        """The triangles whose boxes meet another one, shape (triangles, 3)."""
        is_low, is_high = self.points <= high, self.points >= low
        near = is_low[self.triangles].any(axis=1) & is_high[self.triangles].any(axis=1)
        return self.triangles[near.all(axis=1)]


def _joined(seams: Ints) -> Ints:
    """For each vertex, the first one that was the same before the mesh was cut, shape (vertices,)."""
    own = np.arange(len(seams), dtype=np.int32)
    _, firsts, inverse = np.unique(seams, return_index=True, return_inverse=True)
    return np.where(seams > 0, firsts[inverse.reshape(-1)], own).astype(np.int32)


def _pairs(one: _Surface, other: _Surface, most: int) -> tuple[Ints, bool]:
    """Triangles of two surfaces that may cross; and whether they are those of a sample, as the others are too many.

    Args:
        one: of which some triangles are asked after some, evenly among all.
        other: of which all are.
        most: pairs after which no further triangles are asked.

    Returns:
        numbers of corners of both, shape (pairs, 2, 3), and whether it is a sample.
    """
    low, high = np.maximum(one.low, other.low), np.minimum(one.high, other.high)
    mine, others = one.within(low, high), other.within(low, high)
    found = [np.zeros((0, 2, 3), np.int32)]
    if not (len(mine) and len(others)):
        return found[0], False
    tree = _tree(other.points, others)
    # the first so many lie evenly among all
    mine = mine[np.argsort(np.arange(len(mine)) * _GOLDEN % 1.0)]
    asked, count, next_asked = 0, 0, FIRST_ASKED
    while asked < len(mine) and count < most:
        some = mine[asked : asked + next_asked]
        pairs = overlapping(_tree(one.points, some), tree)
        found.append(np.stack([some[pairs[:, 0]], others[pairs[:, 1]]], axis=1))
        asked, count = asked + len(some), count + len(pairs)
        next_asked = min(7 * asked, (most - count) * asked // max(count, 1) + 1)
    return np.concatenate(found), asked < len(mine)


def _crossings(one: _Surface, other: _Surface, pairs: Ints) -> int:
    """How many edges of two surfaces pass through triangles of the other one; 0 where they touch alone.

    Args:
        one: a surface.
        other: another one.
        pairs: of ``_pairs``.
    """
    if len(pairs) == 0:
        return 0
    a, b = pairs[:, 0], pairs[:, 1]
    step = ROUNDING * float(max(np.abs(one.points[a]).max(), np.abs(other.points[b]).max()))
    middle, size = one.points[a].mean(axis=(0, 1)), float((one.high - one.low).max())
    first, second = one.points[a] - middle + size * _TIE, other.points[b] - middle
    # what has edges in common crosses by rounding
    if not (_passing(first, second, step).any() or _passing(second, first, step).any()):
        return 0
    through, back = _passing(first, second), _passing(second, first)
    found = through.any(axis=1) | back.any(axis=1)
    for shift in touching_shifts(np.concatenate([first[found], second[found]]), step):
        if not (_passing(first + shift, second).any() or _passing(second, first + shift).any()):
            return 0
    return _distinct(through, a, b) + _distinct(back, b, a)


def _tree(points: Floats, triangles: Ints) -> BVHTree:
    """A tree over some triangles of a surface."""
    used, numbers = np.unique(triangles, return_inverse=True)
    return triangle_tree(points[used], numbers.reshape(-1, 3))


def _passing(first: Floats, second: Floats, depth: float = 0.0) -> npt.NDArray[np.bool_]:
    """Which edges of triangles pass through others, by more than a depth to both sides [m].

    Args:
        first: corners of the triangles, of whose edges it asks, shape (pairs, 3, 3) [m].
        second: of the others, likewise.
        depth: of the ends of an edge, to both sides of the triangle.

    Returns:
        shape (pairs, 3).
    """
    a, b, c = np.moveaxis(second, 1, 0)
    normals = np.cross(b - a, c - a)
    heights = np.einsum("pij,pj->pi", first - a[:, None], normals)
    starts, ends = heights[:, _EDGES[:, 0]], heights[:, _EDGES[:, 1]]
    least = depth * np.linalg.norm(normals, axis=1, keepdims=True)
    passes = (np.minimum(starts, ends) < -least) & (np.maximum(starts, ends) > least)
    rows, edges = np.nonzero(passes)
    start, end = first[rows, _EDGES[edges, 0]], first[rows, _EDGES[edges, 1]]
    corners = second[rows] - start[:, None]
    # on which side of each edge of the triangle the line goes by
    turns = np.einsum("pij,pj->pi", np.cross(corners, np.roll(corners, -1, axis=1)), end - start) > 0.0
    passes[rows, edges] = (turns == turns[:, :1]).all(axis=1)
    return passes


def _distinct(passes: npt.NDArray[np.bool_], corners: Ints, others: Ints) -> int:
    """How many edges pass, each triangle that they pass through counted once, whatever triangles have the edge."""
    rows, edges = np.nonzero(passes)
    ends = np.sort(np.stack([corners[rows, _EDGES[edges, k]] for k in range(2)], axis=1), axis=1)
    return len(np.unique(np.column_stack([ends, others[rows]]), axis=0))
