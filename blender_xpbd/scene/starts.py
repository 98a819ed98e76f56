# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of bodies before a bake and in it: that they start in each other, or are too coarse for a ball."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from .body import Body
from .body_kinds import body_kind
from .collider import Collider
from .collider_shapes import has_triangles
from .errors import Notice
from .listing import listed, quoted
from .scene import Scene
from .transforms import transformed

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# share of its vertices from which on a body lies in the place of another: of cubes face on face half of them do
SAME_PLACE = 0.6
# of a body, vertices that are looked at first: a check is for the moment of a click
MOST_SAMPLED = 1000
# share of the gap by which the middle of a face may dip into a sphere: cloth stretches, too. Measured, see
# docs/experiments.md (Round colliders under coarse cloth). Where there is hardly a gap, of which W_GAP tells, the share
# of the face or of the sphere
_DIP, _LEAST_DIP = 0.75, 0.02
# as a share of the greatest coordinate, four times what single precision tells apart: the solver keeps places in it,
# and they are sums of up to four
ROUNDING = 5e-7
# ways by which what touches is tried to be freed: faces that lie on each other have few, and each is a search
MOST_WAYS = 16
# normals that differ by less than this are one way
_SAME_WAY = 1e-4
# unit vectors to all sides, at most 30° from any, along no axis and no diagonal: evenly on a spiral (Vogel 1979)
_HEIGHTS = (np.arange(40) + 0.5) / 20.0 - 1.0
_TURNS = np.arange(40) * np.pi * (3.0 - 5.0**0.5) + 0.3
_ALL_SIDES = np.column_stack([*(np.sqrt(1.0 - _HEIGHTS**2) * np.array([np.cos(_TURNS), np.sin(_TURNS)])), _HEIGHTS])
# by which what only touches is moved to see what would cross, as a share of rounding: along no axis and no diagonal
ASIDE = np.array([0.357, 0.213, 0.909])
# points of one surface are moved by so many times of what rounding may come to, at most: in single precision all by
# unlike amounts. Multiples of the golden ratio, less 1, lie evenly between 0 and 1, however many there are
_MOST_ASIDE, _GOLDEN = 8.0, (5.0**0.5 - 1.0) / 2.0


def bodies_meet(body: Body, other: Body) -> bool:
    """Whether two bodies meet."""
    both = ((body, other), (other, body))
    return all(
        one.contact.body_collision and (one.contact.sees is None or two.identifier in one.contact.sees)
        for one, two in both
    )


def without_contact(body: Body) -> Ints:
    """The vertices of a body that meet no other body, each once: those that are left out, and attached ones."""
    left_out = body.contact.left_out
    if body.attachment is not None:
        left_out = np.union1d(left_out, body.attachment.vertices)
    return np.unique(left_out)


def takes_no_part(body: Body) -> bool:
    """Whether nothing of a body meets anything, as where it is attached as a whole."""
    return len(without_contact(body)) == len(body.positions)


def boxes(bodies: Sequence[Body]) -> tuple[Floats, Floats]:
    """The least and the greatest coordinates of bodies [m], shape (bodies, 3) each; inf and −inf without vertices."""
    lows, highs = np.full((len(bodies), 3), np.inf), np.full((len(bodies), 3), -np.inf)
    for number, body in enumerate(bodies):
        if len(body.positions):
            lows[number], highs[number] = body.positions.min(axis=0), body.positions.max(axis=0)
    return lows, highs


