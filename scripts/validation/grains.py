# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains: heights of rebounds, and how a pile lies; and bodies that attract each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

from .case import Case, Curve, Plot, Result, Row, absolute, relative
from .simulation import positions_of

Floats = npt.NDArray[np.float64]

RADIUS = 0.025
FRAME = 1.0 / 24.0
NOTHING = np.zeros(0, np.int32)


def grains(positions: Floats, identifier: str, velocity: tuple[float, float, float], **values: float) -> Body:
    """A body of balls at these places."""
    material = Material.from_values(values)
    return Body(identifier, "Grains", "GRAINS", positions, NOTHING, NOTHING, material, velocity=np.array(velocity))


def floor(friction: float = 0.8, restitution: float = 0.0) -> Collider:
    """The plane z = 0."""
    return Collider("c0", "Floor", "PLANE", np.eye(4)[None], friction=friction, restitution=restitution)


def rebounds() -> Result:
    """Tops of 64 points that fall by 1 m, with e of 0.8."""
    x, y = np.meshgrid(*[np.arange(8) / 10.0] * 2, indexing="ij")
    body = grains(np.stack([x.ravel(), y.ravel(), np.ones(64)], axis=1), "b0", (0.0, 0.0, 0.0), restitution=0.8)
    frame, count = 1.0 / 240.0, 480
    scene = Scene((body,), (floor(restitution=0.8),), FrameRange(1, count + 1, 1, frame), SolverSettings(substeps=4))
    solver, heights = Solver(build_system(scene)), []
    for _ in range(count):
        solver.advance()
        heights.append(float(positions_of(solver)[:, 2].mean()))
    z = np.array(heights)
    tops = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    rows = (
        relative("first top [m]", 0.64, float(tops[0]), 0.02),
        relative("second top [m]", 0.41, float(tops[1]), 0.02),
    )
    return Result(rows, Plot("t [s]", "z [m]", (Curve("mean", frame * np.arange(1, count + 1), z),)))


def layers(count: int, width: int = 5) -> Floats:
    """Places of grains in layers, ``width`` times as many, that are turned against each other."""
    random = np.random.default_rng(1)
    side = np.arange(width) - (width - 1) / 2.0
    rows = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2) * 2.4 * RADIUS
    points = []
    for number in range(count):
        angle = random.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        points.append(np.column_stack([rows @ turn, np.full(len(rows), 0.1 + number * 2.4 * RADIUS)]))
    return np.concatenate(points)


def heap(friction: float, start: Floats, seconds: int) -> tuple[Floats, float]:
    """Places of grains after that time, and the greatest speed in the last frame [m/s]."""
    body = grains(start, "b0", (0.0, 0.0, 0.0), radius=RADIUS, friction=friction)
    frames = round(seconds / FRAME)
    scene = Scene((body,), (floor(),), FrameRange(1, frames + 1, 1, FRAME), SolverSettings(substeps=30))
    solver = Solver(build_system(scene))
    before = after = positions_of(solver)
    for _ in range(frames):
        solver.advance()
        before, after = after, positions_of(solver)
    return after, float(np.linalg.norm(after - before, axis=1).max()) / FRAME


def heaps(start: Floats, seconds: int) -> Result:
    """Overlap, speed, layers and slope of heaps of three frictions, from where their grains begin, after that time."""
    rows: list[Row] = []
    curves: list[Curve] = []
    slopes = []
    for friction in (0.2, 0.5, 0.8):
        places, speed = heap(friction, start, seconds)
        apart, _ = cKDTree(places).query(places, k=2)
        far = np.linalg.norm(places[:, :2] - np.median(places[:, :2], axis=0), axis=1)
        top = float(np.quantile(places[:, 2], 0.98))
        slopes.append(float(top / np.quantile(far, 0.9)))
        nearest = min(1.0, float(apart[:, 1].min()) / (2.0 * RADIUS))
        # layers of balls that lie as closely as they can are apart by √(2/3) of a diameter
        count = 1.0 + (top - RADIUS) / (2.0 * RADIUS * np.sqrt(2.0 / 3.0))
        rows.append(absolute(f"μ = {friction}: least distance by touching", 1.0, nearest, 0.02))
        rows.append(absolute(f"μ = {friction}: greatest speed [mm/s]", 0.0, 1e3 * speed, 1.0))
        rows.append(absolute(f"μ = {friction}: layers that lack of three", 0.0, max(0.0, 3.0 - count), 0.0))
        curves.append(Curve(f"μ = {friction}", far, places[:, 2], "."))
    rows.append(
        absolute("heaps that are no steeper than with less friction", 0.0, float((np.diff(slopes) <= 0).sum()), 0.0)
    )
    return Result(tuple(rows), Plot("distance from the middle [m]", "z [m]", tuple(curves)))


