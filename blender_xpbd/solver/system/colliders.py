# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders as the kernels read them: shapes once, motion for each frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...contacts import CONTACTS, contact_type
from ...contacts.deforming_mesh import DEFORMING_MESH
from ...contacts.tables import MOTION_WIDTH
from ...geometry.collider.packed_trees import PackedTree, pack_tree
from ...geometry.collider.triangle_grid import PackedGrids, build_triangle_grid, pack
from ...geometry.rotations import interpolated_rotations, rotation_and_stretch
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles
from ...scene.errors import Notice, XpbdError
from ..colliding.collider_mesh import ColliderMesh
from .frame_slice import WHOLE, FrameSlice
from .system import PRECISION_RATIO

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ColliderSet:
    """All colliders of a scene.

    Attributes:
        ints: shape number and mesh header, shape (colliders, 2), int32.
        floats: friction and restitution, shape (colliders, 2), float32.
        mesh_floats, mesh_ints: the packed meshes; those that deform come last, without their numbers.
        meshes: the colliders that are meshes.
        trees: of those that deform, by the collider's number.
        names: of the objects, for messages.
        rotations: per collider and frame, shape (colliders, frames or 1, 3, 3).
        translations: relative to the origin [m], shape (colliders, frames or 1, 3).
        radii: in the world [m], shape (colliders, frames or 1).
        anchors: where the frame that kernels see has its origin, from the object's own, in its rotated axes [m],
            shape (colliders, 3). Planes and meshes that deform choose their own in each frame.
        notices: warnings.
    """

    ints: npt.NDArray[np.int32]
    floats: npt.NDArray[np.float32]
    mesh_floats: npt.NDArray[np.float32]
    mesh_ints: npt.NDArray[np.int32]
    meshes: tuple[ColliderMesh, ...]
    trees: dict[int, PackedTree]
    names: tuple[str, ...]
    rotations: tuple[Floats, ...]
    translations: tuple[Floats, ...]
    radii: tuple[Floats, ...]
    anchors: Floats
    notices: tuple[Notice, ...]

    def motion(self, frame_index: int, substeps: int, frame_slice: FrameSlice = WHOLE) -> npt.NDArray[np.float32]:
        """Rigid frames at the boundaries of the substeps that lead from a frame to the next, or of a slice of it.

        Returns:
            rotation (row by row), translation [m], radius [m], of a mesh that deforms the share of the frame instead;
            shape (substeps + 1, colliders, 13).

        Raises:
            XpbdError: E_NONFINITE, naming the collider whose motion single precision cannot hold.
        """
        rows = np.zeros((substeps + 1, len(self.ints), MOTION_WIDTH), np.float32)
        if len(self.ints) == 0:
            return rows
        times = frame_slice.times(substeps)
        rotations, translations, radii = (
            (_at_frame(values, frame_index), _at_frame(values, frame_index + 1))
            for values in (self.rotations, self.translations, self.radii)
        )
        turns = interpolated_rotations(*rotations, times)
        anchors = self._anchors(frame_index, rotations[0], translations[0])
        # what is too large for single precision is told below
        with np.errstate(over="ignore", invalid="ignore"):
            rows[:, :, :9] = turns.reshape(substeps + 1, -1, 9)
            rows[:, :, 9:12] = _mix(*translations, times) + (turns @ anchors[..., None])[..., 0]
            rows[:, :, 12] = _mix(*radii, times)
        rows[:, list(self.trees), 12] = times[:, None]
        self._require_finite(rows)
        return rows

    @property
    def deforms(self) -> bool:
        """Whether any collider does."""
        return len(self.trees) > 0

    def deformed_floats(
        self, frame_index: int, substeps: int, frame_slice: FrameSlice = WHOLE
    ) -> npt.NDArray[np.float32]:
        """``mesh_floats`` for the substeps that lead from a frame to the next, or for those of a slice of it."""
        first = frame_slice.number / frame_slice.of
        floats = self.mesh_floats.copy()
        for row, tree in self.trees.items():
            start, end = self.vertices(row, frame_index)
            floats[tree.float_start : tree.float_start + tree.float_count] = tree.floats(
                start, end, substeps * frame_slice.of, first
            )
        return floats

    def vertices(self, row: int, frame_index: int) -> tuple[Floats, Floats]:
        """Where the vertices of a mesh are at the two ends of the frame that leads from ``frame_index`` to the next.

        They are in the frame of ``motion``, within which they move straight and evenly: at the boundary ``s`` of
        ``substeps`` a vertex is at R (start + s / substeps (end − start)) + T in the world, relative to the scene's
        origin, with R and T from ``motion(frame_index, substeps)[s, row]``.

        Args:
            row: number of a collider that is a mesh.
            frame_index: counted from the start.

        Returns:
            vertices of the collider's ``ColliderMesh.surface`` at the start and at the end [m], shape (vertices, 3).
        """
        mesh = self._mesh_of[row]
        if not mesh.deforms:
            still = mesh.vertices(0) - self.anchors[row]
            return still, still
        anchor = mesh.anchor(frame_index)
        return mesh.vertices(frame_index) - anchor, mesh.vertices(frame_index + 1) - anchor

    @cached_property
    def _mesh_of(self) -> dict[int, ColliderMesh]:
        return {mesh.row: mesh for mesh in self.meshes}

    def _anchors(self, frame_index: int, rotations: Floats, translations: Floats) -> Floats:
        """Points of the colliders that are near the scene's origin, so that single precision is finest there.

        Of an endless one it is the nearest of all. It stays through the frame, so that a plane that slides still
        carries.
        """
        nearest = -(np.swapaxes(rotations, 1, 2) @ translations[..., None])[..., 0]
        nearest[:, 2] = 0.0
        is_endless = np.array([CONTACTS[shape].is_endless for shape in self.ints[:, 0]])
        anchors = np.where(is_endless[:, None], nearest, self.anchors)
        for row in self.trees:
            anchors[row] = self._mesh_of[row].anchor(frame_index)
        return anchors

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
    rotations, translations, radii, notices = [], [], [], []
    meshes: list[ColliderMesh] = []
    for row, collider in enumerate(colliders):
        contact = contact_type(collider.shape)
        ints[row, 0] = CONTACTS.index(contact)
        floats[row] = (collider.friction, collider.restitution)
        linear = collider.transforms[:, :3, :3]
        stretch = rotation_and_stretch(linear)[1]
        rotations.append(contact.frames(linear))
        translations.append(collider.transforms[:, :3, 3] - origin)
        radii.append(collider.radius * np.cbrt(np.abs(np.linalg.det(stretch))))
        size = float(radii[-1].max())
        if has_triangles(collider):
            meshes.append(ColliderMesh(collider, row))
            anchors[row] = meshes[-1].anchor(0)
            size = float(np.ptp(meshes[-1].all_vertices(0), axis=0).max())
        if size > PRECISION_RATIO * least_extent:
            text = f"The collider is {size:g} m large, a body {least_extent:g} m: contact is coarse. Use a plane."
            notices.append(Notice("W_PRECISION", text, collider.name))
    packed, headers, trees = _packed_meshes(meshes, anchors, largest_offset)
    for row, header in headers.items():
        ints[row, 1] = header
    for row in trees:
        ints[row, 0] = CONTACTS.index(DEFORMING_MESH)
    return ColliderSet(
        ints=ints,
        floats=floats,
        mesh_floats=packed.floats,
        mesh_ints=packed.ints,
        meshes=tuple(meshes),
        trees=trees,
        names=tuple(collider.name for collider in colliders),
        rotations=tuple(rotations),
        translations=tuple(translations),
        radii=tuple(radii),
        anchors=anchors,
        notices=tuple(notices),
    )


