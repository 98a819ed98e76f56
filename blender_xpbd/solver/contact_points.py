# SPDX-License-Identifier: GPL-3.0-or-later
"""The points of all bodies that meet colliders, in the order in which they are projected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..geometry.colouring import colour_constraints
from .body_model import BodyModel
from .tasks import Parts, segments_of

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ContactPoints:
    """Points in elements; those of one element form a group, and groups of one colour share no particle.

    Attributes:
        elements: particles of each point, then its body, shape (points, 5).
        weights: x = Σ wⱼ xⱼ, shape (points, 4).
        frictions: Coulomb coefficient of each point, shape (points,).
        groups: boundaries of the groups among the points, shape (groups + 1,).
        colours: boundaries of the colours among the groups, shape (colours + 1,).
        segments: runs of points of one part, as ``tasks.segments_of`` returns them; the last task has those that
            reach across parts.
        segment_starts: first segment of each part and of the last task, shape (parts + 2,).
    """

    elements: Ints
    weights: npt.NDArray[np.float64]
    frictions: npt.NDArray[np.float64]
    groups: Ints
    colours: Ints
    segments: Ints
    segment_starts: Ints

    def __len__(self) -> int:
        return len(self.elements)


def build_contact_points(models: Sequence[BodyModel], starts: Ints, owned: Parts) -> ContactPoints:
    """All vertices of all meshes, and the points between them, in their elements.

    Args:
        models: the bodies.
        starts: first particle of each body.
        owned: who belongs to which part.
    """
    parts, shares, frictions, bodies = [], [], [], []
    for number, (model, start) in enumerate(zip(models, starts, strict=False)):
        mine = np.concatenate([model.elements, model.surface_elements])
        own = model.frictions if len(model.frictions) else np.full(len(mine), model.body.material.friction)
        parts.append(mine + start)
        shares.append(np.concatenate([model.weights, model.surface_weights]))
        frictions.append(own)
        bodies.append(np.full(len(mine), number))
    elements, weights, body = np.concatenate(parts), np.concatenate(shares), np.concatenate(bodies)
    distinct, group = np.unique(elements, axis=0, return_inverse=True)
    order, boundaries, tasks = _ordered_groups(distinct.astype(np.int32), owned)
    rank = np.empty(len(distinct), np.int64)
    rank[order] = np.arange(len(distinct))
    group_rank = rank[group.reshape(-1)]
    point_order = np.argsort(group_rank, kind="stable")
    groups = np.searchsorted(group_rank[point_order], np.arange(len(distinct) + 1))
    segments, segment_starts = segments_of(tasks[group_rank[point_order]], owned.count + 1)
    return ContactPoints(
        elements=np.concatenate([elements, body[:, None]], axis=1)[point_order].astype(np.int32),
        weights=weights[point_order],
        frictions=np.concatenate(frictions)[point_order],
        groups=groups.astype(np.int32),
        colours=boundaries,
        segments=segments,
        segment_starts=segment_starts,
    )


def _ordered_groups(elements: Ints, owned: Parts) -> tuple[Ints, Ints, Ints]:
    """Elements by colour and part, those across parts last: order, boundaries of the colours, task of each in order."""
    labels = owned.particles[elements]
    tasks = np.where((labels == labels[:, :1]).all(axis=1), labels[:, 0], owned.count).astype(np.int32)
    colours = np.zeros(len(elements), np.int32)
    for is_across in (False, True):
        mine = np.flatnonzero((tasks == owned.count) == is_across)
        if len(mine):
            own = colour_constraints(elements[mine], len(owned.particles))
            colours[mine] = own + (colours.max() + 1 if is_across else 0)
    order = np.lexsort((tasks, colours))
    boundaries = np.concatenate([[0], np.cumsum(np.bincount(colours))])
    return order.astype(np.int32), boundaries.astype(np.int32), tasks[order]
