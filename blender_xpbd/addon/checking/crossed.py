# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts in each other or in itself, so that edges pass through faces; a bake counts them, too.

What lies face on face crosses by rounding alone: where a shift by that frees it, it touches, as for the bake. Of
colliders that are closed, and of what starts inside them, another check tells; so here only where they have an edge,
sharp enough for the bake to hold bodies by it, that passes through a face. Of the crossings of a jelly with itself
nothing is told where it can tear: faces of the pieces into which it is cut lie on each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles
from ...scene.errors import Notice
from ...scene.listing import listed
from ...scene.scene import Scene
from ...scene.starts import (
    ASIDE,
    ROUNDING,
    ends_clear,
    go_on_at_vertices,
    parting_shifts,
    takes_no_part,
    touching_shifts,
)
from ...scene.ties.own_ties import own_ties
from ..measures.passing import of_strangers, passed, passing, turn_at
from ..measures.solid_measures import component_labels, triangle_edges
from .depths import is_closed, told_depths
from .gaps import MOST_GAP, meet
from .reach import starting_places
from .surfaces import Surface, near_pairs, own_pairs, pairs_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# pairs of triangles that are looked at in a check, at most, and for two bodies in any case: a check is for the moment
# of a click. For crossings of bodies with themselves triangles that are looked at, and pairs of each body
MOST_PAIRS, LEAST_PAIRS = 100_000, 1000
MOST_TRIANGLES, LEAST_TRIANGLES, MOST_OWN_PAIRS = 100_000, 10_000, 30_000
# tan(θ/2) of the angle by which a collider turns at an edge by which the bake holds all bodies, whose gaps are a part
# of their edges at most; see ``searched_features`` of the solver
SHARP = MOST_GAP


@dataclass(frozen=True)
class _Crossed:
    """What a body crosses, itself or another one, and how often; of a sample at least."""

    other: Body | Collider
    count: int
    is_sample: bool


def starts_crossed(scene: Scene) -> Iterator[Notice]:
    """A warning for each body that crosses itself, later bodies or colliders: which, and how often.

    Layers say of two bodies that it is meant.
    """
    bodies, things = scene.bodies, _things(scene)
    surfaces = cache(lambda number: Surface(things[number]))
    crossed: dict[int, list[_Crossed]] = {}
    left = MOST_TRIANGLES
    for number, body in enumerate(bodies):
        if _meets_itself(body):
            count, is_sample = _own_crossings(surfaces(number), max(left, LEAST_TRIANGLES))
            left -= len(surfaces(number).elements)
            if count:
                crossed.setdefault(number, []).append(_Crossed(body, count, is_sample))
    left = MOST_PAIRS
    for a, b in _near(scene):
        pairs, is_sample = pairs_of(surfaces(a), surfaces(b), max(left, LEAST_PAIRS))
        left -= len(pairs)
        through, back = _crossings(surfaces(a), surfaces(b), pairs)
        other, count = things[b], len(through) + len(back)
        if count and not (isinstance(other, Collider) and _is_told(bodies[a], other, back)):
            crossed.setdefault(a, []).append(_Crossed(other, count, is_sample))
    for number, found in sorted(crossed.items()):
        yield Notice("W_TANGLED", _text(bodies[number], found), bodies[number].name)


def crosses(body: Body, other: Body) -> bool:
    """Whether it is told of two bodies that they cross."""
    if body.contact.layer != other.contact.layer or not meet(body, other):
        return False
    surfaces = Surface(body), Surface(other)
    return any(len(found) for found in _crossings(*surfaces, pairs_of(*surfaces, MOST_PAIRS)[0]))


def _text(body: Body, crossed: Sequence[_Crossed]) -> str:
    """What is told of a body that crosses something."""
    others = [one.other for one in crossed if one.other is not body]
    names = ("itself" if one.other is body else f'"{one.other.name}"' for one in crossed)
    counts = (f"({'at least ' * one.is_sample}{one.count} edge{'s' * (one.count > 1)})" for one in crossed)
    text = (
        f"Crosses {listed(map(' '.join, zip(names, counts, strict=True)))} where it starts, and does not hold there "
        "until the bake has parted it; pins may prevent that."
    )
    if len(others) < len(crossed):
        left_so = " What of a jelly crosses itself is left so." if body_kind(body.role, body.name).is_solid else ""
        text += f"{left_so} Part it from itself, or turn Self off."
    if any(isinstance(one, Body) for one in others):
        return f"{text} Move it out, or give a higher Layer to what is to lie outside."
    return f"{text} Move it out." if others else text


def _things(scene: Scene) -> tuple[Body | Collider, ...]:
    """What may cross: bodies, then mesh colliders."""
    return (*scene.bodies, *filter(has_triangles, scene.colliders))


def _meets_itself(body: Body) -> bool:
    is_cut = len(body.seams) > 0 and body_kind(body.role, body.name).is_solid
    return body.contact.self_collision and len(body.face_sizes) > 0 and not is_cut and not takes_no_part(body)


def _near(scene: Scene) -> list[tuple[int, int]]:
    """Numbers of a body and of another one, or of a collider, that meet and whose boxes do."""
    things = _things(scene)
    asked = [number for number, one in enumerate(things) if isinstance(one, Collider) or _has_edges(one)]
    if len(asked) < 2:
        return []
    places = [starting_places(things[number]) for number in asked]
    lows, highs = np.array([one.min(axis=0) for one in places]), np.array([one.max(axis=0) for one in places])
    boxes_meet = ((lows[:, None] <= highs) & (lows <= highs[:, None])).all(axis=2)
    near = [(asked[a], asked[b]) for a, b in np.argwhere(np.triu(boxes_meet, 1)).tolist()]
    return [(a, b) for a, b in near if _may_cross(things[a], things[b])]


