# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloths as artists have them: grid, irregular triangles, tube, garment, curtain, and two that nothing holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from contact_cases import shapes
from scipy.spatial import Delaunay

from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameter import Value
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

from .scenes import SECONDS_PER_FRAME

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

FRAMES = 48
# which gives 6,000 to 8,500 vertices, and 2,000 of the sleeve [m]
EDGE = 0.0125
# by which share of their distance the points of irregular meshes are moved about
JITTER = 0.3
ALONE = BodyContact(self_collision=False, body_collision=False)
RIGID: Mapping[str, Value] = {
    "stiffness_input": "COMPLIANCE",
    "stretch_compliance": 1e-8,
    "bending_compliance": 1e3,
    "area_density": 1e4,
    "internal_damping": 0.0,
}


@dataclass(frozen=True)
class Sample:
    """A cloth of a class.

    Attributes:
        mesh: positions [m] and faces of one size.
        pinned: vertices that are held.
        matrices: how the pins move, frame by frame, shape (frames or 1, 4, 4).
        colliders: what it falls on.
        velocity: at the start [m/s].
    """

    mesh: shapes.Mesh
    pinned: Ints
    matrices: Floats = field(default_factory=lambda: np.eye(4)[None])
    colliders: tuple[Collider, ...] = ()
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def scene(self, fabric: str, settings: SolverSettings) -> Scene:
        """The cloth of a preset, or of ``"RIGID"`` springs, for two seconds."""
        positions, faces = self.mesh
        values = RIGID if fabric == "RIGID" else preset_values(fabric, "CLOTH")
        pins = Pins.following(self.pinned, np.ones(len(self.pinned), np.float32), self.matrices)
        body = Body(
            "cloth",
            "Cloth",
            "CLOTH",
            positions,
            np.full(len(faces), faces.shape[1], np.int32),
            faces.ravel().astype(np.int32),
            Material.from_values(values),
            pins if len(self.pinned) else Pins(),
            velocity=np.array(self.velocity),
            contact=ALONE,
        )
        return Scene((body,), self.colliders, FrameRange(1, FRAMES + 1, 1, SECONDS_PER_FRAME), settings)


def grid(edge: float) -> Sample:
    """Quads, held at two corners."""
    side = round(1.0 / edge) + 1
    mesh = shapes.sheet(side, side)
    return Sample(mesh, np.array([0, side - 1], np.int32))


def disc(edge: float) -> Sample:
    """Irregular triangles, held along a sixth of the rim."""
    angle = np.linspace(0.0, 2.0 * np.pi, round(np.pi / edge), endpoint=False)
    rim = 0.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    inside = _scattered(1.0, 1.0, edge) - 0.5
    inside = inside[np.linalg.norm(inside, axis=1) < 0.5 - 0.6 * edge]
    return Sample(_triangulated(np.concatenate([rim, inside])), np.flatnonzero(np.abs(angle - np.pi) < np.pi / 6.0))


def towel(edge: float) -> Sample:
    """Irregular triangles, held at two corners."""
    corners = np.array([0, round(1.0 / edge)], np.int32)
    return Sample(_towel(edge), corners)


