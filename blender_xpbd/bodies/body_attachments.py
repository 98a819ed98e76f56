# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of a body that are held to points of another body: welded, or softly.

Two things need care where a strand, or a cloth, bears something heavy:

- **A point bears little.** All of the weight of a jelly on one of its vertices goes through the few tetrahedra there,
  which turn inside out. So it is held by a patch (``patch_attachment``), so large that it bears the weight, and by
  itself, which has little to bear then. Of what a strand would draw to nearly one point, a patch is held, with the
  vertex at the strand, or by their middle where none is.
- **A light side bears nothing.** One after the other, the rod moves its light end to where its length wants it, and the
  weld takes that back to the heavy side, which has hardly felt it. So both sides share their masses.

The few points about which a pinned jelly turns get patches by the same measure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..constraints.attachments.element_attachment import build_element_attachment
from ..constraints.attachments.patch_attachment import ENDS, build_patch_attachment
from ..constraints.constraint import ConstraintBlock
from ..geometry.edges import edge_lengths
from ..geometry.solid.patches import Needed, Solid, bearing_patch, drawn_together, held_point
from ..geometry.solid.tetrahedra import signed_volumes
from ..scene.body_kinds import body_kind
from ..scene.parameters.external_parameters import PUSH
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
# particles of a patch at least: a rotation needs as many
FEWEST = 4
# of its mass, what a body gives to a strand that bears it, at most: more would move its weight. Chosen by hand
MOST_GIVEN = 0.05


class Weight(NamedTuple):
    """What pulls at what hangs: gravity [m/s²], and the time of one of the fewest substeps [s]."""

    gravity: float
    step: float


