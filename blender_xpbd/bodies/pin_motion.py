# SPDX-License-Identifier: GPL-3.0-or-later
"""Where particles are, from the places of vertices: pinned ones, those with a goal, or all.

Each kind of body has one of these ways, see ``kinds``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..geometry.solid.carrying import FEWEST_SOURCES, build_carrier
from ..geometry.solid.joints import interpolated
from .body_model import BodyModel, have_own_particles

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


Motion = Callable[[Floats], Floats]


def match_pins(_model: BodyModel, vertices: Ints, particles: Ints) -> Motion:
    """Places of particles that are the vertices themselves.

    Args:
        _model: a body whose first particles are its vertices.
        vertices: whose places are given, in ascending order, shape (vertices,).
        particles: some of them, from the body's first, shape (particles,).

    Returns:
        What takes places of the vertices [m], shape (vertices, 3), to those of the particles.
    """
    rows = np.searchsorted(vertices, particles)
    return lambda target: target[rows]


def carry_pins(model: BodyModel, vertices: Ints, particles: Ints) -> Motion:
    """Places of particles that are not vertices: they go with the vertices around them, joints with their own.

    Where few vertices are given, or they lie on a line, the particles go with the motion of all of them.

    Arguments as of ``match_pins``.
    """
    carry, joints = _carry(model, vertices, particles), model.joints
    is_own = have_own_particles(model.elements[vertices])
    rows = np.full(len(model.elements), -1)
    rows[vertices] = np.arange(len(vertices))
    ends, shares = np.full((len(model.positions), 2), -1), np.zeros(len(model.positions))
    ends[joints.particles], shares[joints.particles] = rows[joints.ends], joints.shares
    ends[model.elements[vertices[is_own], 0]] = np.flatnonzero(is_own)[:, None]
    found = np.flatnonzero((ends[particles] >= 0).all(axis=1))
    if not len(found):
        return carry

    def place(target: Floats) -> Floats:
        places = carry(target)
        places[found] = interpolated(target, ends[particles[found]], shares[particles[found]])
        return places

    return place


def _carry(model: BodyModel, vertices: Ints, particles: Ints) -> Motion:
    rest, points = model.body.positions[vertices], model.positions[particles]
    if len(vertices) < FEWEST_SOURCES:
        return lambda target: carried(points, rest, target)
    carrier = build_carrier(points, rest, _nearby(model, vertices, particles))
    lost = np.flatnonzero(~carrier.is_carried)

    def place(target: Floats) -> Floats:
        places = carrier(target)
        if len(lost):
            places[lost] = carried(points[lost], rest, target)
        return places

    return place


def _nearby(model: BodyModel, vertices: Ints, particles: Ints) -> list[Ints | None]:
    """Of each particle the vertices in the tetrahedra around it, and one ring farther where these are few.

    So the two sides of a gap that is narrower than a cell do not carry each other. None for what is deep inside.
    """
    count = len(model.positions)
    numbers = np.repeat(np.arange(len(vertices), dtype=np.int32), model.elements.shape[1])
    by_particle = _Lists(model.elements[vertices].ravel(), numbers, count)
    ends = np.concatenate([model.edges, model.edges[:, ::-1]])
    neighbours = _Lists(ends[:, 0], ends[:, 1], count)
    found: list[Ints | None] = []
    for particle in particles.tolist():
        own = by_particle[particle]
        if len(own) < FEWEST_SOURCES:
            own = np.unique(np.concatenate([own, *(by_particle[near] for near in neighbours[particle].tolist())]))
        found.append(own if len(own) >= FEWEST_SOURCES else None)
    return found


class _Lists:
    """Of each key its values, in ascending order and each once."""

    def __init__(self, keys: Ints, values: Ints, count: int) -> None:
        pairs = np.unique(np.stack([keys, values], axis=1), axis=0)
        self._values = pairs[:, 1].astype(np.int32)
        self._starts = np.searchsorted(pairs[:, 0], np.arange(count + 1))

    def __getitem__(self, key: int) -> Ints:
        return self._values[self._starts[key] : self._starts[key + 1]]


def carried(points: Floats, rest: Floats, target: Floats) -> Floats:
    """Move points with the motion that takes ``rest`` to ``target``.

    The motion is the affine map of least squares. In directions in which ``rest`` has no extent (one vertex, a
    line, a flat patch) it is the rotation of least squares (Kabsch 1976), so that nothing is flattened.

    Args:
        points: [m], shape (points, 3).
        rest: of the pinned vertices [m], shape (pins, 3), at least one.
        target: where they go [m], shape (pins, 3).
    """
    rest_centre, target_centre = rest.mean(axis=0), target.mean(axis=0)
    spread, moved = rest - rest_centre, target - target_centre
    directions, extents, _ = np.linalg.svd(spread.T, full_matrices=True)
    extents = np.concatenate([extents, np.zeros(3 - len(extents))])
    spanned = extents > 1e-6 * max(extents[0], 1e-300)
    basis = directions[:, : len(spanned)][:, spanned]
    projector = basis @ basis.T
    affine = np.linalg.pinv(spread, rcond=1e-6) @ moved
    matrix = affine.T @ projector + least_squares_rotation(spread, moved) @ (np.eye(3) - projector)
    result: Floats = (points - rest_centre) @ matrix.T + target_centre
    return result


def least_squares_rotation(spread: Floats, moved: Floats) -> Floats:
    """The rotation that takes vectors closest to others (Kabsch 1976), shape (3, 3).

    Args:
        spread: [m], shape (vectors, 3).
        moved: where they go [m], shape (vectors, 3).
    """
    left, _, right = np.linalg.svd(spread.T @ moved)
    handedness = np.sign(np.linalg.det(right.T @ left.T)) or 1.0
    rotation: Floats = right.T @ np.diag([1.0, 1.0, handedness]) @ left.T
    return rotation
