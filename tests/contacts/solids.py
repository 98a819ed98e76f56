# SPDX-License-Identifier: GPL-3.0-or-later
"""Solid bodies that fall, slide and bounce, and what is measured of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.solver.solver import Solver
from tests.geometry import surfaces
from tests.solver.scenes import GRAVITY

RUBBER = dict(preset_values("RUBBER", "JELLY"))
FIRM = dict(preset_values("JELLY_FIRM", "JELLY"))
HARD = {**RUBBER, "youngs_modulus": 1e9}
DOWN = np.array([0.0, 0.0, -1.0])
SIZE = 0.2


def cube():
    """Positions and triangles, 0.2 m wide."""
    positions, triangles = surfaces.cube()
    return positions * SIZE / 2, triangles


def ball():
    """Positions and triangles, 0.2 m wide."""
    positions, triangles = surfaces.sphere(20, 10)
    return positions * SIZE / 2, triangles


def tetrahedron():
    """Positions and triangles of a regular one, in a cube of 0.13 m."""
    positions = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], float) * SIZE / 3
    return positions, np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], np.int32)


def angle():
    """An L of three cubes of 0.1 m, whose centre of mass is not over the middle of its sole, at Y = 0."""
    outline = [(0.0, 0.0), (0.2, 0.0), (0.2, 0.1), (0.1, 0.1), (0.1, 0.2), (0.0, 0.2)]
    positions, triangles = surfaces.prism(outline, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)])
    return positions * [1.0, 1.0, SIZE / 2], triangles


def turned_down(positions, direction):
    """Positions turned so that a direction points down."""
    direction = np.array(direction, float) / np.linalg.norm(direction)
    axis, cosine = np.cross(direction, DOWN), float(direction @ DOWN)
    if cosine < -0.999:
        return positions * [1.0, -1.0, -1.0]
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return positions @ (np.eye(3) + cross + cross @ cross / (1.0 + cosine)).T


def solid(shape, down=DOWN, height=0.0, velocity=(0, 0, 0), resolution=4, identifier="b0", **values):
    """A jelly whose lowest point is at a height; ``down`` is the direction of the shape that looks down."""
    positions, triangles = shape()
    positions = turned_down(positions, down)
    positions[:, 2] += height - positions[:, 2].min()
    inside = Tetrahedralization("CAGE", resolution)
    if len(positions) == 4:
        inside = Tetrahedralization("FILE", vertices=positions, tetrahedra=np.array([[0, 2, 1, 3]], np.int32))
    material = Material.from_values({"internal_damping": 0.0, "contact_offset": 0.0, **values})
    sizes, corners = np.full(len(triangles), 3, np.int32), triangles.ravel().astype(np.int32)
    return Body(
        identifier, "Solid", "JELLY", positions, sizes, corners, material, tetrahedralization=inside,
        velocity=np.array(velocity, float),
    )  # fmt: skip


def shifted(body: Body, way) -> Body:
    """The body somewhere else."""
    inside = body.tetrahedralization
    if len(inside.vertices):
        inside = replace(inside, vertices=inside.vertices + way)
    return replace(body, positions=body.positions + way, tetrahedralization=inside)


class Motion:
    """Momentum and energy of the particles ``first`` … ``last − 1`` of a solver."""

    def __init__(self, solver: Solver, first: int = 0, last: int | None = None) -> None:
        part = slice(first, last)
        masses = 1.0 / solver.system.inverse_masses[part]
        state = solver.checkpoint()
        positions = state["positions"][part, :3] + solver.system.origin
        velocities = state["velocities"][part, :3]
        self.mass = masses.sum()
        self.centre = masses @ positions / self.mass
        self.velocity = masses @ velocities / self.mass
        arms = positions - self.centre
        self.spin = (masses[:, None] * np.cross(arms, velocities)).sum(axis=0)
        self.inertia = (masses * (arms**2).sum(axis=1)).sum() * np.eye(3) - (masses[:, None] * arms).T @ arms
        self.turning = np.linalg.solve(self.inertia, self.spin)

    @property
    def energy(self) -> float:
        """Of the rigid part of the motion, and of height [J]."""
        moving = self.mass * self.velocity @ self.velocity + self.turning @ self.spin
        return float(0.5 * moving + self.mass * GRAVITY * self.centre[2])


def rebound(solver: Solver, height: float, frames: int) -> float:
    """Height to which the centre of mass rises after it fell from a height, relative to that height."""
    rest = Motion(solver).centre[2] - height
    path = []
    for _ in range(frames):
        solver.advance()
        path.append(Motion(solver).centre[2] - rest)
    low = int(np.argmax(np.array(path) < 0.15 * height))
    while low + 1 < len(path) and path[low + 1] <= path[low]:
        low += 1
    return max(path[low:]) / height
