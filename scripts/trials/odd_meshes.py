# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes with the faults that artists' meshes have, each from its seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contact_cases import shapes
from contact_cases.shapes import Floats

Polygons = list[tuple[int, ...]]
Random = np.random.Generator
# among the plain meshes
_SHEET = 2


@dataclass
class OddMesh:
    """A mesh that is being spoilt.

    Attributes:
        positions: [m], shape (vertices, 3).
        polygons: vertices of each.
        oddities: what was done to it.
        is_valid: whether a bake should take it.
        has_volume: whether it encloses anything, as jelly must.
    """

    positions: Floats
    polygons: Polygons
    oddities: tuple[str, ...] = ()
    is_valid: bool = True
    has_volume: bool = True


def odd_mesh(seed: int) -> OddMesh:
    """The mesh of a seed: a plain one, spoilt in one to three ways."""
    random = np.random.default_rng(seed)
    mesh = _plain(random)
    count = int(random.integers(1, 4))
    chosen = random.choice(len(ODDITIES), size=count, replace=False)
    # in the order of the table: sizes, and what leaves nothing, come last
    for index in sorted(chosen):
        name, spoil, keeps_valid = ODDITIES[index]
        if len(mesh.polygons) == 0:
            break
        spoil(mesh, random)
        mesh.oddities = (*mesh.oddities, name)
        mesh.is_valid = mesh.is_valid and keeps_valid
    return mesh


def _plain(random: Random) -> OddMesh:
    made = [
        shapes.box((1.0, 0.8, 0.6), (2, 2, 2)),
        shapes.sphere(0.5, 4),
        shapes.sheet(5, 4),
        shapes.tube(np.linspace((0, 0, 0), (0, 0, 1), 5), np.full(5, 0.2), 6),
        shapes.capsule(np.zeros(3), np.array((0.0, 0.0, 0.8)), 0.2, 3, 6),
    ]
    which = int(random.integers(len(made)))
    chosen = made[which]
    positions = np.array(chosen[0], np.float64) + random.normal(0.0, 0.01, (len(chosen[0]), 3))
    return OddMesh(positions, [tuple(map(int, polygon)) for polygon in chosen[1]], has_volume=which != _SHEET)


def _some(mesh: OddMesh, random: Random, share: float) -> list[int]:
    count = max(1, int(share * len(mesh.polygons)))
    return [int(i) for i in random.choice(len(mesh.polygons), size=count, replace=False)]


def _holes(mesh: OddMesh, random: Random) -> None:
    gone = set(_some(mesh, random, 0.2))
    kept = [polygon for i, polygon in enumerate(mesh.polygons) if i not in gone]
    mesh.polygons = kept or mesh.polygons


def _flips(mesh: OddMesh, random: Random) -> None:
    for i in _some(mesh, random, 0.3):
        mesh.polygons[i] = mesh.polygons[i][::-1]


def _double_faces(mesh: OddMesh, random: Random) -> None:
    mesh.polygons += [mesh.polygons[i] for i in _some(mesh, random, 0.2)]


def _split_vertices(mesh: OddMesh, random: Random) -> None:
    """Faces that lie on each other, but share no vertices."""
    for i in _some(mesh, random, 0.3):
        polygon = mesh.polygons[i]
        first = len(mesh.positions)
        mesh.positions = np.concatenate((mesh.positions, mesh.positions[list(polygon)]))
        mesh.polygons[i] = tuple(range(first, first + len(polygon)))


def _slivers(mesh: OddMesh, random: Random) -> None:
    """Corners that nearly lie on each other."""
    for i in _some(mesh, random, 0.15):
        a, b = mesh.polygons[i][:2]
        mesh.positions[b] = mesh.positions[a] + random.normal(0.0, 1e-7, 3)


def _degenerate(mesh: OddMesh, random: Random) -> None:
    """Corners that do lie on each other."""
    for i in _some(mesh, random, 0.15):
        a, b = mesh.polygons[i][:2]
        mesh.positions[b] = mesh.positions[a]


def _disjoint(mesh: OddMesh, random: Random) -> None:
    _join(mesh, OddMesh(mesh.positions + random.uniform(2.0, 20.0, 3), list(mesh.polygons)))


def _intersecting(mesh: OddMesh, random: Random) -> None:
    _join(mesh, OddMesh(mesh.positions + random.uniform(-0.2, 0.2, 3), list(mesh.polygons)))


def _join(mesh: OddMesh, other: OddMesh) -> None:
    first = len(mesh.positions)
    mesh.positions = np.concatenate((mesh.positions, other.positions))
    mesh.polygons += [tuple(first + vertex for vertex in polygon) for polygon in other.polygons]


def _fins(mesh: OddMesh, random: Random) -> None:
    """A third face at edges of two."""
    for i in _some(mesh, random, 0.1):
        a, b = mesh.polygons[i][:2]
        top = len(mesh.positions)
        outside = (mesh.positions[a] + mesh.positions[b]) / 2 + random.normal(0.0, 0.2, 3)
        mesh.positions = np.concatenate((mesh.positions, outside[None]))
        mesh.polygons.append((a, b, top))


def _loose(mesh: OddMesh, random: Random) -> None:
    mesh.positions = np.concatenate((mesh.positions, random.normal(0.0, 1.0, (3, 3))))


def _one_polygon(mesh: OddMesh, random: Random) -> None:
    mesh.polygons = [mesh.polygons[int(random.integers(len(mesh.polygons)))]]
    mesh.has_volume = False


def _flat(mesh: OddMesh, _random: Random) -> None:
    mesh.positions[:, 2] = 0.0
    mesh.has_volume = False


def _far_away(mesh: OddMesh, _random: Random) -> None:
    mesh.positions += 1e4


def _tiny(mesh: OddMesh, _random: Random) -> None:
    mesh.positions *= 1e-6


def _huge(mesh: OddMesh, _random: Random) -> None:
    mesh.positions *= 1e6


def _not_finite(mesh: OddMesh, random: Random) -> None:
    value = random.choice([np.nan, np.inf, -np.inf, 1e300])
    mesh.positions[random.integers(len(mesh.positions)), random.integers(3)] = value


def _point(mesh: OddMesh, _random: Random) -> None:
    mesh.positions[:] = mesh.positions[0]


def _one_vertex(mesh: OddMesh, _random: Random) -> None:
    mesh.positions, mesh.polygons = mesh.positions[:1], []


def _no_faces(mesh: OddMesh, _random: Random) -> None:
    mesh.polygons = []


# name, what it does, whether a bake should take it all the same
ODDITIES: tuple[tuple[str, Callable[[OddMesh, Random], None], bool], ...] = (
    ("holes", _holes, True),
    ("flips", _flips, True),
    ("double faces", _double_faces, True),
    ("split vertices", _split_vertices, True),
    ("slivers", _slivers, True),
    ("degenerate faces", _degenerate, True),
    ("disjoint", _disjoint, True),
    ("intersecting shells", _intersecting, True),
    ("fins", _fins, True),
    ("loose vertices", _loose, True),
    ("one face", _one_polygon, True),
    ("flat", _flat, True),
    ("far away", _far_away, True),
    ("1e-6 in size", _tiny, True),
    ("1e6 in size", _huge, True),
    ("not finite", _not_finite, False),
    ("one point", _point, False),
    ("one vertex", _one_vertex, False),
    ("no faces", _no_faces, False),
)
