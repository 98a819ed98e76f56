# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse levels of all cloths in flat arrays, as the kernels read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.hierarchy import Hierarchy
from ...constraints.constraint import BDF2_STEP
from ...geometry.colouring import colour_constraints, colour_order
from ...geometry.levels.hierarchy import CoarseLevel
from ...scene.scene import Scene

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# columns of ``HierarchyTables.levels``
FIRST, COUNT, FIRST_LINK, LINK_COUNT, FIRST_BELOW, BELOW_COUNT, FIRST_PARENT, IS_FINEST, SWEEPS = range(9)
# columns of ``HierarchyTables.stiffness``
COMPLIANCE, TAKEN = range(2)
# sweeps over the links of a level, finest first: the coarser, the fewer there are and the longer the waves to undo.
# With closer vertices 3 % more time than 2 on each, for less strain: docs/experiments.md, Coarse levels of cloth
LEVEL_SWEEPS = (1, 2, 4)


@dataclass(frozen=True)
class HierarchyTables:
    """The levels of all bodies that have some, body by body and finest first, as the kernels read them.

    Attributes:
        levels: per level as the columns named above, shape (levels, 9). Vertices of all levels are numbered through;
            what is below the finest are particles.
        stiffness: per level compliance [m/N] and share taken by finer levels, shape (levels, 2).
        positions: of the vertices relative to the origin [m] and inverse mass [1/kg], shape (vertices, 4).
        restriction_starts, restriction_vertices, restriction_weights: as in ``CoarseLevel``.
        parents, weights: as in ``CoarseLevel``, shape (below, 3).
        links: pairs of vertices by colour, shape (links, 2).
        lengths: of the links [m], shape (links,).
        colours: per level, the boundaries of its colours among all links.
    """

    levels: Ints
    stiffness: Floats
    positions: Floats
    restriction_starts: Ints
    restriction_vertices: Ints
    restriction_weights: Floats
    parents: Ints
    weights: Floats
    links: Ints
    lengths: Floats
    colours: tuple[Ints, ...]


def build_hierarchy_tables(models: Sequence[BodyModel], starts: Ints, scene: Scene) -> HierarchyTables:
    """Put the levels of bodies for which they pay one after another.

    Args:
        models: bodies.
        starts: first particle of each.
        scene: of the bodies.
    """
    h = projection_time(scene)
    tables = _Tables()
    for model, start in zip(models, starts, strict=False):
        hierarchy = model.hierarchy
        if hierarchy is not None and _pays(hierarchy, scene, h):
            tables.append(hierarchy, h, int(start))
    return tables.joined()


def level_stiffness(models: Sequence[BodyModel], scene: Scene, factors: Sequence[float], slices: int = 1) -> Floats:
    """``HierarchyTables.stiffness`` for cloths that are softer or stiffer than they were built, or shorter substeps.

    Args:
        models: bodies.
        scene: of the bodies.
        factors: on the compliances of each body.
        slices: into which frames are divided, with as many substeps each. Levels that do not pay then do nothing.
    """
    h, rows = projection_time(scene), [np.zeros((0, 2))]
    for model, factor in zip(models, factors, strict=True):
        if model.hierarchy is not None and _pays(model.hierarchy, scene, h):
            rows.append(model.hierarchy.softened(factor).stiffness(h / slices))
            if not _pays(model.hierarchy, scene, h / slices):
                rows[-1][:, TAKEN] = 1.0
    return np.concatenate(rows)


def has_levels(models: Sequence[BodyModel], scene: Scene) -> bool:
    """Whether ``build_hierarchy_tables`` has any levels for these bodies."""
    h = projection_time(scene)
    return any(model.hierarchy is not None and _pays(model.hierarchy, scene, h) for model in models)


def projection_time(scene: Scene) -> float:
    """What a projection takes as the time step [s]."""
    h = scene.frames.frame_duration / scene.settings.substeps
    return BDF2_STEP * h if scene.settings.time_integration == "BDF2" else h


def _pays(hierarchy: Hierarchy, scene: Scene, h: float) -> bool:
    is_wanted = scene.settings.acceleration == "HIERARCHY"
    meets = hierarchy.is_pinned or len(scene.colliders) > 0 or len(scene.bodies) > 1
    return is_wanted and meets and hierarchy.pays(h, float(np.linalg.norm(scene.gravity)))


class _Tables:
    """Collects levels; all offsets count from the first one collected."""

    def __init__(self) -> None:
        self._levels: list[tuple[int, ...]] = []
        self._stiffness: list[Floats] = []
        self._columns: dict[str, list[npt.NDArray[np.generic]]] = {
            "positions": [np.zeros((0, 4))],
            "restriction_starts": [np.zeros(0, np.int32)],
            "restriction_vertices": [np.zeros(0, np.int32)],
            "restriction_weights": [np.zeros(0)],
            "parents": [np.zeros((0, 3), np.int32)],
            "weights": [np.zeros((0, 3))],
            "links": [np.zeros((0, 2), np.int32)],
            "lengths": [np.zeros(0)],
        }
        self._colours: list[Ints] = []

    def append(self, hierarchy: Hierarchy, h: float, first_particle: int) -> None:
        """Add the levels of a body."""
        self._stiffness.append(hierarchy.stiffness(h))
        first_below = first_particle
        for number, level in enumerate(hierarchy.levels):
            first, first_link, first_parent = self._count("positions"), self._count("links"), self._count("parents")
            order, offsets = _coloured(level)
            self._levels.append(
                (first, len(level.positions), first_link, len(order), first_below, len(level.parents), first_parent,
                 int(number == 0), LEVEL_SWEEPS[min(number, len(LEVEL_SWEEPS) - 1)])
            )  # fmt: skip
            self._colours.append((offsets + first_link).astype(np.int32))
            terms = self._count("restriction_vertices")
            self._add(
                positions=np.concatenate([level.positions, level.inverse_masses[:, None]], axis=1),
                restriction_starts=level.restriction_starts[:-1] + terms,
                restriction_vertices=level.restriction_vertices + first_below,
                restriction_weights=level.restriction_weights,
                parents=level.parents + first,
                weights=level.weights,
                links=level.links[order] + first,
                lengths=level.lengths[order],
            )
            first_below = first

    def joined(self) -> HierarchyTables:
        """All that was collected."""
        terms = self._count("restriction_vertices")
        self._add(restriction_starts=np.array([terms], np.int32))
        columns = {name: np.concatenate(parts) for name, parts in self._columns.items()}
        return HierarchyTables(
            levels=np.array(self._levels, np.int32).reshape(-1, 9),
            stiffness=np.concatenate([np.zeros((0, 2)), *self._stiffness]),
            colours=tuple(self._colours),
            **columns,
        )

    def _count(self, name: str) -> int:
        return sum(len(part) for part in self._columns[name])

    def _add(self, **columns: npt.NDArray[np.generic]) -> None:
        for name, values in columns.items():
            self._columns[name].append(values)


def _coloured(level: CoarseLevel) -> tuple[Ints, Ints]:
    """The order of the links by colour, and where each colour begins."""
    # nothing is written to a fixed vertex, so that links may share it
    moves = level.inverse_masses[level.links] > 0.0
    ends = np.where(moves, level.links, level.links[:, ::-1])
    order, offsets = colour_order(colour_constraints(ends, len(level.positions)))
    return order, offsets
