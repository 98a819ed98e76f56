# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders as the kernels read them: shapes once, motion for each frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..contacts import CONTACTS
from ..contacts.tables import MOTION_WIDTH
from ..geometry.triangle_grid import TriangleGrid, build_triangle_grid, pack
from ..scene.errors import Notice
from ..scene.scene import Collider

Floats = npt.NDArray[np.float64]

SHAPE_NUMBERS = {kind.shape: number for number, kind in enumerate(CONTACTS)}


@dataclass(frozen=True)
class ColliderSet:
    """All colliders of a scene.

    Attributes:
        ints: shape number and mesh header, shape (colliders, 2), int32.
        floats: friction and restitution, shape (colliders, 2), float32.
        mesh_floats, mesh_ints: the packed meshes.
        rotations: per collider and frame, shape (colliders, frames or 1, 3, 3).
        translations: relative to the origin [m], shape (colliders, frames or 1, 3).
        radii: in the world [m], shape (colliders, frames or 1).
        notices: warnings.
    """

    ints: npt.NDArray[np.int32]
    floats: npt.NDArray[np.float32]
    mesh_floats: npt.NDArray[np.float32]
    mesh_ints: npt.NDArray[np.int32]
    rotations: tuple[Floats, ...]
    translations: tuple[Floats, ...]
    radii: tuple[Floats, ...]
    notices: tuple[Notice, ...]

    def motion(self, frame_index: int, substeps: int) -> npt.NDArray[np.float32]:
        """Rigid frames at the boundaries of the substeps that lead from a frame to the next.

        Returns:
            rotation (row by row), translation [m], radius [m]; shape (substeps + 1, colliders, 13).
        """
        rows = np.zeros((substeps + 1, len(self.ints), MOTION_WIDTH), np.float32)
        times = np.linspace(0.0, 1.0, substeps + 1)
        for c in range(len(self.ints)):
            last = len(self.rotations[c]) - 1
            here, there = min(frame_index, last), min(frame_index + 1, last)
            rows[:, c, :9] = interpolated_rotations(self.rotations[c][here], self.rotations[c][there], times)
            rows[:, c, 9:12] = _mix(self.translations[c][here], self.translations[c][there], times)
            rows[:, c, 12] = _mix(self.radii[c][here : here + 1], self.radii[c][there : there + 1], times)[:, 0]
        return rows


def build_colliders(colliders: tuple[Collider, ...], origin: Floats, largest_offset: float) -> ColliderSet:
    """Prepare colliders.

    Args:
        colliders: of the scene.
        origin: subtracted from all positions [m].
        largest_offset: the widest gap that any body keeps [m].

    Raises:
        XpbdError: E_GEOM_EMPTY, for a mesh of which nothing is left.
    """
    ints = np.zeros((len(colliders), 2), np.int32)
    floats = np.zeros((len(colliders), 2), np.float32)
    rotations, translations, radii, grids, notices = [], [], [], [], []
    mesh_rows: list[int] = []
    for row, collider in enumerate(colliders):
        ints[row, 0] = SHAPE_NUMBERS[collider.shape]
        floats[row] = (collider.friction, collider.restitution)
        rotation, stretch = rotation_and_stretch(collider.transforms[:, :3, :3])
        rotations.append(rotation)
        translations.append(collider.transforms[:, :3, 3] - origin)
        radii.append(collider.radius * np.cbrt(np.abs(np.linalg.det(stretch))))
        notices += _scale_notices(collider, stretch)
        if collider.shape == "MESH":
            mesh_rows.append(row)
            grids.append(_grid(collider, stretch[0], largest_offset))
    packed = pack(grids)
    if mesh_rows:
        ints[mesh_rows, 1] = packed.headers
    return ColliderSet(
        ints,
        floats,
        packed.floats,
        packed.ints,
        tuple(rotations),
        tuple(translations),
        tuple(radii),
        tuple(notices),
    )


def _grid(collider: Collider, stretch: Floats, largest_offset: float) -> TriangleGrid:
    mirrored = np.linalg.det(collider.transforms[0, :3, :3]) < 0.0
    triangles = collider.triangles[:, ::-1] if mirrored else collider.triangles
    return build_triangle_grid(
        collider.positions @ stretch.T, np.ascontiguousarray(triangles), largest_offset, collider.name
    )


def _scale_notices(collider: Collider, stretch: Floats) -> list[Notice]:
    extents = np.linalg.svd(stretch, compute_uv=False)
    notices = []
    if collider.shape == "MESH" and np.abs(stretch - stretch[0]).max() > 1e-4 * extents.max():
        notices.append(
            Notice("W_COLLIDER_SCALE", "The mesh collider keeps the scale of the first frame.", collider.name)
        )
    if collider.shape == "SPHERE" and (extents[:, 0] > 1.001 * extents[:, 2]).any():
        notices.append(
            Notice("W_COLLIDER_SCALE", "The squashed sphere collides as a round one; use Mesh.", collider.name)
        )
    return notices


def rotation_and_stretch(matrices: Floats) -> tuple[Floats, Floats]:
    """Polar decomposition M = R S with a proper rotation R; a mirror stays in S.

    Args:
        matrices: shape (frames, 3, 3), not singular.
    """
    left, values, right = np.linalg.svd(matrices)
    handedness = np.sign(np.linalg.det(left @ right))
    left[:, :, 2] *= handedness[:, None]
    values[:, 2] *= handedness
    rotation = left @ right
    stretch = np.swapaxes(right, 1, 2) @ (values[:, :, None] * right)
    return rotation, stretch


def interpolated_rotations(first: Floats, second: Floats, times: Floats) -> Floats:
    """Rotations at a constant angular speed from the first to the second; rows of 9, shape (times, 9)."""
    turn = second @ first.T
    cosine = np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0)
    angle = np.arccos(cosine)
    if angle < 1e-9:
        return _mix(first.ravel(), second.ravel(), times)
    axis = _axis(turn, angle)
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    angles = (times * angle)[:, None, None]
    steps = np.eye(3) + np.sin(angles) * cross + (1.0 - np.cos(angles)) * (cross @ cross)
    result: Floats = (steps @ first).reshape(len(times), 9)
    return result


def _axis(turn: Floats, angle: float) -> Floats:
    if angle < np.pi - 1e-4:
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    else:
        symmetric = (turn + turn.T) / 2.0 + np.eye(3)
        axis = symmetric[np.argmax(np.diag(symmetric))]
    result: Floats = axis / np.linalg.norm(axis)
    return result


def _mix(first: Floats, second: Floats, times: Floats) -> Floats:
    result: Floats = first + (second - first) * times[:, None]
    return result
