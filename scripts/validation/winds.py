# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces from outside: sheets in still and in moving air, and points in Blender's fields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.force import Force
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import assemble, build_system

from .case import Case, Curve, Plot, Result, Row, absolute, relative
from .simulation import GRAVITY, bare, path_of, positions_of

Floats = npt.NDArray[np.float64]

AREA_DENSITY, DENSITY, DRAG = 0.15, 1.2, 1.2
ROD_DENSITY = 50.0
FRAME, FRAMES = 1.0 / 24.0, 48


def sheet(count: int) -> Body:
    """A level square of 1 m of ``count`` by ``count`` vertices."""
    x, y = np.meshgrid(*[np.linspace(0.0, 1.0, count)] * 2, indexing="ij")
    positions = np.stack([x.ravel(), y.ravel(), np.zeros(count**2)], axis=1)
    index = np.arange(count**2).reshape(count, count)
    corners = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1)
    sizes = np.full((count - 1) ** 2, 4, np.int32)
    material = Material(area_density=AREA_DENSITY, internal_damping=0.0, air_drag=DRAG)
    return Body("b0", "Sheet", "CLOTH", positions, sizes, corners.ravel().astype(np.int32), material)


def fall(body: Body, air: float, gravity: float) -> Floats:
    """Heights of the middle of a body in air that rises with a speed [m/s], after each frame [m]."""
    wind = Force("f0", "Air", "WIND", np.eye(4)[None], strength=air, wind_factor=1.0)
    settings = SolverSettings(substeps=20, device="CPU")
    frames = FrameRange(1, FRAMES + 1, 1, FRAME)
    scene = Scene((body,), (), frames, settings, np.array([0.0, 0.0, -gravity]), (wind,))
    solver, heights = Solver(build_system(replace(scene, air_density=DENSITY))), []
    for _ in range(FRAMES):
        solver.advance()
        heights.append(positions_of(solver)[:, 2].mean())
    return np.array(heights)


def sheet_in_air() -> Result:
    """Fall and terminal speed of three meshes, and the speed that wind gives."""
    terminal = np.sqrt(2.0 * AREA_DENSITY * GRAVITY / (DENSITY * DRAG))
    t = np.arange(1, FRAMES + 1) * FRAME
    expected = -(terminal**2) / GRAVITY * np.log(np.cosh(GRAVITY * t / terminal))
    rows: list[Row] = []
    curves = [Curve("v²/g ln cosh(g t/v)", t, expected, "k--")]
    for count in (4, 12, 24):
        fallen = fall(sheet(count), 0.0, GRAVITY)
        rows.append(
            relative(f"terminal speed, {count}² vertices [m/s]", terminal, (fallen[-2] - fallen[-1]) / FRAME, 0.01)
        )
        rows.append(relative(f"way in 2 s, {count}² vertices [m]", expected[-1], fallen[-1], 0.01))
        curves.append(Curve(f"{count}²", t, fallen, "."))
    # v' = k (u − v)² with k = ½ ρ C_D / σ
    rate = 0.5 * DENSITY * DRAG / AREA_DENSITY * 5.0
    drifted = 5.0 * (t[-1] - np.log1p(rate * t[-1]) / rate)
    rows.append(relative("way in a wind of 5 m/s in 2 s [m]", float(drifted), fall(sheet(12), 5.0, 0.0)[-1], 0.01))
    return Result(tuple(rows), Plot("t [s]", "z [m]", tuple(curves)))


def rod(direction: tuple[float, float, float], radius: float) -> Body:
    """A rod of 1 m and 50 kg/m³ through the origin."""
    points = np.linspace(-0.5, 0.5, 11)[:, None] * np.array(direction)
    numbers, none = np.arange(10, dtype=np.int32), np.zeros(0, np.int32)
    material = Material(radius=radius, density=ROD_DENSITY, internal_damping=0.0, air_drag=DRAG)
    edges = np.stack([numbers, numbers + 1], axis=1)
    return Body("b0", "Rod", "STRAND", points, none, none, material, loose_edges=edges)


