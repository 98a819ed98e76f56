# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse nets of all cloths in flat arrays, as the kernels read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.hierarchy import Hierarchy
from ...bodies.net import NetSprings
from ...geometry.cholesky import SparseRows
from ...geometry.levels.nets import MOST_SHARES, Net
from ...scene.scene import Scene
from .level_tables import levels_pay, projection_time, takes_nets

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# columns of ``NetTables.rows``: first site and number of the vertices; likewise of those below; whether these are
# particles, and the site of particle 0 if it had one; how many ends of springs between particles come before its own
NET_FIRST, NET_COUNT, NET_BELOW, NET_BELOW_COUNT, NET_IS_FINEST, NET_PARTICLES, NET_AIMS = range(7)
# columns of ``NetTables.stiffness``: of what the springs below do, the share that sweeps over them leave; and a factor
# on the springs of the net
NET_LEFT, NET_STIFFNESS = range(2)
# numbers of a spring in ``NetTables.springs``
SPRING = 3
# the mass of a site that is fixed
FIXED_SITE = -1.0


@dataclass(frozen=True)
class NetTables:
    """The nets of all bodies that have some, body by body and finest first.

    A *site* is a particle of such a body or a vertex of a net; the particles of a body come before its nets.

    Attributes:
        rows: per net the columns named above, shape (nets, 7).
        stiffness: columns named below, shape (nets, 2).
        sites: places relative to the origin [m] and masses [kg], shape (sites, 4); of particles zeros.
        spring_starts: where the springs of each site begin, shape (sites + 1,).
        spring_ends: the site at the other end, shape (ends,).
        springs: length at rest [m], h² k under tension and under compression [kg], shape (ends, 3).
        gather_starts, gather_sites, gather_weights: from which sites below a site gets its place and its force, with
            which weights; shapes (sites + 1,), (terms,) and (terms, 2).
        spread_sites, spread_weights: from which sites above a site gets its move, shape (sites, MOST_SHARES).
        aims: ends of springs between vertices of nets.
    """

    rows: Ints
    stiffness: Floats
    sites: Floats
    spring_starts: Ints
    spring_ends: Ints
    springs: Floats
    gather_starts: Ints
    gather_sites: Ints
    gather_weights: Floats
    spread_sites: Ints
    spread_weights: Floats
    aims: int


def build_net_tables(models: Sequence[BodyModel], starts: Ints, origin: Floats, scene: Scene) -> NetTables:
    """Put the nets of bodies for which they pay one after another.

    Args:
        models: bodies.
        starts: first particle of each.
        origin: subtracted from all positions [m].
        scene: of the bodies.
    """
    h = projection_time(scene)
    tables = _Tables()
    for model, start in zip(models, starts, strict=False):
        hierarchy = model.hierarchy
        if hierarchy is not None and hierarchy.springs is not None and _has_nets(hierarchy, scene, h):
            tables.append(hierarchy.springs, _stiffness(hierarchy, h, 1.0), h, int(start), origin)
    return tables.joined()


def net_stiffness(
    models: Sequence[BodyModel], scene: Scene, factors: Sequence[float], tables: NetTables, slices: int = 1
) -> Floats:
    """``NetTables.stiffness`` for cloths that are softer or stiffer than they were built, or shorter substeps.

    Args:
        models: bodies.
        scene: of the bodies.
        factors: on the compliances of each body.
        tables: as they were built.
        slices: into which frames are divided, with as many substeps each.
    """
    h = projection_time(scene)
    with_nets = [
        _stiffness(model.hierarchy, h, factor, slices)
        for model, factor in zip(models, factors, strict=True)
        if model.hierarchy is not None and _has_nets(model.hierarchy, scene, h)
    ]
    numbers = np.cumsum(tables.rows[:, NET_IS_FINEST]) - 1
    return np.array(with_nets)[numbers] if len(numbers) else tables.stiffness


def _stiffness(hierarchy: Hierarchy, h: float, factor: float, slices: int = 1) -> tuple[float, float]:
    """A row of ``NetTables.stiffness``, for springs so many times as compliant as they were built.

    These hold the square of the duration.
    """
    hardness = 1.0 / (factor * slices * slices)
    return hierarchy.softened(factor).left(h / slices) * hardness, hardness


def _has_nets(hierarchy: Hierarchy, scene: Scene, h: float) -> bool:
    return takes_nets(hierarchy, scene) and levels_pay(hierarchy, scene, h)


