# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with constraints of one kind alone, some 50 000, or fewer of groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blender_xpbd.constraints.attachments.attachment import build_attachment
from blender_xpbd.constraints.attachments.element_attachment import build_element_attachment
from blender_xpbd.constraints.bending.dihedral_bending import build_dihedral_bending, hinge_compliance
from blender_xpbd.constraints.bending.isometric_bending import (
    build_isometric_bending,
    hinge_coefficients,
    isometric_compliance,
)
from blender_xpbd.constraints.bending.plate_bending import build_plate_bending
from blender_xpbd.constraints.constraint import ConstraintBlock, joined
from blender_xpbd.constraints.corotated import build_corotated
from blender_xpbd.constraints.diagonal import build_diagonals
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.constraints.enclosed_volume import build_gas
from blender_xpbd.constraints.membrane import build_membrane
from blender_xpbd.constraints.neo_hookean import build_neo_hookean
from blender_xpbd.constraints.shape_matching import build_shape_matching, frequency_compliance
from blender_xpbd.constraints.stitch import build_stitch
from blender_xpbd.constraints.tetrahedron_volume import build_tetrahedron_volume
from blender_xpbd.constraints.two_sided_distance import build_two_sided_distance
from blender_xpbd.geometry.solid.clusters import overlapping_clusters
from blender_xpbd.geometry.solid.tetrahedra import surface_triangles
from blender_xpbd.geometry.surface.curvature import plate_areas, sheet_bending
from blender_xpbd.geometry.surface.topology import face_diagonals, hinges, triangulate, unique_edges

from .scenes import cube_tetrahedra, square

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

CLOTH_SIDE = 130
CUBE_CELLS = 20
BALLOONS = 64
BALLOON_CELLS = 5
# of a substep: 10 of them at 24 frames per second
INVERSE_H = 240.0
# how far particles are out of place, as a share of the edge of a cell
DISTURBANCE = 0.05
YOUNGS_MODULUS, POISSONS_RATIO = 1e5, 0.3


@dataclass(frozen=True)
class Example:
    """Particles and the constraints between them.

    Attributes:
        positions: at rest, and at the start of the substep [m], shape (particles, 3).
        disturbed: where the sweeps begin [m], shape (particles, 3).
        inverse_masses: [1/kg], shape (particles,).
        block: the constraints.
    """

    positions: Floats
    disturbed: Floats
    inverse_masses: Floats
    block: ConstraintBlock


def _example(positions: Floats, cell: float, inverse_masses: Floats, block: ConstraintBlock) -> Example:
    noise = np.random.default_rng(0).normal(0.0, DISTURBANCE * cell, positions.shape)
    return Example(positions, positions + noise * (inverse_masses > 0.0)[:, None], inverse_masses, block)


class _Cloth:
    """1 m², 0.3 kg/m²."""

    def __init__(self) -> None:
        self.positions, quads = square(CLOTH_SIDE)
        sizes = np.full(len(quads), 4, np.int32)
        self.edges = np.concatenate([unique_edges(sizes, quads.ravel()), face_diagonals(sizes, quads.ravel())]).astype(
            np.int32
        )
        self.triangles = triangulate(sizes, quads.ravel()).astype(np.int32)
        self.hinges = hinges(self.triangles)

    def example(self, block: ConstraintBlock) -> Example:
        masses = np.full(len(self.positions), 0.3 / len(self.positions))
        return _example(self.positions, 1 / CLOTH_SIDE, 1 / masses, block)


class _Cube:
    """1 m³, 1000 kg/m³."""

    def __init__(self, cells: int = CUBE_CELLS) -> None:
        self.positions, self.tetrahedra = cube_tetrahedra(cells)
        self.cells = cells
        self.masses = np.full(len(self.positions), 1000.0 / len(self.positions))

    def example(self, block: ConstraintBlock) -> Example:
        return _example(self.positions, 1 / self.cells, 1 / self.masses, block)


def _distance() -> Example:
    cloth = _Cloth()
    return cloth.example(build_distance(cloth.positions, cloth.edges, 1e-8))


def _diagonal() -> Example:
    cloth = _Cloth()
    return cloth.example(build_diagonals(cloth.positions, cloth.edges, 1e-8))


def _two_sided_distance() -> Example:
    cloth = _Cloth()
    return cloth.example(build_two_sided_distance(cloth.positions, cloth.edges, 1e-8, 1e-6))


def _stitch() -> Example:
    cloth = _Cloth()
    return cloth.example(build_stitch(cloth.edges, 0.2))