def _has_edges(body: Body) -> bool:
    return len(body.face_sizes) > 0 or len(body.loose_edges) > 0


def _may_cross(one: Body | Collider, other: Body | Collider) -> bool:
    """Whether two of ``_things`` meet, and it is told of them that they cross."""
    if isinstance(one, Collider):
        return False
    if isinstance(other, Collider):
        return one.contact.sees is None or other.identifier in one.contact.sees
    has_faces = len(one.face_sizes) > 0 or len(other.face_sizes) > 0
    return has_faces and one.contact.layer == other.contact.layer and meet(one, other)


def _is_told(body: Body, collider: Collider, back: Ints) -> bool:
    """Whether another check tells of a body and a closed collider, or the bake nothing.

    Args:
        body: that the collider crosses.
        collider: any.
        back: edges of the collider that pass through the body, of ``passed``.
    """
    if not is_closed(collider.triangles):
        return False
    is_sharp = len(back) > 0 and turn_at(starting_places(collider), collider.triangles, back[:, :2]) > SHARP
    return not is_sharp or bool(told_depths(body, [collider]))


def _own_crossings(surface: Surface, most: int) -> tuple[int, bool]:
    """How many edges of a surface pass through triangles of it; and whether they are those of a sample.

    With those that would if points were moved by rounding, where they cross at vertices alone.
    """
    pairs, is_sample = own_pairs(surface, most, MOST_OWN_PAIRS)
    aside = _passed_own(surface, pairs, surface.points + surface.asides)
    step = ROUNDING * float(np.abs(surface.points[aside]).max(initial=0.0))
    by_rounding = aside[~ends_clear(surface.points[aside[:, :2]], surface.points[aside[:, 2:]], step)]
    if len(by_rounding):
        pairs = near_pairs(surface, pairs, by_rounding)
    found = _passed_own(surface, pairs, surface.points)

    def find(points: Floats) -> Ints:
        return surface.crossings(_passed_own(surface, pairs, points))

    ties = own_ties(surface, surface.points, surface.asides, find, component_labels)
    return len(np.unique(np.concatenate([surface.crossings(found), ties]), axis=0)), is_sample


def _passed_own(surface: Surface, pairs: Ints, points: Floats) -> Ints:
    """Edges that pass through triangles of the same surface, as of ``passed``.

    Args:
        surface: any.
        pairs: of ``own_pairs``.
        points: where its points are [m], shape (points, 3).
    """
    found = [np.zeros((0, 5), np.int32)]
    for a, b in ((pairs[:, 0], pairs[:, 1]), (pairs[:, 1], pairs[:, 0])):
        passes = passing(points[a], points[b], a, b)
        found.append(passed(passes & of_strangers(surface.origins[a], surface.origins[b]), a, b))
    return np.unique(np.concatenate(found), axis=0)


def _crossings(one: Surface, other: Surface, pairs: Ints) -> tuple[Ints, Ints]:
    """Edges of two surfaces that pass through triangles of the other, as of ``passed``; none where they touch alone.

    Args:
        one: a surface.
        other: another one.
        pairs: of ``pairs_of``.
    """
    none = np.zeros((0, 5), np.int32)
    if len(pairs) == 0:
        return none, none
    a, b = pairs[:, 0], pairs[:, 1]
    step = ROUNDING * float(max(np.abs(one.points[a]).max(), np.abs(other.points[b]).max()))
    middle = one.points[a].mean(axis=(0, 1))
    first, second = one.points[a] - middle, other.points[b] - middle
    shifts = touching_shifts
    through, back = passing(first, second, a, b), passing(second, first, b, a)
    # what has edges in common crosses by rounding
    if not (_are_clear(through, first, second, step) or _are_clear(back, second, first, step)):
        if not (through.any() or back.any()):
            aside = first + step * ASIDE
            through, back = passing(aside, second, a, b), passing(second, aside, b, a)
        if not _go_on(one, other, passed(through, a, b), passed(back, b, a), step):
            return none, none
        shifts = parting_shifts
    found = through.any(axis=1) | back.any(axis=1)
    for shift in shifts(np.concatenate([first[found], second[found]]), step):
        if not (passing(first + shift, second, a, b).any() or passing(second, first + shift, b, a).any()):
            return none, none
    return passed(through, a, b), passed(back, b, a)


def _go_on(one: Surface, other: Surface, through: Ints, back: Ints, step: float) -> bool:
    """As ``go_on_at_vertices``, by edges of two surfaces, as of ``passed``."""
    if len(through) + len(back) == 0:
        return False
    after = len(one.points)
    crossing = np.concatenate([through + np.repeat([0, after], [2, 3]), back + np.repeat([after, 0], [2, 3])])
    links = np.concatenate([triangle_edges(one.elements), triangle_edges(other.elements) + after])
    points = np.concatenate([one.points, other.points])
    return go_on_at_vertices(points, crossing[:, :2], crossing[:, 2:], links, step)


def _are_clear(passes: npt.NDArray[np.bool_], first: Floats, second: Floats, step: float) -> bool:
    """Whether an edge that passes does so by more than rounding [m]; arguments as of ``passing``."""
    rows, edges = np.nonzero(passes)
    ends = np.stack([first[rows, edges], first[rows, (edges + 1) % 3]], axis=1)
    return bool(ends_clear(ends, second[rows], step).any())
