# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders as the kernels read them: shapes once, motion for each frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...contacts import CONTACTS
from ...contacts.tables import MOTION_WIDTH
from ...geometry.collider.triangle_grid import TriangleGrid, build_triangle_grid, pack
from ...geometry.rotations import interpolated_rotations, plane_frames, rotation_and_stretch
from ...scene.collider import Collider
from ...scene.errors import Notice, XpbdError
from .system import PRECISION_RATIO

Floats = npt.NDArray[np.float64]

SHAPE_NUMBERS = {kind.shape: number for number, kind in enumerate(CONTACTS)}


@dataclass(frozen=True)
class ColliderSet:
    """All colliders of a scene.

    Attributes:
        ints: shape number and mesh header, shape (colliders, 2), int32.
        floats: friction and restitution, shape (colliders, 2), float32.
        mesh_floats, mesh_ints: the packed meshes.
        names: of the objects, for messages.
        rotations: per collider and frame, shape (colliders, frames or 1, 3, 3).
        translations: relative to the origin [m], shape (colliders, frames or 1, 3).
        radii: in the world [m], shape (colliders, frames or 1).
        anchors: where the frame that kernels see has its origin, from the object's own, in its rotated axes [m],
            shape (colliders, 3). A plane chooses its own in each frame.
        notices: warnings.
    """

    ints: npt.NDArray[np.int32]
    floats: npt.NDArray[np.float32]
    mesh_floats: npt.NDArray[np.float32]
    mesh_ints: npt.NDArray[np.int32]
    names: tuple[str, ...]
    rotations: tuple[Floats, ...]
    translations: tuple[Floats, ...]
    radii: tuple[Floats, ...]
    anchors: Floats
    notices: tuple[Notice, ...]
    local_vertices: dict[int, Floats]

    def motion(self, frame_index: int, substeps: int) -> npt.NDArray[np.float32]:
        """Rigid frames at the boundaries of the substeps that lead from a frame to the next.

        Returns:
            rotation (row by row), translation [m], radius [m]; shape (substeps + 1, colliders, 13).

        Raises:
            XpbdError: E_NONFINITE, naming the collider whose motion single precision cannot hold.
        """
        rows = np.zeros((substeps + 1, len(self.ints), MOTION_WIDTH), np.float32)
        if len(self.ints) == 0:
            return rows
        times = np.linspace(0.0, 1.0, substeps + 1)
        rotations, translations, radii = (
            (_at_frame(values, frame_index), _at_frame(values, frame_index + 1))
            for values in (self.rotations, self.translations, self.radii)
        )
        turns = interpolated_rotations(*rotations, times)
        anchors = self._anchors(rotations[0], translations[0])
        # what is too large for single precision is told below
        with np.errstate(over="ignore", invalid="ignore"):
            rows[:, :, :9] = turns.reshape(substeps + 1, -1, 9)
            rows[:, :, 9:12] = _mix(*translations, times) + (turns @ anchors[..., None])[..., 0]
            rows[:, :, 12] = _mix(*radii, times)
        self._require_finite(rows)
        return rows

    def vertices(self, row: int, frame_index: int) -> tuple[Floats, Floats]:
        """Where the vertices of a mesh are at both ends of a frame, in its frame of ``motion`` [m]."""
        return self.local_vertices[row], self.local_vertices[row]

    def _anchors(self, rotations: Floats, translations: Floats) -> Floats:
        """Points of the colliders that are near the scene's origin, so that single precision is finest there.

        Of a plane it is the nearest of all. It stays through the frame, so that a plane that slides still carries.
        """
        nearest = -(np.swapaxes(rotations, 1, 2) @ translations[..., None])[..., 0]
        nearest[:, 2] = 0.0
        is_plane = self.ints[:, 0] == SHAPE_NUMBERS["PLANE"]
        return np.where(is_plane[:, None], nearest, self.anchors)

    def _require_finite(self, rows: npt.NDArray[np.float32]) -> None:
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=(0, 2)))
        if len(bad):
            advice = "The collider's place or size is beyond single precision: bring it near the bodies, or remove it."
            raise XpbdError("E_NONFINITE", advice, self.names[bad[0]])


def _at_frame(values: tuple[Floats, ...], frame_index: int) -> Floats:
    """Of each collider the value at a frame, the last one where there are no more."""
    return np.stack([of_frames[min(frame_index, len(of_frames) - 1)] for of_frames in values])


def _mix(first: Floats, second: Floats, times: Floats) -> Floats:
    result: Floats = first + (second - first) * times.reshape(-1, *([1] * first.ndim))
    return result


def build_colliders(
    colliders: tuple[Collider, ...], origin: Floats, largest_offset: float, least_extent: float
) -> ColliderSet:
    """Prepare colliders.

    Args:
        colliders: of the scene.
        origin: subtracted from all positions [m].
        largest_offset: the widest gap that any body keeps [m].
        least_extent: of the smallest body [m].

    Raises:
        XpbdError: E_GEOM_EMPTY, for a mesh of which nothing is left.
    """
    ints = np.zeros((len(colliders), 2), np.int32)
    floats = np.zeros((len(colliders), 2), np.float32)
    anchors = np.zeros((len(colliders), 3))
    rotations, translations, radii, grids, notices = [], [], [], [], []
    mesh_rows: list[int] = []
    local_vertices: dict[int, Floats] = {}
    for row, collider in enumerate(colliders):
        ints[row, 0] = SHAPE_NUMBERS[collider.shape]
        floats[row] = (collider.friction, collider.restitution)
        linear = collider.transforms[:, :3, :3]
        rotation, stretch = rotation_and_stretch(linear)
        rotations.append(plane_frames(linear) if collider.shape == "PLANE" else rotation)
        translations.append(collider.transforms[:, :3, 3] - origin)
        radii.append(collider.radius * np.cbrt(np.abs(np.linalg.det(stretch))))
        notices += _scale_notices(collider, stretch)
        size = float(radii[-1].max())
        if collider.shape == "MESH":
            mesh_rows.append(row)
            surface = collider.positions[0] @ stretch[0].T
            size = float(np.ptp(surface, axis=0).max())
            # a mesh may lie far from its object's origin
            anchors[row] = np.clip(0.0, surface.min(axis=0), surface.max(axis=0))
            local_vertices[row] = surface - anchors[row]
            grids.append(_grid(collider, surface - anchors[row], largest_offset))
        if size > PRECISION_RATIO * least_extent:
            text = f"The collider is {size:g} m large, a body {least_extent:g} m: contact is coarse. Use a plane."
            notices.append(Notice("W_PRECISION", text, collider.name))
    packed = pack(grids)
    if mesh_rows:
        ints[mesh_rows, 1] = packed.headers
    return ColliderSet(
        ints,
        floats,
        packed.floats,
        packed.ints,
        tuple(collider.name for collider in colliders),
        tuple(rotations),
        tuple(translations),
        tuple(radii),
        anchors,
        tuple(notices),
        local_vertices,
    )


def _grid(collider: Collider, surface: Floats, largest_offset: float) -> TriangleGrid:
    mirrored = np.linalg.det(collider.transforms[0, :3, :3]) < 0.0
    triangles = collider.triangles[:, ::-1] if mirrored else collider.triangles
    return build_triangle_grid(surface, np.ascontiguousarray(triangles), largest_offset, collider.name)


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
