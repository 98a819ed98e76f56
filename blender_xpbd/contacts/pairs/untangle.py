# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes apart what is tangled at the start: patches of surface that go through each other, and solids in solids.

Each patch goes as a whole along the shortest straight way that brings it past the other (``separation``). So it does
not matter where the contour ends, in which two surfaces meet, nor whether it has an inside. What two patches have in
common is not held while they part. No side counts as the right one, but where two bodies have different layers: there
the outer one belongs on the side of the inner one's normals.

All is done in NumPy before a substep that begins tangled, and only in the first frames: pairs that are apart are never
tangled again. Pushes are speeds that the substep has and that are taken back after it, so that nothing is thrown, and
so that pairs that are apart limit them.

Which contours there are, and where they end: Volino & Magnenat-Thalmann 2006, "Resolving surface collisions through
intersection contour minimization"; Wicke, Lanker & Gross 2006, "Untangling cloth with boundaries".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...geometry.search.surfaces import Surfaces
from .patches import Tangle
from .separation import LEAST_NORMAL, area_normal, shortest_way
from .tables import KIND, POINTS, VERTEX_TRIANGLE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# bound of a pair that is tangled: never near
TANGLED_CLEARANCE = 1e30
# the way that patches have to part decays with this time constant [frames]; at last they part by this speed [m/s], and
# by this share of the mean crossing edge in a substep at most: all chosen by hand
UNTANGLING_FRAMES = 2.0
# the way of the substep before is kept while it is no longer than so many times the shortest one: chosen by hand
MOST_DETOUR = 3.0
LAST_SPEED = 1.0
# what goes through a solid comes out no faster than with the speed √(a s) on a way of s, with this a [m/s²]: a jelly in
# the middle of another one would fly out at 3 m/s else, a cloth of 4 m through one of 2 m at 16. About that of gravity,
# so that what is large takes longer
LEAVING = 9.81
# likewise of sheets. With it a way of 1.7 m takes the ten frames of 1/24 s in which tangles are to be apart, and what
# is less than 0.27 m goes by UNTANGLING_FRAMES alone
PARTING = 40.0
EDGE_SHARE = 0.25
# of the speed of sheets in the substep before, what has to come of it; else their last speed grows by so much from
# substep to substep, up to so many times: what elasticity takes back in each would stay. Chosen by trying
HINDERED, GROWN, MOST_GROWN = 0.5, 1.25, 4.0


class Carriers(NamedTuple):
    """What moves the surface points.

    Attributes:
        elements: four particles of each point, shape (points, 4) or more.
        weights: of these, shape (points, 4).
        inverse_masses: of the particles [1/kg], shape (particles,).
        ranges: first particle of each object and the one after its last, shape (objects, 2).
    """

    elements: Ints
    weights: npt.NDArray[np.float32]
    inverse_masses: Floats
    ranges: Ints


class Way(NamedTuple):
    """By which way a tangle comes apart.

    Attributes:
        tangle: as it was.
        direction: in which its first patch goes, a unit vector.
        length: that was left of it [m].
        speed: that both patches had along it [m/s].
        grown: by how much that was more than where nothing hinders it.
    """

    tangle: Tangle
    direction: Floats
    length: float
    speed: float
    grown: float


def tangled_pairs(tied: Sequence[Tangle], pair_ints: Ints) -> Bools:
    """Which pairs stand in the way of untangling: those of the two patches of a tangle.

    Args:
        tied: the tangles.
        pair_ints: rows of pairs as in ``tables``, shape (pairs, 5).
    """
    points, kinds = pair_ints[:, POINTS:], pair_ints[:, KIND]
    of_a = np.arange(4) < np.where(kinds == VERTEX_TRIANGLE, 1, 2)[:, None]
    result = np.zeros(len(pair_ints), np.bool_)
    for tangle in tied:
        one, other = (mine[points] > 0.0 for mine in tangle.shares)
        result |= (one & of_a).any(axis=1) & (other & ~of_a).any(axis=1)
        result |= (other & of_a).any(axis=1) & (one & ~of_a).any(axis=1)
    return result


def untangling_velocities(
    surfaces: Surfaces,
    tied: Sequence[Tangle],
    positions: Floats,
    carriers: Carriers,
    outside: Ints,
    duration: float,
    frame_duration: float,
    before: Sequence[Way] = (),
) -> tuple[Floats, list[Way]]:
    """The velocities to add in a substep so that tangles come apart.

    Args:
        surfaces: of all objects.
        tied: the tangles.
        positions: of the surface points [m], shape (points, 3).
        carriers: what moves them.
        outside: 1 where the object of the row belongs on the outside of that of the column, −1 where it is the other
            way round, 0 where nothing says it, shape (objects, objects).
        duration: of the substep [s].
        frame_duration: of a frame [s].
        before: the ways of the substep before. What is half through is as near to one side as to the other, so that
            without them patches would turn round again and again.

    Returns:
        Of the particles [m/s], shape (particles, 3); a tangle of which nothing is held keeps its momentum. And the ways
        of what is moved.
    """
    ways: list[Way] = []
    count = len(carriers.inverse_masses)
    added, totals = np.zeros((count, 3)), np.zeros(count)
    for tangle in tied:
        shares = [_of_particles(mine, carriers) for mine in tangle.shares]
        parts = _parts(
            [_mass(mine, carriers.inverse_masses) for mine in shares],
            [_held(mine, carriers.inverse_masses) for mine in shares],
        )
        if not tangle.may_part or not any(parts):
            continue
        given = _given(surfaces, tangle, positions, outside)
        way, length = shortest_way(positions, surfaces.triangles, tangle.shares, given)
        known, grown = _known_way(tangle, before), 1.0
        if given is None and known is not None:
            again = shortest_way(positions, surfaces.triangles, tangle.shares, known.direction)
            if again[1] <= MOST_DETOUR * length:
                way, length = again
                is_hindered = known.length - length < HINDERED * known.speed * duration
                grown = min(GROWN * known.grown, MOST_GROWN) if is_hindered else max(known.grown / GROWN, 1.0)
        speed = _speed(tangle, length, grown, duration, frame_duration)
        ways.append(Way(tangle, way, length, speed, grown))
        added += speed * (parts[0] * shares[0] - parts[1] * shares[1])[:, None] * way
        totals += shares[0] + shares[1]
    added[carriers.inverse_masses <= 0.0] = 0.0
    # what several tangles share goes no faster than with one
    result: Floats = added / np.maximum(totals, 1.0)[:, None]
    return result, ways