def four_bodies() -> Result:
    """A mass among three that are held on a circle: its way, its energy, its period across their plane."""
    angles = np.radians([90.0, 210.0, 330.0])
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(3)])
    held_vertices = np.arange(3, dtype=np.int32)
    density = 1.0 / (4.0 / 3.0 * np.pi * 0.01**3)

    def way(velocity: tuple[float, float, float], height: float, frames: int) -> Floats:
        held = grains(ring, "b0", (0.0, 0.0, 0.0), radius=0.01, density=density)
        held = replace(held, pins=Pins(held_vertices, np.ones(3, np.float32), ring[None]))
        free = grains(np.array([[0.0, 0.0, height]]), "b1", velocity, radius=0.01, density=density)
        scene = Scene((held, free), (), FrameRange(1, frames + 1, 1, 0.01), SolverSettings(substeps=2), np.zeros(3))
        solver = Solver(build_system(replace(scene, attraction=0.5)))
        places = [positions_of(solver)[3]]
        for _ in range(frames):
            solver.advance()
            places.append(positions_of(solver)[3])
        return np.array(places)

    places = way((0.3, 0.2, 0.0), 0.0, 202)
    speeds = (places[2:] - places[:-2]) / 0.02
    pulls = 0.5 * (1.0 / np.linalg.norm(places[1:-1, None] - ring, axis=2)).sum(axis=1)
    energies = 0.5 * (speeds**2).sum(axis=1) - pulls
    heights = way((0.0, 0.0, 0.0), 0.02, 1000)[:, 2]
    rises = np.flatnonzero((heights[:-1] < 0.0) & (heights[1:] >= 0.0))
    times = 0.01 * (rises + heights[rises] / (heights[rises] - heights[rises + 1]))
    rows = (
        absolute("x after 2 s [m]", 0.4769, float(places[200, 0]), 0.01),
        absolute("y after 2 s [m]", 0.4693, float(places[200, 1]), 0.01),
        relative(
            "energy farthest from its start [J]", -1.435, float(energies[np.abs(energies + 1.435).argmax()]), 0.01
        ),
        relative("period across the plane [s]", float(2.0 * np.pi / np.sqrt(1.5)), float(times[1] - times[0]), 0.01),
    )
    return Result(rows, Plot("x [m]", "y [m]", (Curve("way", places[:, 0], places[:, 1]),), is_equal=True))


CASES = (
    Case(
        "grain_rebounds",
        "Grains: rebounds",
        "64 grains fall from 1 m on a floor with e = 0.8.",
        rebounds,
        quick=True,
    ),
    Case(
        "heaps",
        "Grains: heaps",
        f"500 grains of {1e3 * RADIUS:g} mm fall on a floor, in layers that are turned against each other, with three "
        "frictions. They lie still after 6 s, and the heap is the steeper the more friction there is.",
        lambda: heaps(layers(20), 6),
    ),
    Case(
        "large_heaps",
        "Grains: large heaps",
        f"5,040 grains of {1e3 * RADIUS:g} mm, likewise, but for 12 s: here and there a grain still slips after 6 s.",
        lambda: heaps(layers(35, 12), 12),
    ),
    Case(
        "four_bodies",
        "Attraction: four bodies",
        "Masses of 1 kg with G = 0.5: three are held on a circle of 1 m, one starts in the middle with (0.3, 0.2, 0) "
        "m/s, or 2 cm above it.",
        four_bodies,
        quick=True,
    ),
)
