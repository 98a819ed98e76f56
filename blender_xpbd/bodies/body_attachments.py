# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of a body that are held to points of another body: welded, or softly.

Two things need care where a strand bears something heavy:

- **A point bears little.** All of the weight of a jelly on one of its vertices goes through the few tetrahedra there,
  which turn inside out. So it is held by a patch (``patch_attachment``), so large that it bears the weight, and by
  itself, which has little to bear then. Of what a strand would draw to nearly one point, a patch is held, with the
  vertex at the strand, or by their middle where none is.
- **A light side bears nothing.** One after the other, the rod moves its light end to where its length wants it, and the
  weld takes that back to the heavy side, which has hardly felt it. So both sides share their masses.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..constraints.attachments.element_attachment import build_element_attachment
from ..constraints.attachments.patch_attachment import build_patch_attachment
from ..constraints.constraint import ConstraintBlock
from ..geometry.edges import edge_lengths
from ..geometry.solid.patches import Solid, cut_area, patch_around
from ..geometry.solid.tetrahedra import signed_volumes
from ..scene.body_kinds import body_kind
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .kinds import solver_kind
from .own_settings import is_pbd, own_settings
from .softness import soft_compliance, softness_follows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# share of Young's modulus that a patch bears as a pull per area: see docs/experiments.md, Jelly on a strand
BORNE = 0.3
# how far, as a share of its mean edge, the weight of a body moves what bears it in one of the fewest substeps, at most:
# a vertex, and a patch. Chosen by hand
FARTHEST_VERTEX, FARTHEST_PATCH = 1.0, 0.1
# of the greatest extent of a body, the largest radius of a patch: chosen by hand
MOST_OF_BODY = 0.35
# by how much a patch grows that does not bear the body
GROWN = 1.2
# particles of a patch at least: a rotation needs as many
FEWEST = 4
# of its mass, what a body gives to a strand that bears it, at most: more would move its weight. Chosen by hand
MOST_GIVEN = 0.05
# of how far attached vertices stand apart: where less is left, a strand draws them together. Chosen by hand
_LEFT_APART = 0.5
# of how far vertices are from a strand on average: one that is nearer than that is where it holds. Chosen by hand
_AS_NEAR = 0.5
# vertices that are asked whether a strand draws them together: all pairs of them are
MOST_ASKED = 1000


class Weight(NamedTuple):
    """What pulls at what hangs: gravity [m/s²], and the time of one of the fewest substeps [s]."""

    gravity: float
    step: float


class Points(NamedTuple):
    """Points of a body, by its number: particles, and their weights in each, shape (points, n)."""

    number: int
    elements: Ints
    weights: Floats


class Welds(NamedTuple):
    """Points of a body that are held to points of another one.

    Attributes:
        owner: number of the body that is attached.
        first, second: points of both bodies.
        compliance: last parameter of the constraints, shape (points,).
        is_rigid: whether they are held firmly, shape (points,).
        patch_point: the point of a patch of the first body that is held at rest [m], shape (3,); the second one is then
            a strand, and there is a single row. None where there is no patch.
    """

    owner: int
    first: Points
    second: Points
    compliance: Floats
    is_rigid: Bools
    patch_point: Floats | None = None


def find_welds(models: Sequence[BodyModel], settings: SolverSettings, weight: Weight) -> list[Welds]:
    """All attachments of bodies to others, as they are at rest.

    A vertex keeps its place in the tetrahedra of a jelly, which go on outside of it: a gap that is modelled stays. To a
    cloth it is drawn to the nearest point of its surface. A vertex without a mass is not held.

    Args:
        models: all bodies.
        settings: of the solver.
        weight: what pulls.
    """
    found = []
    for welds in _vertex_welds(models, settings):
        if _hangs_on_strand(models, welds):
            found += _with_patches(models, welds, weight, is_pbd(models[welds.owner].body, settings))
        else:
            found.append(welds)
    return [one for one in found if len(one.compliance)]