def sleeve(edge: float) -> Sample:
    """A level tube of quads, 60 cm long, held at one end."""
    around, along = round(2.0 * np.pi * 0.08 / edge), round(0.6 / edge)
    angle = 2.0 * np.pi * np.arange(around) / around
    place = np.linspace(0.0, 0.6, along + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 0.08
    positions = np.concatenate([np.repeat(place, around)[:, None], np.tile(ring, (along + 1, 1))], axis=1)
    index = np.arange(len(positions), dtype=np.int32).reshape(along + 1, around)
    after = np.roll(index, -1, axis=1)
    quads = np.stack([index[:-1], after[:-1], after[1:], index[1:]], axis=-1).reshape(-1, 4)
    return Sample((positions, quads), index[0])


def skirt(edge: float) -> Sample:
    """A cone of irregular triangles on a waist that moves to and fro, 15 cm each way."""
    width, height = 2.0 * np.pi * 0.22, 0.6
    line = np.linspace(0.0, width, round(width / edge), endpoint=False)
    rims = [np.stack([line, np.full(len(line), level)], axis=1) for level in (0.0, height)]
    points = np.concatenate([*rims, _within(_scattered(width, height, edge), height, 0.6 * edge)])
    # a third copy on each side, of which the triangles about the middle one are kept
    copies = np.concatenate([points + np.array([shift * width, 0.0]) for shift in (-1, 0, 1)])
    triangles = Delaunay(copies).simplices
    middle = copies[triangles].mean(axis=1)[:, 0]
    triangles = (triangles[(middle >= 0.0) & (middle < width)] % len(points)).astype(np.int32)
    angle, radius = 2.0 * np.pi * points[:, 0] / width, 0.12 + 0.2 * points[:, 1] / height
    positions = np.stack([radius * np.cos(angle), radius * np.sin(angle), -points[:, 1]], axis=1)
    matrices = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    matrices[:, 0, 3] = 0.15 * np.sin(2.0 * np.pi * np.arange(FRAMES + 1) * SECONDS_PER_FRAME)
    return Sample((positions, triangles), np.arange(len(line), dtype=np.int32), matrices)


def curtain(edge: float) -> Sample:
    """Quads in twelve pleats, held along the top, swinging."""
    along, down = round(1.3 / edge), round(1.0 / edge)
    positions, quads = shapes.sheet(along + 1, down + 1, 0.9, 1.0)
    depth = 0.018 * np.sin(2.0 * np.pi * 12.0 * (positions[:, 0] / 0.9 + 0.5))
    positions = np.stack([positions[:, 0], depth, positions[:, 1]], axis=1)
    return Sample((positions, quads), np.flatnonzero(positions[:, 2] > 0.5 - 1e-9), velocity=(0.0, 1.0, 0.0))


def over_ball(edge: float) -> Sample:
    """Irregular triangles that fall by 2 cm onto a ball; nothing is held."""
    return Sample(shapes.moved(_towel(edge), 0.0, 0.0, 0.02), np.zeros(0, np.int32), colliders=(_ball(),))


def over_bump(edge: float) -> Sample:
    """Quads that fall by 2 cm onto a head with ears, as Suzanne has; nothing is held."""
    side = round(1.0 / edge) + 1
    mesh = shapes.moved(shapes.sheet(side, side), 0.0, 0.0, 0.02)
    return Sample(mesh, np.zeros(0, np.int32), colliders=_head())


def _ball() -> Collider:
    return _collider("ball", shapes.moved(shapes.sphere(0.3, 16), 0.0, 0.0, -0.3))


def _head() -> tuple[Collider, ...]:
    """A ball squeezed from the sides, a snout and two ears; the highest point at height 0."""
    skull, eyes = shapes.sphere(1.0, 12), shapes.sphere(1.0, 8)
    parts = (
        ("skull", skull, (0.2, 0.17, 0.22), (0.0, 0.0, -0.22)),
        ("snout", eyes, (0.12, 0.1, 0.1), (0.0, -0.16, -0.26)),
        ("left", eyes, (0.12, 0.04, 0.1), (0.26, 0.0, -0.16)),
        ("right", eyes, (0.12, 0.04, 0.1), (-0.26, 0.0, -0.16)),
    )
    return tuple(_collider(name, (mesh[0] * size + place, mesh[1])) for name, mesh, size, place in parts)


def _collider(name: str, mesh: shapes.Mesh) -> Collider:
    triangles = shapes.triangles_of(mesh)
    return Collider(name, name, "MESH", np.eye(4)[None], mesh[0][None], triangles, friction=0.5)


def _towel(edge: float) -> shapes.Mesh:
    line = np.linspace(0.0, 1.0, round(1.0 / edge) + 1)
    ends = [np.stack([line, np.full(len(line), level)], axis=1) for level in (0.0, 1.0)]
    sides = [points[1:-1, ::-1] for points in ends]
    inside = _scattered(1.0, 1.0, edge)
    inside = inside[(np.abs(inside - 0.5) < 0.5 - 0.6 * edge).all(axis=1)]
    return _triangulated(np.concatenate([*ends, *sides, inside]) - 0.5)


def _within(points: Floats, height: float, margin: float) -> Floats:
    return points[(points[:, 1] > margin) & (points[:, 1] < height - margin)]


def _scattered(width: float, height: float, edge: float) -> Floats:
    """Points of a rectangle about an edge apart, moved about from a triangular lattice, shape (points, 2) [m]."""
    columns, rows = round(width / edge), round(height / (edge * np.sqrt(0.75)))
    row, column = np.indices((rows, columns))
    places = np.stack([(column + 0.5 * (row % 2) + 0.25) / columns, (row + 0.5) / rows], axis=-1).reshape(-1, 2)
    moves: Floats = np.random.default_rng(0).uniform(-JITTER, JITTER, places.shape)
    points: Floats = places * (width, height) + edge * moves
    return points


def _triangulated(points: Floats) -> shapes.Mesh:
    return np.pad(points, ((0, 0), (0, 1))), Delaunay(points).simplices.astype(np.int32)


CLASSES: Mapping[str, Callable[[float], Sample]] = {
    "grid": grid,
    "disc": disc,
    "towel": towel,
    "sleeve": sleeve,
    "skirt": skirt,
    "curtain": curtain,
    "free on a ball": over_ball,
    "free on a head": over_bump,
}