def in_one_place(bodies: Sequence[Body]) -> Iterator[Notice]:
    """A warning for each body most of whose vertices are where an earlier one that it meets has some.

    So it is with what was duplicated and not moved. Nothing crosses there, and neither comes to lie on the other.
    """
    bodies = [body for body in bodies if not takes_no_part(body)]
    lows, highs = boxes(bodies)
    columns = cache(lambda number: np.sort(bodies[number].positions.T))
    for number, body in enumerate(bodies):
        meets = (lows[number] <= highs[:number]).all(axis=1) & (highs[number] >= lows[:number]).all(axis=1)
        sample = body.positions[:: -(-len(body.positions) // MOST_SAMPLED)]
        for earlier in np.flatnonzero(meets):
            other = bodies[earlier]
            if not bodies_meet(body, other) or not _may_share(sample, columns(earlier)):
                continue
            shared = _shared(body.positions, other.positions)
            if shared >= SAME_PLACE * len(body.positions):
                text = (
                    f'{shared} of its {len(body.positions)} vertices are where "{other.name}" has some, so neither '
                    "lies on the other: move or delete one of the two."
                )
                yield Notice("W_TANGLED", text, body.name)
                break


def _may_share(sample: Floats, columns: Floats) -> bool:
    """Whether half as many as have to be have coordinates that others have, too.

    Args:
        sample: of the vertices that are asked for, shape (n, 3).
        columns: coordinates of the others, those of each axis ascending, shape (3, m).
    """
    found = [column[np.searchsorted(column[:-1], mine)] == mine for column, mine in zip(columns, sample.T, strict=True)]
    return bool(np.all(found, axis=0).mean() >= 0.5 * SAME_PLACE)


def _shared(one: Floats, other: Floats) -> int:
    """How many points are exactly at one of some others; shapes (n, 3) and (m, 3)."""
    places = np.unique(np.concatenate([other, one]), axis=0, return_inverse=True)[1].reshape(-1)
    return int(np.isin(places[len(other) :], places[: len(other)]).sum())


def ends_clear(ends: Floats, corners: Floats, step: float) -> npt.NDArray[np.bool_]:
    """Which edges that go through triangles have both ends farther from their planes than rounding.

    Others may touch alone, as hair whose roots lie on a surface.

    Args:
        ends: of the edges, shape (n, 2, 3) [m].
        corners: of the triangle of each, shape (n, 3, 3) [m].
        step: how far rounding moves them [m].
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    normals = np.cross(b - a, c - a)
    heights = np.einsum("nij,nj->ni", ends - a[:, None], normals)
    clear: npt.NDArray[np.bool_] = (np.abs(heights) > step * np.linalg.norm(normals, axis=1, keepdims=True)).all(axis=1)
    return clear


def go_on_at_vertices(points: Floats, ends: Ints, corners: Ints, links: Ints, step: float) -> bool:
    """Whether edges end in the planes of triangles, and their surface goes on from there to both sides.

    Arguments as of ``that_go_on``.
    """
    return bool(that_go_on(points, ends, corners, links, step).any())


def that_go_on(points: Floats, ends: Ints, corners: Ints, links: Ints, step: float) -> npt.NDArray[np.bool_]:
    """Which edges end in the planes of triangles, so that their surface goes on from there to both sides.

    So grids cross along their lines, and no edge goes through a triangle. What is at a vertex of another surface, too,
    does not count: copies in one place lie on each other.

    Args:
        points: shape (points, 3) [m].
        ends: of edges that would go through triangles if one surface were moved by rounding, shape (n, 2).
        corners: of the triangle of each, shape (n, 3).
        links: all edges of the surfaces, shape (links, 2).
        step: how far rounding moves points [m].
    """
    a, b, c = np.moveaxis(points[corners], 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    heights = np.abs(np.einsum("nij,nj->ni", points[ends] - a[:, None], normals))
    is_tie = heights.min(axis=1) <= step
    ties, a, normals = ends[np.arange(len(ends)), heights.argmin(axis=1)][is_tie], a[is_tie], normals[is_tie]
    both = np.concatenate([links, links[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    firsts, lasts = np.searchsorted(both[:, 0], ties), np.searchsorted(both[:, 0], ties, side="right")
    rows = np.repeat(np.arange(len(ties)), lasts - firsts)
    nexts = both[np.arange(len(rows)) + np.repeat(lasts - np.cumsum(lasts - firsts), lasts - firsts), 1]
    places, counts = np.unique(points, axis=0, return_inverse=True, return_counts=True)[1:]
    is_alone = counts[places.reshape(-1)[nexts]] == 1
    ways = is_alone * np.einsum("ni,ni->n", points[nexts] - a[rows], normals[rows])
    above, below = (np.bincount(rows, side > step, len(ties)) > 0 for side in (ways, -ways))
    result = np.zeros(len(ends), np.bool_)
    result[is_tie] = above & below
    return result


def unlike_asides(points: Floats) -> Floats:
    """By how much the points of a surface are moved to see where it crosses itself at vertices alone.

    Args:
        points: shape (points, 3) [m].

    Returns:
        all by unlike amounts that rounding may come to [m], shape (points, 3).
    """
    step = _MOST_ASIDE * ROUNDING * float(np.abs(points).max(initial=0.0))
    asides: Floats = step * np.outer(np.arange(1, len(points) + 1) * _GOLDEN % 1.0, ASIDE)
    return asides


def touching_shifts(triangles: Floats, step: float) -> Floats:
    """By what one of two surfaces is moved to see whether they touch alone: there and back along each unlike normal.

    Args:
        triangles: corners of those that cross, shape (triangles, 3, 3) [m].
        step: how far [m].

    Returns:
        shape (shifts, 3) [m]; none where they have more than ``MOST_WAYS`` normals.
    """
    a, b, c = np.moveaxis(triangles, 1, 0)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    sound = (normals / np.where(lengths > 0.0, lengths, 1.0))[lengths[:, 0] > 0.0]
    ways = np.unique((sound / _SAME_WAY).round(), axis=0) * _SAME_WAY
    shifts: Floats = step * np.stack([ways, -ways], axis=1).reshape(-1, 3)
    return shifts if len(ways) <= MOST_WAYS else shifts[:0]


def parting_shifts(triangles: Floats, step: float) -> Floats:
    """As ``touching_shifts``, and then ways to all sides, of which none is along what is straight.

    For what crosses at vertices alone: it has few edges, whatever its normals.
    """
    return np.concatenate([touching_shifts(triangles, step), step * _ALL_SIDES])


def enclosed_notice(body: Body, outer: str) -> Notice:
    """A warning of a body that starts wholly inside a jelly, by its name."""
    is_solid = body_kind(body.role, body.name).is_solid
    fate = "is moved out of it" if is_solid else "falls through it until it lies on its surface from within"
    text = (
        f'Starts wholly inside "{outer}", and {fate}. To keep it in, as fruit in jelly, attach all its vertices to '
        f'"{outer}" (Keep Inside); else move it out.'
    )
    return Notice("W_WITHIN", text, body.name)


def spheres_that_show(
    body: Body, colliders: Sequence[Collider], gap: float, triangulate: Callable[[Ints, Ints], Ints]
) -> list[str]:
    """Names of the spheres that show through the faces of a body that can tear, or come through.

    They are held off its vertices alone; off all other bodies off their faces, too, see ``solver/colliding``.

    Args:
        body: any.
        colliders: of the scene; those that the body does not meet are passed over.
        gap: that it keeps to them [m].
        triangulate: from the sizes and the corners of polygons to triangles.
    """
    sees = body.contact.sees
    spheres = [one for one in colliders if one.radius > 0.0 and (sees is None or one.identifier in sees)]
    if not spheres or not body.can_tear or not len(body.face_sizes):
        return []
    reach = _greatest_circle(body.positions[triangulate(body.face_sizes, body.corners)])
    names = []
    for sphere in spheres:
        radius = sphere.radius * float(np.cbrt(np.abs(np.linalg.det(sphere.transforms[:, :3, :3]))).min())
        # the middle of a face dips by reach² / (2 radius)
        if reach**2 > 2.0 * radius * max(_DIP * gap, _LEAST_DIP * min(reach, radius)):
            names.append(sphere.name)
    return names


def coarse_notice(body: Body, names: Sequence[str]) -> Notice:
    """A warning of a body that can tear, by the names of the round colliders that show through its faces."""
    text = (
        "It can tear, so its vertices alone are held off what is round, and its faces are too large for "
        f"{quoted(names)}, which would show through them or come through: subdivide it."
    )
    return Notice("W_COARSE", text, body.name)


def _greatest_circle(corners: Floats) -> float:
    """The greatest of the radii of the smallest circles about triangles [m]; ``corners`` of shape (triangles, 3, 3)."""
    sides = np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=1)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    is_acute = (sides[:, :2] ** 2).sum(axis=1) > sides[:, 2] ** 2
    around = sides.prod(axis=1) / np.maximum(4.0 * areas, 1e-300)
    return float(np.where(is_acute, around, sides[:, 2] / 2.0).max())


def cores(scene: Scene, triangulate: Callable[[Ints, Ints], Ints]) -> Iterator[Notice]:
    """A warning for each jelly that meets colliders which start wholly inside it.

    Args:
        scene: bodies and colliders; only those of meshes are asked for.
        triangulate: from the sizes and the corners of polygons to triangles.
    """
    surfaces = {
        collider.name: transformed(collider.transforms[0], collider.positions[0])
        for collider in scene.colliders
        if has_triangles(collider)
    }
    seen = {collider.name: collider.identifier for collider in scene.colliders}
    for body in scene.bodies:
        if not surfaces or not body_kind(body.role, body.name).is_solid:
            continue
        corners = body.positions[triangulate(body.face_sizes, body.corners)]
        sees = body.contact.sees
        found = [
            name
            for name, points in surfaces.items()
            if (sees is None or seen[name] in sees) and _is_core(points, corners)
        ]
        if found:
            names, many = listed(f'"{name}"' for name in found), len(found) > 1
            text = (
                f"The collider{'s' if many else ''} {names} start{'' if many else 's'} wholly inside it, and "
                f"do{'' if many else 'es'} nothing there until its surface touches. Move out what is to push it, "
                "attach the jelly to what shall hold it (Attach to), make Jelly, and keep inside, what it shall carry."
            )
            yield Notice("W_CORE", text, body.name)


def _is_core(points: Floats, corners: Floats) -> bool:
    """Whether points are inside a surface: those with the least and the greatest coordinates stand for all.

    Args:
        points: shape (points, 3) [m].
        corners: of the triangles of the surface, shape (triangles, 3, 3) [m].
    """
    if len(points) == 0 or len(corners) == 0:
        return False
    within = (points > corners.min(axis=(0, 1))) & (points < corners.max(axis=(0, 1)))
    extremes = points[np.unique([points.argmin(axis=0), points.argmax(axis=0)])]
    return bool(within.all()) and all(winds_around(point, corners) for point in extremes)


def winds_around(point: Floats, corners: Floats) -> bool:
    """Whether a surface winds around a point.

    Source: van Oosterom & Strackee 1983, "The solid angle of a plane triangle".

    Args:
        point: shape (3,) [m].
        corners: of its triangles, shape (triangles, 3, 3) [m].
    """
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = (a * np.cross(b, c)).sum(axis=1)
    flat = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(2.0 * np.arctan2(volume, flat).sum()) > 2.0 * np.pi)
