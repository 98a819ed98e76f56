# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of springs that make a network of them stretch like the solid that it stands for.

A spring of stiffness k and length L along n with k L² = c μ V_e stores, in the mean over all directions, the energy of
a volume (area) V_e of a solid with λ = μ: the mean of n⊗n⊗n⊗n is S/c with S = δδ + δδ + δδ (the three pairings) and
c = 15, in the plane 8. Where directions are not spread evenly, around a vertex or at the surface, the network is too
stiff in some and too weak in others. How wrong it is shows in the patch test (Irons & Razzaque 1972): under a
uniform strain the forces on each vertex must be those of the solid. So the shares are chosen by least squares,

    forces at v:    c Σ_e V_e/L_e n⊗n⊗n = −(symmetric part of) 3 δ ⊗ g_v      n from v outwards, g_v = Σ_t V_t ∇φ_v,
    energy at v:    c Σ_e V_e/2 n⊗n⊗n⊗n = V_v S,
    energy of all:  c Σ_e V_e n⊗n⊗n⊗n = V S,

and near what they were. φ_v is the linear shape function of v, so g_v is 0 inside an evenly filled body and is the
area that v stands for at its surface. Both sides of each line are symmetric tensors because λ = μ (Cauchy).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from ..geometry.ragged import sums_by_label

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# c, by the dimensions of the body
DIRECTIONS = {2: 8.0, 3: 15.0}
# weights of the three lines, and of staying near: found on lattices and random tetrahedra by comparing with their
# finite elements; half or twice of each changes the modulus of a bar by 1 %. That comparison is not in a script; the
# moduli that result are in docs/validation.md, Cloth: stretch stiffness
FORCE_WEIGHT, STAR_WEIGHT, BODY_WEIGHT, NEARNESS = 1.0, 0.3, 3.0, 0.3
# a spring keeps this part of its share, so that no edge goes limp; chosen by hand, more would undo the calibration
LEAST_PART = 0.2
# of conjugate gradients: shares to a hundredth are finer than what the weights decide; chosen by hand
GREATEST_ITERATIONS, RESIDUAL = 40, 0.01


