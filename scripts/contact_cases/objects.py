# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies and colliders from meshes, with the suite's materials and jitter."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.body import Body, Pins, Tetrahedralization
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values

from .shapes import Floats, Mesh, triangles_of

# everything meets everything, and itself
CONTACT = BodyContact(self_collision=True)
# largest turn about Z [rad] and largest shift [m] of a start
JITTER_TURN, JITTER_SHIFT = 0.15, 0.01


def cloth(name: str, mesh: Mesh, preset: str = "COTTON", pins: Pins | None = None, **values: float | str) -> Body:
    """A cloth of a preset's fabric."""
    material = Material.from_values({**preset_values(preset, "CLOTH"), **values})
    return Body(name, name, "CLOTH", mesh[0], *_polygons(mesh), material, pins or Pins(), contact=CONTACT)


def jelly(name: str, mesh: Mesh, preset: str = "JELLY_MEDIUM", resolution: int = 6, **values: float | str) -> Body:
    """A jelly in a cage."""
    material = Material.from_values({**preset_values(preset, "JELLY"), **values})
    inside = Tetrahedralization("CAGE", resolution)
    polygons = _polygons(mesh)
    return Body(name, name, "JELLY", mesh[0], *polygons, material, tetrahedralization=inside, contact=CONTACT)


def mesh_collider(name: str, mesh: Mesh, transforms: Floats | None = None, friction: float = 0.5) -> Collider:
    """A rigid mesh, at rest or with a matrix for each frame, shape (frames, 4, 4)."""
    places = np.eye(4)[None] if transforms is None else transforms
    return Collider(name, name, "MESH", places, mesh[0][None], triangles_of(mesh), friction=friction)


def deforming_collider(name: str, positions: Floats, mesh: Mesh, friction: float = 0.5) -> Collider:
    """A mesh with places of its own for each frame, shape (frames, vertices, 3)."""
    return Collider(name, name, "MESH", np.eye(4)[None], positions, triangles_of(mesh), friction=friction)


def floor(height: float = 0.0, friction: float = 0.5) -> Collider:
    """A level plane."""
    matrix = np.eye(4)
    matrix[2, 3] = height
    return Collider("floor", "floor", "PLANE", matrix[None], friction=friction)


def jittered(mesh: Mesh, random: np.random.Generator) -> Mesh:
    """The mesh turned about Z, shifted, and every vertex moved by a hundredth of an edge at most."""
    angle = random.uniform(-JITTER_TURN, JITTER_TURN)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    positions = mesh[0] @ turn.T + np.append(random.uniform(-JITTER_SHIFT, JITTER_SHIFT, 2), 0.0)
    return roughened((positions, mesh[1]), random)


def roughened(mesh: Mesh, random: np.random.Generator) -> Mesh:
    """The mesh with every vertex moved by a hundredth of an edge at most."""
    corners = mesh[0][mesh[1]]
    edge = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).min()
    return mesh[0] + random.uniform(-0.01, 0.01, mesh[0].shape) * edge, mesh[1]


def held(vertices: npt.ArrayLike, targets: Floats) -> Pins:
    """Pins that follow places, shape (frames or 1, pins, 3)."""
    chosen = np.asarray(vertices, np.int32)
    return Pins(chosen, np.ones(len(chosen), np.float32), targets)


def motion(frames: int, place: Floats | None = None, turns: Floats | None = None) -> Floats:
    """Matrices for each frame from places, shape (frames, 3), and rotations, shape (frames, 3, 3)."""
    matrices = np.tile(np.eye(4), (frames, 1, 1))
    if place is not None:
        matrices[:, :3, 3] = place
    if turns is not None:
        matrices[:, :3, :3] = turns
    return matrices


def _polygons(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    faces = mesh[1]
    return np.full(len(faces), faces.shape[1], np.int32), faces.ravel().astype(np.int32)
