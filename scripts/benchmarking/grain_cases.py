# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains in contact: a column that falls, a bin at rest and a funnel, on one thread and on all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameters.material_parameters import GRAINS
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import SERIAL, THREADS

from .rows import Row
from .scenes import SECONDS_PER_FRAME, floor
from .solver_cases import started

Floats = npt.NDArray[np.float64]

RADIUS = 0.01
SUBSTEPS = 10
# frames that are timed on each path, by turns
FRAMES = 12
SIDES = 64


@dataclass(frozen=True)
class GrainScene:
    """Where grains begin, and what holds them.

    Attributes:
        counts: grains along each axis.
        height: of the lowest ones [m].
        colliders: what holds them.
        before: frames before the first that is timed.
    """

    counts: tuple[int, int, int]
    height: float
    colliders: Sequence[Collider]
    before: int


def layers(counts: tuple[int, int, int], height: float) -> Floats:
    """Rows of grains, in layers that are turned against each other, so that no column stands."""
    random = np.random.default_rng(1)
    rows = np.stack(np.meshgrid(*(np.arange(count) for count in counts[:2]), indexing="ij"), axis=-1).reshape(-1, 2)
    rows = (rows - rows.mean(axis=0)) * 2.2 * RADIUS
    points = []
    for number in range(counts[2]):
        angle = random.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        points.append(np.column_stack([rows @ turn, np.full(len(rows), height + number * 2.2 * RADIUS)]))
    places = np.concatenate(points)
    return places + random.uniform(-0.1, 0.1, places.shape) * RADIUS


def walls(half: float) -> list[Collider]:
    """Four planes around the origin that look inwards."""
    found = []
    for number in range(4):
        inwards = np.array([np.cos(number * np.pi / 2), np.sin(number * np.pi / 2), 0.0])
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([np.cross([0.0, 0.0, 1.0], inwards), [0.0, 0.0, 1.0], inwards])
        matrix[:3, 3] = -half * inwards
        found.append(Collider(f"w{number}", f"Wall {number}", "PLANE", matrix[None]))
    return found


def cone(rim: float, hole: float, height: float, depth: float) -> Collider:
    """A funnel of triangles, whose rim is at a height [m]."""
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    ends = ((hole, height - depth), (rim, height))
    points = np.concatenate([np.column_stack((r * circle, np.full(SIDES, z))) for r, z in ends])
    here = np.arange(SIDES)
    after = np.roll(here, -1)
    triangles = np.concatenate(
        [np.column_stack((here, after, after + SIDES)), np.column_stack((here, after + SIDES, here + SIDES))]
    )
    return Collider("f0", "Funnel", "MESH", np.eye(4)[None], points[None], triangles.astype(np.int32), friction=0.1)


SCENES: Mapping[str, GrainScene] = {
    "column that falls apart": GrainScene((20, 20, 50), 0.05, [floor()], 8),
    "bin at rest": GrainScene((25, 25, 32), 0.05, [floor(), *walls(0.4)], 48),
    "funnel": GrainScene((28, 28, 26), 1.05, [floor(), cone(0.6, 0.1, 1.0, 0.6)], 16),
}


def grains_scene(name: str, device: str, substeps: int = SUBSTEPS) -> Scene:
    """About 20,000 grains of sand, of 1 cm."""
    asked = SCENES[name]
    points = layers(asked.counts, asked.height)
    none = np.zeros(0, np.int32)
    material = Material.from_values({**preset_values("SAND", GRAINS), "radius": RADIUS})
    pins = Pins(none, np.zeros(0, np.float32), points[None, :0])
    body = Body("b0", "Sand", GRAINS, points, none, none, material, pins)
    settings = SolverSettings(substeps=substeps, device=device)
    frames = FrameRange(1, asked.before + FRAMES + 2, 1, SECONDS_PER_FRAME)
    return Scene((body,), tuple(asked.colliders), frames, settings, np.array([0.0, 0.0, -9.81]))


def grains_case(name: str, device: str) -> Row:
    """Time of a frame on one thread and on all, and how near grains come to each other."""
    system, first, row = started(grains_scene(name, device))
    for _ in range(SCENES[name].before):
        first.advance()
    solvers = {"one thread": Solver(system, (SERIAL,)), "all threads": Solver(system, (THREADS,))}
    for solver in solvers.values():
        solver.restore(first.frame_index, first.checkpoint())
    times: dict[str, list[tuple[float, float]]] = {path: [] for path in solvers}
    for _ in range(FRAMES):
        for path, solver in solvers.items():
            began, before = time.perf_counter(), time.process_time()
            solver.advance()
            times[path].append((time.perf_counter() - began, time.process_time() - before))
    measured = {
        f"{path}, {clock} ms": 1e3 * statistics.median(mine[n] for mine in times[path])
        for path in solvers
        for n, clock in enumerate(("wall", "CPU"))
    }
    places = [solver.positions() for solver in solvers.values()]
    return {
        "grains": f"{name}, {len(system.grains)}",
        "device": row["device"],
        **measured,
        "same bytes": bool((places[0] == places[1]).all()),
    }