class Load(NamedTuple):
    """What a jelly presses or pulls on all that holds it [N], and the time of one of the fewest substeps [s]."""

    force: float
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
        patch_point: the point of a patch of the first body that is held at rest [m], shape (3,); there is a single row
            then, and the second one is no jelly, or a fixed particle of the same. None where there is no patch.
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
    all_welds = list(_vertex_welds(models, settings))
    taking = Counter(points.number for welds in all_welds for points in (welds.first, welds.second))
    for welds in all_welds:
        sides = _holder_and_solid(models, welds)
        if sides is None:
            found.append(welds)
            continue
        holder, solid = (points.number for points in sides)
        borne = _weight(models[solid], weight)
        if taking[holder] == 1 and _is_loose_sheet(models[holder]):
            borne = min(borne, _weight(models[holder], weight))
        has_shares = is_pbd(models[welds.owner].body, settings)
        found += _with_patches(models, welds, sides, Load(borne, weight.step), has_shares)
    for number, model in enumerate(models):
        if len(model.joints.particles):
            load = Load(_weight(model, weight), weight.step)
            found += _patches_of_joints(models, number, load, is_pbd(model.body, settings))
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
                others[0, :ENDS],
                minus[0, :ENDS],
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
        sides = _holder_and_solid(models, one)
        if sides is None or not _shares_mass(models, one, sides[0], keyed):
            continue
        light, heavy = (
            Points(points.number, points.elements[one.is_rigid], points.weights[one.is_rigid]) for points in sides
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


def _shares_mass(models: Sequence[BodyModel], welds: Welds, holder: Points, keyed: Collection[str]) -> bool:
    """Whether what holds a jelly gets a part of its mass: a strand, or a cloth that bears a patch, of equal gravity."""
    bodies = [models[points.number].body for points in (welds.first, welds.second)]
    weigh_alike = bodies[0].material.gravity_factor == bodies[1].material.gravity_factor
    bears = welds.patch_point is not None or _is_strand(models[holder.number])
    return bears and weigh_alike and not any(body.identifier in keyed for body in bodies)


def _holder_and_solid(models: Sequence[BodyModel], welds: Welds) -> tuple[Points, Points] | None:
    """Points of a strand or a cloth, and of the jelly that hangs on it; None where it is no such pair."""
    for holder, solid in ((welds.first, welds.second), (welds.second, welds.first)):
        other = models[holder.number]
        is_held_by = _is_strand(other) or body_kind(other.body.role, other.body.name).is_sheet
        if is_held_by and len(models[solid.number].tetrahedra):
            return holder, solid
    return None


def _weight(model: BodyModel, weight: Weight) -> float:
    """What gravity and its own push may pull with at a body [N]."""
    material = model.body.material
    push = math.hypot(*(getattr(material, name) for name in PUSH))
    return float(model.masses.sum()) * (weight.gravity * abs(material.gravity_factor) + push)


def _is_loose_sheet(model: BodyModel) -> bool:
    """Whether a body is a cloth that nothing holds: it bears no more than it weighs."""
    body = model.body
    return not (_is_strand(model) or model.pin_weights.any() or len(body.goal.vertices))


def _patches_of_joints(models: Sequence[BodyModel], number: int, load: Load, has_shares: bool) -> list[Welds]:
    """Patches that are held by fixed particles about which a jelly turns, where these bear too much.

    Args:
        models: all bodies.
        number: of the jelly.
        load: that it is to them.
        has_shares: whether parameters are shares of PBD.
    """
    model = models[number]
    joints, pins = model.joints, model.body.pins
    # several particles may be in one place
    places = np.column_stack((joints.ends, joints.shares))
    points = joints.particles[np.unique(places, axis=0, return_index=True)[1]]
    clamps = np.setdiff1d(pins.vertices[pins.weights >= 1.0], joints.ends)
    fixed = np.repeat(points[:, None], 4, axis=1), np.tile((1.0, 0.0, 0.0, 0.0), (len(points), 1))
    around = solver_kind(model.body).bind(model, model.positions[points])
    firm = np.full(len(points), 1.0 if has_shares else 0.0)
    welds = Welds(number, Points(number, *around), Points(number, *fixed), firm, np.ones(len(points), np.bool_))
    found = _with_patches(models, welds, (welds.second, welds.first), load, has_shares, others=len(clamps))
    # the points themselves are held already
    return [one for one in found if one.patch_point is not None]


def _with_patches(
    models: Sequence[BodyModel],
    welds: Welds,
    sides: tuple[Points, Points],
    load: Load,
    has_shares: bool,
    others: int = 0,
) -> list[Welds]:
    """Attachments of a jelly to what holds it, of which those are patches that have to be.

    Args:
        models: all bodies.
        welds: of vertices.
        sides: of these, what holds and what hangs.
        load: that the jelly is to all that holds it.
        has_shares: whether their parameters are shares of PBD.
        others: how many further points hold it.
    """
    holder, solid = sides
    model = models[solid.number]
    held, ends = (_places(models[points.number], points) for points in (solid, holder))
    # what holds and is no strand draws nothing together
    draws = _is_strand(models[holder.number])
    groups = drawn_together(held, ends, holder.elements) if draws else np.arange(len(held), dtype=np.int32)
    numbers, sizes = np.unique(groups, return_counts=True)
    pull = load.force / (len(numbers) + others)
    body = Solid(
        model.positions,
        (model.masses > 0.0) & (model.pin_weights < 1.0),
        model.edges,
        model.tetrahedra,
        signed_volumes(model.positions, model.tetrahedra),
    )
    edge = float(edge_lengths(model.positions, model.edges).mean())
    needed = Needed(
        pull / (BORNE * model.body.material.youngs_modulus),
        pull * load.step**2 / (FARTHEST_PATCH * edge),
        model.masses,
    )
    moves = pull * load.step**2 / _point_masses(model.masses, solid)
    is_patch = (
        np.isin(groups, numbers[sizes > 1]) | (needed.area > math.pi * edge**2) | (moves > FARTHEST_VERTEX * edge)
    )
    found = {}
    for number in np.unique(groups[is_patch]):
        rows = np.flatnonzero(groups == number)
        middle, point, is_vertex = held_point(held[rows], ends[rows])
        middle, reach = rows[middle], float(np.linalg.norm(held[rows] - point, axis=1).max())
        patch = bearing_patch(body, point, solid.elements[rows].ravel(), needed, reach)
        if len(patch) < FEWEST:
            is_patch[rows] = False
            continue
        found[number] = middle, point, is_vertex, patch
    if found and not draws:
        # what one patch holds another one would pull at: then vertices bear it, of which there are several
        used = np.bincount(np.concatenate([one[-1] for one in found.values()]), minlength=len(model.masses))
        found = {number: one for number, one in found.items() if used[one[-1]].max() == 1}
        is_patch &= np.isin(groups, list(found))
    patches, middles, compliance = [], [], welds.compliance.copy()
    for number, (middle, point, is_vertex, patch) in found.items():
        rows = np.flatnonzero(groups == number)
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
                Points(holder.number, holder.elements[[middle]], holder.weights[[middle]]),
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