def _components(order: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Indices of a symmetric tensor's components, and the square roots of how often each occurs."""
    indices = np.array(list(combinations_with_replacement(range(3), order)))
    counts = [factorial(order) // prod(factorial(int((row == axis).sum())) for axis in range(3)) for row in indices]
    return indices, np.sqrt(counts)


THIRD, THIRD_COUNTS = _components(3)
FOURTH, FOURTH_COUNTS = _components(4)


@dataclass(frozen=True)
class Solid:
    """What the network of springs stands for.

    Attributes:
        dimensions: 2 or 3.
        volumes: V_v, volume [m³] or area [m²] of each vertex, shape (vertices,).
        gradients: symmetric part of 3 δ ⊗ g_v by components, shape (vertices, 10).
        stars: V_v S by components, shape (vertices, 15).
    """

    dimensions: int
    volumes: Floats
    gradients: Floats
    stars: Floats


def solid_of_tetrahedra(vertices: Floats, tetrahedra: Ints, fill: Floats) -> Solid:
    """The solid of tetrahedra.

    Args:
        vertices: [m], shape (vertices, 3).
        tetrahedra: of positive or no volume, shape (tetrahedra, 4).
        fill: share of each that is filled, shape (tetrahedra,).
    """
    corners = vertices[tetrahedra]
    a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    pulls = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1) * (fill / 6.0)[:, None, None]
    volumes = (a * pulls[:, 0]).sum(axis=1)
    every = np.concatenate([-pulls.sum(axis=1, keepdims=True), pulls], axis=1)
    return _solid(tetrahedra, every, volumes, np.broadcast_to(np.eye(3), (len(tetrahedra), 3, 3)), len(vertices))


def solid_of_triangles(positions: Floats, triangles: Ints) -> Solid:
    """The sheet of triangles, in space.

    Args:
        positions: [m], shape (vertices, 3).
        triangles: shape (triangles, 3).
    """
    corners = positions[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(normals, axis=1)
    normals = normals / np.maximum(doubled, 1e-300)[:, None]
    # the edge opposite each corner, turned by a right angle towards it
    opposite = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    pulls = 0.5 * np.cross(normals[:, None], opposite)
    planes = np.eye(3) - normals[:, :, None] * normals[:, None, :]
    return _solid(triangles, pulls, 0.5 * doubled, planes, len(positions))


def _solid(elements: Ints, pulls: Floats, volumes: Floats, projectors: Floats, count: int) -> Solid:
    """Of elements with V ∇φ at each corner, shape (elements, corners, 3), and δ on the plane of each."""
    corners = elements.shape[1]
    i, j, k = THIRD.T
    forces = (
        projectors[:, None, i, j] * pulls[:, :, k]
        + projectors[:, None, i, k] * pulls[:, :, j]
        + projectors[:, None, j, k] * pulls[:, :, i]
    )
    i, j, k, m = FOURTH.T
    energies = (
        projectors[:, i, j] * projectors[:, k, m]
        + projectors[:, i, k] * projectors[:, j, m]
        + projectors[:, i, m] * projectors[:, j, k]
    )
    part = volumes / corners
    ends = elements.ravel()
    return Solid(
        dimensions=corners - 1,
        volumes=sums_by_label(ends, np.repeat(part, corners), count),
        gradients=sums_by_label(ends, (forces * THIRD_COUNTS).reshape(-1, len(THIRD)), count),
        stars=sums_by_label(ends, np.repeat(energies * FOURTH_COUNTS * part[:, None], corners, axis=0), count),
    )


def calibrated(positions: Floats, edges: Ints, shares: Floats, solid: Solid) -> Floats:
    """Shares that fulfil the patch test as well as springs can.

    Args:
        positions: rest positions [m], shape (vertices, 3).
        edges: shape (edges, 2).
        shares: to start from, volume [m³] or area [m²] of each edge, positive, shape (edges,).
        solid: that the springs stand for.

    Returns:
        Shares, positive, shape (edges,).
    """
    better: Floats = shares * np.maximum(_solved(_PatchTest(positions, edges, shares, solid)), LEAST_PART)
    return better


class _PatchTest:
    """The three lines as a linear map from factors on the shares to weighted rows, and its transpose."""

    def __init__(self, positions: Floats, edges: Ints, shares: Floats, solid: Solid) -> None:
        self.first, self.second = edges.T
        self.count = len(positions)
        difference = positions[self.second] - positions[self.first]
        lengths = np.linalg.norm(difference, axis=1)
        lengths = np.maximum(lengths, 1e-6 * lengths.max())
        normals = difference / lengths[:, None]
        strength = DIRECTIONS[solid.dimensions] * shares
        self.thirds = _products(normals, THIRD) * THIRD_COUNTS * (strength / lengths)[:, None]
        self.fourths = _products(normals, FOURTH) * FOURTH_COUNTS * strength[:, None]
        # energies per √V, so that each volume counts as much as it is large; a force times a length is an energy
        volumes = np.maximum(solid.volumes, 1e-6 * solid.volumes.max())[:, None]
        total = solid.volumes.sum()
        self.force_scale = FORCE_WEIGHT * volumes ** (1.0 / solid.dimensions - 0.5)
        self.star_scale = STAR_WEIGHT * volumes**-0.5
        self.body_scale = BODY_WEIGHT * total**-0.5
        self.targets = (
            self.force_scale * solid.gradients,
            self.star_scale * solid.stars,
            self.body_scale * solid.stars.sum(axis=0),
        )
        self.squares = (
            ((self.force_scale**2)[self.first] + (self.force_scale**2)[self.second])[:, 0]
            * (self.thirds**2).sum(axis=1)
            + 0.25
            * ((self.star_scale**2)[self.first] + (self.star_scale**2)[self.second])[:, 0]
            * (self.fourths**2).sum(axis=1)
            + self.body_scale**2 * (self.fourths**2).sum(axis=1)
        )

    def forward(self, factors: Floats) -> tuple[Floats, Floats, Floats]:
        thirds, fourths = self.thirds * factors[:, None], self.fourths * factors[:, None]
        forces = sums_by_label(self.second, thirds, self.count) - sums_by_label(self.first, thirds, self.count)
        stars = 0.5 * (sums_by_label(self.first, fourths, self.count) + sums_by_label(self.second, fourths, self.count))
        return self.force_scale * forces, self.star_scale * stars, self.body_scale * fourths.sum(axis=0)

    def backward(self, rows: tuple[Floats, Floats, Floats]) -> Floats:
        forces, stars = self.force_scale * rows[0], 0.5 * self.star_scale * rows[1]
        pulls = forces[self.second] - forces[self.first]
        energies = stars[self.first] + stars[self.second] + self.body_scale * rows[2]
        both: Floats = (self.thirds * pulls).sum(axis=1) + (self.fourths * energies).sum(axis=1)
        return both


def _solved(test: _PatchTest) -> Floats:
    """Factors f that minimise |A f − b|² + nearness Σ a² (f − 1)², a² being the columns' squares.

    Conjugate gradients on the normal equations, with their diagonal as preconditioner.
    """
    near = NEARNESS * test.squares
    diagonal = np.maximum((1.0 + NEARNESS) * test.squares, 1e-300)
    factors = np.ones(len(near))
    left = tuple(target - row for target, row in zip(test.targets, test.forward(factors), strict=True))
    residual = test.backward(left)
    direction = residual / diagonal
    power = start = float(residual @ direction)
    for _ in range(GREATEST_ITERATIONS):
        if power <= RESIDUAL**2 * start:
            break
        image = test.backward(test.forward(direction)) + near * direction
        length = power / float(direction @ image)
        factors += length * direction
        residual -= length * image
        scaled = residual / diagonal
        before, power = power, float(residual @ scaled)
        direction = scaled + (power / before) * direction
    return factors


def _products(normals: Floats, indices: npt.NDArray[np.int64]) -> Floats:
    result: Floats = normals[:, indices].prod(axis=2)
    return result