class _Tables:
    """Collects nets; all sites count from the first one collected."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, ...]] = []
        self._stiffness: list[tuple[float, float]] = []
        self._sites: list[Floats] = [np.zeros((0, 4))]
        self._spread_sites: list[Ints] = [np.zeros((0, MOST_SHARES), np.int32)]
        self._spread_weights: list[Floats] = [np.zeros((0, MOST_SHARES))]
        self._parts: dict[str, list[SparseRows]] = {"spring": [], "gather": []}
        self._values: dict[str, list[Floats]] = {
            "spring": [np.zeros((0, 3))],
            "gather": [np.zeros((0, 2))],
        }
        self._count = 0
        self._fine_ends = 0

    def append(
        self, springs: NetSprings, stiffness: tuple[float, float], h: float, first_particle: int, origin: Floats
    ) -> None:
        """Add the nets of a body."""
        nets = springs.nets(h)
        if not nets:
            return
        below, count = self._count, len(springs.positions)
        ends, values = _spring_ends(springs, h)
        self._fine_ends += len(values)
        self._add("spring", ends, below, values)
        self._add("gather", _empty(count), below, np.zeros((0, 2)))
        self._sites.append(np.zeros((count, 4)))
        self._count += count
        for number, net in enumerate(nets):
            first, offset = self._count, below - first_particle if number == 0 else 0
            self._rows.append((first, len(net.masses), below, count, int(number == 0), offset, self._fine_ends))
            self._add_spread(net.prolongation, first)
            self._add("gather", net.places, below, _gather_weights(net))
            self._stiffness.append(stiffness)
            values = np.stack([net.lengths, net.springs.values, net.springs.values], axis=1)
            self._add("spring", net.springs, first, values)
            masses = np.where(net.is_fixed, FIXED_SITE, net.masses)
            self._sites.append(np.concatenate([net.positions - origin, masses[:, None]], axis=1))
            below, count = first, len(net.masses)
            self._count += count
        self._add_spread(_empty(count), 0)

    def joined(self) -> NetTables:
        """All that was collected."""
        spring_starts, spring_ends, springs = self._joined("spring")
        gather_starts, gather_sites, gather_weights = self._joined("gather")
        return NetTables(
            rows=np.array(self._rows, np.int32).reshape(-1, 7),
            stiffness=np.array(self._stiffness).reshape(-1, 2),
            sites=np.concatenate(self._sites),
            spring_starts=spring_starts,
            spring_ends=spring_ends,
            springs=springs,
            gather_starts=gather_starts,
            gather_sites=gather_sites,
            gather_weights=gather_weights,
            spread_sites=np.concatenate(self._spread_sites),
            spread_weights=np.concatenate(self._spread_weights),
            aims=len(springs) - self._fine_ends,
        )

    def _add(self, name: str, rows: SparseRows, first_column: int, values: Floats) -> None:
        self._parts[name].append(SparseRows(rows.starts, rows.columns + first_column, rows.values))
        self._values[name].append(values)

    def _add_spread(self, prolongation: SparseRows, first: int) -> None:
        """Rows of one width: what is missing has no weight."""
        count, rows = len(prolongation.starts) - 1, prolongation.rows
        places = rows, np.arange(len(rows)) - prolongation.starts[rows]
        sites, weights = np.full((count, MOST_SHARES), first, np.int32), np.zeros((count, MOST_SHARES))
        sites[places], weights[places] = prolongation.columns + first, prolongation.values
        self._spread_sites.append(sites)
        self._spread_weights.append(weights)

    def _joined(self, name: str) -> tuple[Ints, Ints, Floats]:
        counts = [np.diff(part.starts) for part in self._parts[name]]
        starts = np.cumsum(np.concatenate([[0], *counts])).astype(np.int32)
        columns = np.concatenate([np.zeros(0, np.int64), *(part.columns for part in self._parts[name])])
        return starts, columns.astype(np.int32), np.concatenate(self._values[name])


def _empty(count: int) -> SparseRows:
    return SparseRows(np.zeros(count + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))


def _spring_ends(springs: NetSprings, h: float) -> tuple[SparseRows, Floats]:
    """The springs of each particle that moves, and their columns of ``NetTables.springs``."""
    rows = np.concatenate([springs.pairs[:, 0], springs.pairs[:, 1]])
    columns = np.concatenate([springs.pairs[:, 1], springs.pairs[:, 0]])
    values = np.tile(np.column_stack([springs.lengths, springs.stiffness(h)]), (2, 1))
    order = np.lexsort((columns, rows))
    order = order[springs.masses[rows[order]] > 0.0]
    starts = np.searchsorted(rows[order], np.arange(len(springs.positions) + 1))
    return SparseRows(starts, columns[order].astype(np.int64), np.zeros(len(order))), values[order]


def _gather_weights(net: Net) -> Floats:
    """Of the terms of ``places``, what of a place and what of a force goes up, shape (terms, 2)."""
    forces = np.zeros(len(net.places.values))
    forces[~net.is_fixed[net.places.rows]] = net.restriction.values
    return np.stack([net.places.values, forces], axis=1)