def _speed(tangle: Tangle, length: float, grown: float, duration: float, frame_duration: float) -> float:
    """With which two patches part [m/s].

    Args:
        tangle: of these.
        length: of the way that is left [m].
        grown: by how much the last speed of sheets is more than where nothing hinders them.
        duration: of the substep [s].
        frame_duration: of a frame [s].
    """
    most_by_edges = EDGE_SHARE * tangle.edge / duration
    last = min(LAST_SPEED, most_by_edges)
    if not tangle.of_solid:
        last = min(grown * last, most_by_edges)
    most = float(np.sqrt((LEAVING if tangle.of_solid else PARTING) * length))
    return max(min(length / (UNTANGLING_FRAMES * frame_duration), most), last)


def _known_way(tangle: Tangle, before: Sequence[Way]) -> Way | None:
    """The way that most of a tangle had in the substep before; None where it is new."""
    overlaps = [
        float((way.tangle.shares * tangle.shares).sum()) if way.tangle.objects == tangle.objects else 0.0
        for way in before
    ]
    if max(overlaps, default=0.0) == 0.0:
        return None
    return before[int(np.argmax(overlaps))]


def _given(surfaces: Surfaces, tangle: Tangle, positions: Floats, outside: Ints) -> Floats | None:
    """The direction in which layers say that the first patch has to go; None where they do not."""
    above = int(outside[tangle.objects])
    if above == 0:
        return None
    inner = tangle.shares[1 if above > 0 else 0]
    normal = area_normal(positions, surfaces.triangles, inner)
    size = float(np.linalg.norm(normal))
    # the first goes where the inner second one's normal leads, or as the inner one against its own
    return above * normal / size if size > LEAST_NORMAL else None


def _of_particles(shares: Floats, carriers: Carriers) -> Floats:
    """Shares of the particles from those of the points that they carry; inside a body the mean, shape (particles,)."""
    count = len(carriers.inverse_masses)
    weights = np.abs(carriers.weights.astype(np.float64))
    rows = carriers.elements[:, :4].ravel()
    carried = np.bincount(rows, weights.ravel(), count)
    result: Floats = np.bincount(rows, (weights * shares[:, None]).ravel(), count) / np.maximum(carried, 1e-300)
    for first, last in carriers.ranges:
        own, is_inside = result[first:last], carried[first:last] == 0.0
        if is_inside.any() and not is_inside.all():
            own[is_inside] = own[~is_inside].mean()
    return result


def _mass(shares: Floats, inverse_masses: Floats) -> float:
    """The mass that goes with a patch [kg]; 0 where nothing of it may move."""
    moves = inverse_masses > 0.0
    return float((shares[moves] / inverse_masses[moves]).sum())


def _held(shares: Floats, inverse_masses: Floats) -> float:
    """How firmly a patch is held, by the share with which what cannot move would go with it, from 0 to 1."""
    return float(shares[inverse_masses <= 0.0].max(initial=0.0))


def _parts(masses: Sequence[float], held: Sequence[float]) -> tuple[float, float]:
    """How much of the way the first and the second of two patches takes; what cannot move leaves it to the other.

    So does what is held more firmly than the other one, by as much: a cloth that hangs on pins would be stretched, and
    snap back.

    Args:
        masses: of both [kg]; 0 where nothing of one may move.
        held: of both, as of ``_held``.
    """
    if min(masses) == 0.0:
        return float(masses[0] > 0.0), float(masses[1] > 0.0)
    first, firmer = masses[1] / (masses[0] + masses[1]), held[0] - held[1]
    first = first * (1.0 - firmer) if firmer > 0.0 else 1.0 - (1.0 - first) * (1.0 + firmer)
    return first, 1.0 - first


def taken_back(velocities: Floats, added: Floats) -> Floats:
    """Velocities (particles, 3) after the substep, without what is left in them of those that were added [m/s]."""
    squares = (added * added).sum(axis=1, keepdims=True)
    shares = np.clip((velocities * added).sum(axis=1, keepdims=True) / np.maximum(squares, 1e-300), 0.0, 1.0)
    return velocities - shares * added