def build_body_attachments(
    models: Sequence[BodyModel], welds: Sequence[Welds], starts: Ints, settings: SolverSettings
) -> list[tuple[int, ConstraintBlock]]:
    """The constraints of attachments.

    Args:
        models: all bodies.
        welds: of these.
        starts: first particle of each body, shape (bodies + 1,) or (bodies,).
        settings: of the solver.

    Returns:
        The number of the body that is attached, and its constraints, with indices into all particles.
    """
    blocks = []
    for one in welds:
        (elements, weights), (others, minus) = (
            (points.elements + starts[points.number], points.weights) for points in (one.first, one.second)
        )
        if one.patch_point is not None:
            model = models[one.first.number]
            block = build_patch_attachment(
                elements[0],
                model.positions[one.first.elements[0]],
                model.masses[one.first.elements[0]],
                one.patch_point,
                others[0, :2],
                minus[0, :2],
                float(one.compliance[0]),
            )
        else:
            block = build_element_attachment(elements, weights, others, minus, one.compliance)
        if len(block):
            own = own_settings(models[one.owner].body, settings)
            blocks.append((one.owner, block.following(*softness_follows(own))))
    return blocks


def with_shared_masses(
    models: Sequence[BodyModel], welds: Sequence[Welds], keyed: Collection[str] = ()
) -> tuple[BodyModel, ...]:
    """The bodies with masses that lie evenly on both sides of each weld between a strand and a jelly.

    All of them together weigh what they did. What is lighter takes from the other side, until both resist a push alike,
    or it has ``MOST_GIVEN`` of it.

    Args:
        models: all bodies.
        welds: of these.
        keyed: identifiers of bodies whose weight has keys. What weighs otherwise than the other side keeps its mass.
    """
    masses = [model.masses.copy() for model in models]
    for one in welds:
        bodies = [models[points.number].body for points in (one.first, one.second)]
        weigh_alike = bodies[0].material.gravity_factor == bodies[1].material.gravity_factor
        if _hangs_on_strand(models, one) and weigh_alike and not any(body.identifier in keyed for body in bodies):
            light, heavy = (
                Points(points.number, points.elements[one.is_rigid], points.weights[one.is_rigid])
                for points in _strand_and_solid(models, one)
            )
            _share(models, masses, light, heavy)
    return tuple(
        model if np.array_equal(own, model.masses) else replace(model, masses=own)
        for model, own in zip(models, masses, strict=True)
    )


def _share(models: Sequence[BodyModel], masses: list[Floats], light: Points, heavy: Points) -> None:
    """Move mass from the points of one side to those of another one, until they resist a push alike.

    Each particle gives up to half of what it has, as much to all that is welded to it together; a body gives no more
    than ``MOST_GIVEN``.

    Args:
        models: all bodies.
        masses: of their particles [kg], which are changed.
        light: what takes.
        heavy: what gives.
    """
    have = []
    for points in (light, heavy):
        moves = models[points.number].pin_weights < 1.0
        have.append(_point_masses(masses[points.number] * moves, points))
    source, sink = masses[heavy.number], masses[light.number]
    given = 0.5 * np.maximum(1.0 - have[0] / np.maximum(have[1], 1e-300), 0.0) * (have[0] > 0.0)
    pulls = heavy.weights.clip(0.0)
    shares = given[:, None] * pulls / pulls.max(axis=1, initial=1e-300, keepdims=True)
    # what several take from one particle is no more than what the greediest would
    total = np.bincount(heavy.elements.ravel(), shares.ravel(), len(source))
    most = np.zeros(len(source))
    np.maximum.at(most, heavy.elements, shares)
    shares = shares * (most / np.maximum(total, 1e-300))[heavy.elements]
    moved = (shares * source[heavy.elements]).sum(axis=1)
    within = min(MOST_GIVEN * float(source.sum()) / max(float(moved.sum()), 1e-300), 1.0)
    moved, most = within * moved, within * most
    parts = light.weights.clip(0.0) / np.maximum(light.weights.clip(0.0).sum(axis=1, keepdims=True), 1e-300)
    source *= 1.0 - most
    sink += np.bincount(light.elements.ravel(), (moved[:, None] * parts).ravel(), len(sink))