def rods_in_air() -> Result:
    """Terminal speeds of level rods of three radii, and the fall of upright ones."""
    rows: list[Row] = []
    curves: list[Curve] = []
    t = np.arange(1, FRAMES + 1) * FRAME
    for radius in (5e-4, 1e-3, 2e-3):
        terminal = np.sqrt(np.pi * ROD_DENSITY * radius * GRAVITY / (DENSITY * DRAG))
        level, upright = (fall(rod(way, radius), 0.0, GRAVITY) for way in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        name = f"radius {1e3 * radius:g} mm"
        rows.append(relative(f"terminal speed, level, {name} [m/s]", terminal, (level[-2] - level[-1]) / FRAME, 0.01))
        rows.append(relative(f"way in 2 s, upright, {name} [m]", -2.0 * GRAVITY, upright[-1], 1e-3))
        curves.append(Curve(f"level, {name}", t, level))
    return Result(tuple(rows), Plot("t [s]", "z [m]", tuple(curves)))


def flight(
    force: Force, place: tuple[float, float, float], velocity: tuple[float, float, float], frames: int
) -> Floats:
    """Where a point of 1 kg in a field is after each frame, shape (frames, 3)."""
    model = bare(np.array([place]), np.ones(1), ())
    settings = SolverSettings(substeps=20, device="CPU", precision="DOUBLE")
    scene = Scene((model.body,), (), FrameRange(1, frames + 1, 1, FRAME), settings, np.zeros(3), (force,))
    system = assemble(scene, (model,))
    return path_of(Solver(replace(system, velocities=np.array([velocity]))), frames, 0)


def points_in_fields() -> Result:
    """Motion that has a formula, in five fields."""
    frames, still = 48, (0.0, 0.0, 0.0)
    t = frames * FRAME

    def field(kind: str, strength: float, shape: str = "POINT", damping: float = 0.0) -> Force:
        return Force("f0", "Field", kind, np.eye(4)[None], strength=strength, shape=shape, damping=damping)

    away = flight(field("FORCE", 0.8, "PLANE"), (0.0, 0.0, 1.0), still, frames)
    circle = flight(field("VORTEX", 2.0, "PLANE"), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), frames)
    angle = float(np.arctan2(circle[-1, 1], circle[-1, 0]))
    swing = flight(field("HARMONIC", 9.0), (1.0, 0.0, 0.0), still, frames)
    slowed = flight(field("DRAG", 0.0, damping=0.7), still, (3.0, 0.0, 0.0), frames)
    braked = flight(field("DRAG", 0.5), still, (3.0, 0.0, 0.0), frames)
    rows = (
        relative("uniform Force: z after 2 s [m]", 1.0 + 0.4 * t**2, away[-1, 2], 1e-4),
        relative("Vortex: radius after 2 s [m]", 1.0, float(np.linalg.norm(circle[-1])), 5e-3),
        absolute("Vortex: angle after 2 s [rad]", float(np.angle(np.exp(2j * t))), angle, 5e-3),
        absolute("Harmonic: x after 2 s [m]", float(np.cos(3.0 * t)), swing[-1, 0], 1e-3),
        relative("Drag of the speed: way in 2 s [m]", 3.0 / 0.7 * (1.0 - np.exp(-0.7 * t)), slowed[-1, 0], 5e-3),
        relative("Drag of its square: way in 2 s [m]", np.log1p(0.5 * 3.0 * t) / 0.5, braked[-1, 0], 5e-3),
    )
    curve = Curve("Vortex", circle[:, 0], circle[:, 1])
    return Result(rows, Plot("x [m]", "y [m]", (curve,), is_equal=True))


CASES = (
    Case(
        "sheet_in_air",
        "Sheet in air",
        "A level sheet of 1 m and 0.15 kg/m² with a drag coefficient of 1.2 falls through still air of 1.2 kg/m³ to "
        "its terminal speed √(2 σ g/ρ C_D), on three meshes; and a wind of 5 m/s carries it along.",
        sheet_in_air,
    ),
    Case(
        "rods_in_air",
        "Rods in air",
        "Rods of 1 m and 50 kg/m³ with a drag coefficient of 1.2, of three radii, fall through still air of 1.2 kg/m³: "
        "level ones to their terminal speed √(π ρ r g/ρ_air C_D), upright ones freely.",
        rods_in_air,
        quick=True,
    ),
    Case(
        "force_fields",
        "Points in force fields",
        "A point of 1 kg in Blender's fields: a uniform Force, a Vortex around which it circles, a Harmonic spring, "
        "and Drag by the speed and by its square.",
        points_in_fields,
        quick=True,
    ),
)