def _packed_meshes(
    meshes: list[ColliderMesh], anchors: Floats, largest_offset: float
) -> tuple[PackedGrids, dict[int, int], dict[int, PackedTree]]:
    """Grids of rigid meshes, then trees of those that deform, in two arrays; headers and trees by colliders' numbers.

    The numbers of trees are left 0.
    """
    rigid = [mesh for mesh in meshes if not mesh.deforms]
    grids = pack(
        [
            build_triangle_grid(
                mesh.all_vertices(0) - anchors[mesh.row], mesh.triangles, largest_offset, mesh.collider.name
            )
            for mesh in rigid
        ]
    )
    headers = {mesh.row: int(header) for mesh, header in zip(rigid, grids.headers, strict=True)}
    trees: dict[int, PackedTree] = {}
    int_start, float_start = len(grids.ints), len(grids.floats)
    for mesh in meshes:
        if mesh.deforms:
            headers[mesh.row] = int_start
            trees[mesh.row] = pack_tree(mesh.surface, mesh.vertices(0), int_start, float_start, largest_offset)
            int_start += len(trees[mesh.row].ints)
            float_start += trees[mesh.row].float_count
    if trees:
        ints = np.concatenate([grids.ints, *(tree.ints for tree in trees.values())])
        floats = np.concatenate([grids.floats, np.zeros(float_start - len(grids.floats), np.float32)])
        grids = PackedGrids(floats, ints, grids.headers)
    return grids, headers, trees