def _vertex_welds(models: Sequence[BodyModel], settings: SolverSettings) -> Iterator[Welds]:
    """Of each body that is attached to another one, its vertices that have a mass."""
    places = {model.body.identifier: index for index, model in enumerate(models)}
    for number, model in enumerate(models):
        attachment = model.body.attachment
        if attachment is None:
            continue
        points = Points(number, model.elements[attachment.vertices], model.weights[attachment.vertices])
        masses = _point_masses(model.masses, points)
        used = np.flatnonzero(masses > 0.0)
        if len(used) == 0:
            continue
        target = places[attachment.target]
        elements, weights = solver_kind(models[target].body).bind(
            models[target], model.body.positions[attachment.vertices[used]]
        )
        softness = attachment.weights[used]
        own = own_settings(model.body, settings)
        yield Welds(
            number,
            Points(number, points.elements[used], points.weights[used]),
            Points(target, elements, weights),
            soft_compliance(softness, masses[used], model.body.material.pin_frequency, own),
            softness >= 1.0,
        )


def _is_strand(model: BodyModel) -> bool:
    """Whether a body is one of edges alone; a cloth with a fringe has rods, too."""
    return model.rods is not None and not body_kind(model.body.role, model.body.name).is_sheet


def _hangs_on_strand(models: Sequence[BodyModel], welds: Welds) -> bool:
    """Whether one side is a strand and the other one a jelly."""
    sides = [models[points.number] for points in (welds.first, welds.second)]
    return any(_is_strand(one) and len(other.tetrahedra) > 0 for one, other in (sides, sides[::-1]))


def _strand_and_solid(models: Sequence[BodyModel], welds: Welds) -> tuple[Points, Points]:
    if _is_strand(models[welds.first.number]):
        return welds.first, welds.second
    return welds.second, welds.first


def _with_patches(models: Sequence[BodyModel], welds: Welds, weight: Weight, has_shares: bool) -> list[Welds]:
    """Attachments between a strand and a jelly, of which those are patches that have to be.

    Args:
        models: all bodies.
        welds: of vertices.
        weight: what pulls.
        has_shares: whether their parameters are shares of PBD.
    """
    strand, solid = _strand_and_solid(models, welds)
    model = models[solid.number]
    held, ends = (_places(models[points.number], points) for points in (solid, strand))
    groups = _drawn_together(held, ends, strand.elements)
    numbers, sizes = np.unique(groups, return_counts=True)
    pull = float(model.masses.sum()) * weight.gravity * abs(model.body.material.gravity_factor) / len(numbers)
    body = Solid(
        model.positions,
        (model.masses > 0.0) & (model.pin_weights < 1.0),
        model.edges,
        model.tetrahedra,
        signed_volumes(model.positions, model.tetrahedra),
    )
    edge = float(edge_lengths(model.positions, model.edges).mean())
    needed = _Needed(
        pull / (BORNE * model.body.material.youngs_modulus),
        pull * weight.step**2 / (FARTHEST_PATCH * edge),
        model.masses,
    )
    moves = pull * weight.step**2 / _point_masses(model.masses, solid)
    is_patch = (
        np.isin(groups, numbers[sizes > 1]) | (needed.area > math.pi * edge**2) | (moves > FARTHEST_VERTEX * edge)
    )
    patches, middles, compliance = [], [], welds.compliance.copy()
    for number in np.unique(groups[is_patch]):
        rows = np.flatnonzero(groups == number)
        middle, point, is_vertex = _held_point(held[rows], ends[rows])
        middle, reach = rows[middle], float(np.linalg.norm(held[rows] - point, axis=1).max())
        patch = _bearing(body, point, solid.elements[rows][solid.weights[rows] != 0.0], needed, reach)
        if len(patch) < FEWEST:
            is_patch[rows] = False
            continue
        if is_vertex:
            middles.append(middle)
        shares = model.masses[patch] / model.masses[patch].sum()
        # as firm as all of them together, with a vertex, which has half of its own then
        own = welds.compliance[rows]
        together = 0.0
        if not has_shares and (own > 0.0).all():
            together = 1.0 / ((1.0 / own).sum() - 0.5 * is_vertex / welds.compliance[middle])
            compliance[middle] *= 2.0
        patches.append(
            Welds(
                welds.owner,
                Points(solid.number, patch[None], shares[None]),
                Points(strand.number, strand.elements[[middle]], strand.weights[[middle]]),
                np.array([float(own.max()) if has_shares else together]),
                np.array([welds.is_rigid[rows].any()]),
                point,
            )
        )
    left = ~is_patch
    left[middles] = True
    first, second = (
        Points(points.number, points.elements[left], points.weights[left]) for points in (welds.first, welds.second)
    )
    # patches first: of what they have taken, their vertices give no more
    return [*patches, Welds(welds.owner, first, second, compliance[left], welds.is_rigid[left])]


