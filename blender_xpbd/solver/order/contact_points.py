# SPDX-License-Identifier: GPL-3.0-or-later
"""The points of all bodies that meet colliders, in the order in which they are projected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...geometry.colouring import colour_constraints
from .tasks import Parts, segments_of

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ContactPoints:
    """Points in elements; elements of one colour share no particle.

    Attributes:
        elements: particles of each point, then its body, shape (points, 5).
        weights: wⱼ of x = Σ wⱼ xⱼ, then Coulomb's coefficient, shape (points, 5), float32.
        element_starts: first point of each distinct element, shape (distinct elements + 1,).
        colours: boundaries of the colours among the distinct elements, first within parts and then across them, each of
            shape (colours + 1,).
        segments: runs of points of one part, as ``tasks.segments_of`` returns them; the last task has those that
            reach across parts.
        segment_starts: first segment of each part and of the last task, shape (parts + 2,).
    """

    elements: Ints
    weights: npt.NDArray[np.float32]
    element_starts: Ints
    colours: tuple[Ints, Ints]
    segments: Ints
    segment_starts: Ints

    def __len__(self) -> int:
        return len(self.elements)

    @property
    def share_particles(self) -> bool:
        """Whether some of them are points of tetrahedra, whose corners others move too."""
        return bool((self.elements[:, 0] != self.elements[:, 1]).any())


def build_contact_points(models: Sequence[BodyModel], starts: Ints, owned: Parts) -> ContactPoints:
    """All vertices of all meshes, and the points between them, in their elements.

    Args:
        models: the bodies.
        starts: first particle of each body.
        owned: who belongs to which part.

    Raises:
        ValueError: particles of a body that nothing fills are not points of their own, of which no two are the same.
    """
    for model in models:
        _check_points(model)
    counts = [len(model.elements) + len(model.surface_elements) for model in models]
    elements, weights = np.empty((sum(counts), 5), np.int32), np.empty((sum(counts), 5), np.float32)
    first = 0
    for number, (model, start, count) in enumerate(zip(models, starts, counts, strict=False)):
        mine, inner = slice(first, first + count), first + len(model.elements)
        elements[first:inner, :4], elements[inner : mine.stop, :4] = model.elements, model.surface_elements
        weights[first:inner, :4], weights[inner : mine.stop, :4] = model.weights, model.surface_weights
        elements[mine, :4] += start
        elements[mine, 4] = number
        weights[mine, 4] = model.frictions if len(model.frictions) else model.body.material.friction
        first += count
    distinct, element_of = _distinct(elements)
    order, boundaries, tasks = _ordered_elements(distinct, owned)
    rank = np.empty(len(distinct), np.int32)
    rank[order] = np.arange(len(distinct))
    element_rank = rank[element_of]
    point_order = np.argsort(element_rank, kind="stable")
    element_rank = element_rank[point_order]
    segments, segment_starts = segments_of(tasks[element_rank], owned.count + 1)
    return ContactPoints(
        elements=elements[point_order],
        weights=weights[point_order],
        element_starts=np.searchsorted(element_rank, np.arange(len(distinct) + 1)).astype(np.int32),
        colours=boundaries,
        segments=segments,
        segment_starts=segment_starts,
    )


def _check_points(model: BodyModel) -> None:
    """A particle of what is no jelly has one point, so that colliders may stand behind it (``pairs.backing``)."""
    if not len(model.tetrahedra):
        are_alone = len(model.surface_elements) == 0 and (model.weights == [1.0, 0.0, 0.0, 0.0]).all()
        if not are_alone or np.bincount(model.elements[:, 0], minlength=1).max() > 1:
            raise ValueError(f"points of {model.body.name!r} share particles")


def _distinct(elements: Ints) -> tuple[Ints, Ints]:
    """Different elements by their particles, in ascending order, shape (elements, 4), and which each point is in."""
    # particles count up from 0, so two of them in 64 bits sort as they do one after the other
    upper, lower = ((elements[:, k].astype(np.int64) << 32) | elements[:, k + 1] for k in (0, 2))
    order = np.lexsort((lower, upper))
    upper, lower = upper[order], lower[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (upper[1:] != upper[:-1]) | (lower[1:] != lower[:-1])
    element_of = np.empty(len(order), np.int32)
    element_of[order] = np.cumsum(is_new, dtype=np.int32) - 1
    return elements[order[is_new], :4], element_of


def _ordered_elements(elements: Ints, owned: Parts) -> tuple[Ints, tuple[Ints, Ints], Ints]:
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
    boundaries = np.concatenate([[0], np.cumsum(np.bincount(colours))]).astype(np.int32)
    inner = int(colours[tasks < owned.count].max(initial=0)) + 1
    return order.astype(np.int32), (boundaries[: inner + 1], boundaries[inner:]), tasks[order]