def _attachment() -> Example:
    """Every particle of a cloth to a point of its own, without a lag, for C knows no substep before."""
    cloth = _Cloth()
    count = len(cloth.positions)
    order = np.arange(count, dtype=np.int32)
    masses = np.full(count, 0.3 / count)
    block = build_attachment(np.stack([order, order + count], axis=1), np.full(count, 1e-4), lag=0.0)
    positions = np.concatenate([cloth.positions, cloth.positions])
    return _example(positions, 1 / CLOTH_SIDE, np.concatenate([1 / masses, np.zeros(count)]), block)


def _element_attachment() -> Example:
    """Two cubes, tetrahedron by tetrahedron."""
    cube = _Cube()
    count, quarters = len(cube.positions), np.full((len(cube.tetrahedra), 4), 0.25)
    block = build_element_attachment(cube.tetrahedra, quarters, cube.tetrahedra + count, quarters, 1e-6)
    masses = np.tile(cube.masses, 2)
    return _example(np.tile(cube.positions, (2, 1)), 1 / CUBE_CELLS, 1 / masses, block)


def _isometric_bending() -> Example:
    cloth = _Cloth()
    alpha = isometric_compliance(cloth.positions, cloth.hinges, 1e-3)
    return cloth.example(build_isometric_bending(cloth.positions, cloth.hinges, alpha))


def _dihedral_bending() -> Example:
    cloth = _Cloth()
    return cloth.example(
        build_dihedral_bending(cloth.positions, cloth.hinges, hinge_compliance(cloth.positions, cloth.hinges, 1e-3))
    )


def _plate_bending() -> Example:
    cloth = _Cloth()
    positions = cloth.positions
    coefficients, _ = hinge_coefficients(positions, cloth.hinges)
    areas, stiffness = plate_areas(positions, cloth.triangles), np.full(len(positions), 1e-3)
    matrix = sheet_bending(positions, cloth.hinges, coefficients, areas, stiffness).matrix
    masses = np.full(len(positions), 0.3 / len(positions))
    return cloth.example(build_plate_bending(positions, matrix, masses, 1.0 / INVERSE_H))


def _membrane() -> Example:
    cloth = _Cloth()
    return cloth.example(build_membrane(cloth.positions, cloth.triangles, 1e3, poissons_ratio=POISSONS_RATIO))


def _tetrahedron_volume() -> Example:
    cube = _Cube()
    return cube.example(build_tetrahedron_volume(cube.positions, cube.tetrahedra, 1e-9))


def _neo_hookean() -> Example:
    cube = _Cube()
    return cube.example(build_neo_hookean(cube.positions, cube.tetrahedra, YOUNGS_MODULUS, POISSONS_RATIO))


def _corotated() -> Example:
    cube = _Cube()
    return cube.example(build_corotated(cube.positions, cube.tetrahedra, YOUNGS_MODULUS, POISSONS_RATIO))


def _shape_matching() -> Example:
    cube = _Cube()
    edges = cube.tetrahedra[:, [0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3]].reshape(-1, 2)
    clusters = overlapping_clusters(cube.positions, edges, 2.01 / CUBE_CELLS)
    return cube.example(build_shape_matching(cube.positions, cube.masses, clusters, float(frequency_compliance(20.0))))


def _enclosed_volume() -> Example:
    cube = _Cube(BALLOON_CELLS)
    triangles = surface_triangles(cube.tetrahedra)
    used, corners = np.unique(triangles, return_inverse=True)
    positions, faces = cube.positions[used], corners.reshape(-1, 3).astype(np.int32)
    block = build_gas(positions, faces, 1e3)
    blocks = [block.shifted(number * len(positions)) for number in range(BALLOONS)]
    masses = np.full(BALLOONS * len(positions), 1e-3)
    return _example(np.tile(positions, (BALLOONS, 1)), 1 / BALLOON_CELLS, 1 / masses, joined(blocks))


BODIES: dict[str, Callable[[], Example]] = {
    "distance": _distance,
    "diagonal": _diagonal,
    "two_sided_distance": _two_sided_distance,
    "tetrahedron_volume": _tetrahedron_volume,
    "neo_hookean": _neo_hookean,
    "corotated": _corotated,
    "membrane": _membrane,
    "dihedral_bending": _dihedral_bending,
    "isometric_bending": _isometric_bending,
    "plate_bending": _plate_bending,
    "shape_matching": _shape_matching,
    "enclosed_volume": _enclosed_volume,
    "stitch": _stitch,
    "attachment": _attachment,
    "element_attachment": _element_attachment,
}