def _held_point(held: Floats, ends: Floats) -> tuple[int, Floats, bool]:
    """The point by which a patch is held instead of some vertices: one of them, or their middle.

    Args:
        held: places of the vertices [m], shape (vertices, 3).
        ends: points of a strand to which they are drawn, likewise.

    Returns:
        whose end is that of the patch; the point [m], shape (3,); and whether it is that vertex.
    """
    gaps, middle = np.linalg.norm(held - ends, axis=1), 0.5 * (held.min(axis=0) + held.max(axis=0))
    across = np.linalg.norm(ends - 0.5 * (ends.min(axis=0) + ends.max(axis=0)), axis=1)
    nearest = int((across + gaps).argmin())
    if len(held) > 1 and gaps[nearest] > _AS_NEAR * gaps.mean():
        return int(across.argmin()), middle, False
    return nearest, held[nearest], True


class _Needed(NamedTuple):
    """What a patch has to have so that it bears a body.

    Attributes:
        area: of the surface by which it hangs together with all else [m²].
        mass: [kg].
        masses: of all particles [kg].
    """

    area: float
    mass: float
    masses: Floats


def _bearing(body: Solid, point: Floats, particles: Ints, needed: _Needed, reach: float) -> Ints:
    """The patch around a point that bears the body, or the largest that there may be.

    Args:
        body: of which.
        point: that is held [m], shape (3,).
        particles: that carry it.
        needed: to bear it.
        reach: radius of the patch at least [m].
    """
    most = MOST_OF_BODY * float(np.ptp(body.positions, axis=0).max())
    radius = max(min(math.sqrt(needed.area / math.pi), most), reach)
    patch = patch_around(body, point, particles, radius)
    while radius < most and (needed.masses[patch].sum() < needed.mass or cut_area(body, patch) < needed.area):
        radius = min(GROWN * radius, most)
        patch = patch_around(body, point, particles, radius)
    return patch


def _drawn_together(held: Floats, ends: Floats, edges: Ints) -> Ints:
    """A number for each vertex, the same where a strand would draw them to nearly one point, shape (vertices,).

    A group is a vertex and all that would be drawn to it: no chain of them goes on along the strand.

    Args:
        held: places of the vertices [m], shape (vertices, 3).
        ends: to which they are drawn, likewise.
        edges: on which these are, rows of particles; of too many vertices all are together that are drawn to one edge.
    """
    count = len(held)
    if count > MOST_ASKED:
        return np.unique(edges, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
    apart, left = (np.linalg.norm(places[:, None] - places, axis=2) for places in (held, ends))
    are_drawn = left < _LEFT_APART * apart
    groups, partners = np.full(count, -1, np.int32), are_drawn.sum(axis=1)
    while (groups < 0).any():
        middle = int(np.where(groups < 0, partners, -1).argmax())
        members = np.flatnonzero(are_drawn[middle] & (groups < 0))
        members = np.append(members, middle)
        groups[members] = middle
        partners -= are_drawn[:, members].sum(axis=1)
    return groups


def _places(model: BodyModel, points: Points) -> Floats:
    """Where points of a body are at rest [m], shape (points, 3)."""
    places: Floats = np.einsum("pj,pjk->pk", points.weights, model.positions[points.elements])
    return places


def _point_masses(masses: Floats, points: Points) -> Floats:
    """What resists a push at points: 1 / Σ wⱼ²/mⱼ [kg], shape (points,); 0 where one hangs on no mass.

    Args:
        masses: of the particles of the body [kg].
        points: of it.
    """
    own = masses[points.elements]
    with np.errstate(divide="ignore"):
        shares = np.where(points.weights == 0.0, 0.0, points.weights**2 / np.where(points.weights == 0.0, 1.0, own))
        resistance: Floats = 1.0 / shares.sum(axis=1)
    return resistance
