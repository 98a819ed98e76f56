# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands as rods: cantilever, end moments, buckling under twist, and a helix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.bodies.rods import rotate
from blender_xpbd.bodies.strand import rod_orientations
from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import assemble, build_system

from .case import Case, Curve, Plot, Result, Row, absolute, relative
from .simulation import GRAVITY, positions_of

Floats = npt.NDArray[np.float64]

FRAME = 1.0 / 24.0
SHEAR, DENSITY = 8e8, 1000.0
YOUNG = 2.5 * SHEAR
RADIUS = 0.01
# M L/EI at which a twisted rod with built-in ends buckles: twice the least x > 0 with tan x = x
GREENHILL = 8.986819
# of the round section: EI and GJ [N·m²]
BENDING = YOUNG * np.pi * RADIUS**4 / 4.0
TWISTING = SHEAR * np.pi * RADIUS**4 / 2.0


def rod(points: Floats, pinned: list[int], **values: float | str) -> Body:
    """A strand through points, pinned where it is."""
    none = np.zeros(0, np.int32)
    numbers = np.arange(len(points), dtype=np.int32)
    edges = np.stack([numbers[:-1], numbers[1:]], axis=1)
    material = Material.from_values(
        {
            "youngs_modulus": YOUNG,
            "twist_stiffness": SHEAR,
            "density": DENSITY,
            "radius": RADIUS,
            "internal_damping": 0.0,
            **values,
        }
    )
    held = np.array(pinned, np.int32)
    pins = Pins(held, np.ones(len(held), np.float32), points[None, held])
    return Body("b0", "Rod", "STRAND", points, none, none, material, pins, loose_edges=edges)


def clamped_line(count: int, way: Floats) -> Floats:
    """A metre in ``count`` edges along a direction from the origin, and one more edge behind it."""
    return (np.arange(-1, count + 1) / count)[:, None] * way


def solver_of(body: Body, frames: int, gravity: float = GRAVITY, substeps: int = 20) -> Solver:
    """A solver for so many frames."""
    settings = SolverSettings(substeps=substeps, device="CPU")
    return Solver(
        build_system(Scene((body,), (), FrameRange(1, frames + 1, 1, FRAME), settings, np.array([0, 0, -gravity])))
    )


def places_after(solver: Solver, frames: int) -> Floats:
    """Positions [m] after so many more frames."""
    for _ in range(frames):
        solver.advance()
    return positions_of(solver)


def cantilever() -> Result:
    """Sag under its weight by q L⁴/8EI."""
    rows: list[Row] = []
    x = np.linspace(0.0, 1.0, 61)
    load = DENSITY * np.pi * RADIUS**2 * GRAVITY
    sag = load / (8.0 * BENDING)
    shape = -load / (24.0 * BENDING) * x**2 * (6.0 - 4.0 * x + x**2)
    curves = [Curve("beam theory", x, shape, "k--")]
    for count in (10, 30, 60):
        body = rod(clamped_line(count, np.array([1.0, 0.0, 0.0])), [0, 1], damping=6.0)
        places = places_after(solver_of(body, 96), 96)[1 : count + 2]
        rows.append(relative(f"sag of {count} edges [m]", sag, -places[-1, 2], 0.02))
        curves.append(Curve(f"{count} edges", places[:, 0], places[:, 2]))
    return Result(tuple(rows), Plot("x [m]", "z [m]", tuple(curves)))


def end_moment() -> Result:
    """A straight rod that both ends force into an arc has the same curvature all along.

    Pins push it from both sides before it gives way, which takes more substeps than the other cases.
    """
    count, angle, frames = 40, np.pi / 2.0, 60
    points = np.linspace(-0.5, 0.5, count + 1)[:, None] * np.array([1.0, 0.0, 0.0])
    # chords of the first and the last edge as in an arc of the length of the rod
    turns = np.linspace(-angle / 2.0, angle / 2.0, count + 1)
    arc = np.stack([np.sin(turns), 0.0 * turns, np.cos(turns) - np.cos(angle / 2.0)], axis=1)
    arc *= (1.0 / count) / np.linalg.norm(arc[1] - arc[0])
    held = np.array([0, 1, count - 1, count], np.int32)
    shares = np.minimum(np.arange(frames + 1) / (0.5 * frames), 1.0)[:, None, None]
    ways = (1.0 - shares) * points[held] + shares * arc[held]
    body = rod(points, [0], damping=6.0)
    body = replace(body, pins=Pins(held, np.ones(4, np.float32), ways))
    places = places_after(solver_of(body, frames, 0.0, 80), frames)[: count + 1]
    height = np.ptp(arc[:, 2])
    off = float(np.abs(places - arc).max())
    return Result(
        (
            relative("height of the arc [m]", height, float(np.ptp(places[:, 2])), 0.01),
            absolute("greatest distance from the arc [m]", 0.0, off, 0.005),
        ),
        Plot("x [m]", "z [m]", (Curve("arc", arc[:, 0], arc[:, 2], "k--"), Curve("rod", places[:, 0], places[:, 2]))),
    )


def ring_height(share: float, damping: float, count: int = 48) -> float:
    """How far a ring of straight rod comes out of its plane within 100 frames [m]; its ends were joined after a turn.

    A hundredth of a millimetre out of the plane is what it grows from.

    Args:
        share: GJ/EI by what Michell says, √3.
        damping: of all motion [1/s]; what is stable at rest is so with any.
        count: edges.
    """
    angle = 2.0 * np.pi * np.arange(count) / count
    size = 0.5 / np.pi
    points = np.stack([size * np.cos(angle), size * np.sin(angle), 1e-5 * np.cos(2.0 * angle)], axis=1)
    stiffness = share * np.sqrt(3.0) * YOUNG / 2.0
    body = rod(points, [], twist_stiffness=stiffness, rest_angle="FLAT", damping=damping)
    edges = np.stack([np.arange(count), (np.arange(count) + 1) % count], axis=1).astype(np.int32)
    body = replace(body, loose_edges=edges)
    scene = Scene((body,), (), FrameRange(1, 200, 1, FRAME), SolverSettings(substeps=20, device="CPU"), np.zeros(3))
    model = build_body(body, scene.settings)
    rods = model.rods
    if rods is None:
        raise ValueError("a strand without rods")
    # along the walk each edge is turned further about itself, by a full turn in all
    order = rods.strands[0].edges
    turns = rods.rotations.copy()
    ways = points[rods.edges[:, 1]] - points[rods.edges[:, 0]]
    sense = np.where((rods.edges[:, 1] - rods.edges[:, 0]) % count == 1, 1.0, -1.0)
    middles = [angle_of(points, edge) for edge in rods.edges]
    for number, edge in enumerate(sorted(order, key=middles.__getitem__)):
        tangent = sense[edge] * ways[edge] / np.linalg.norm(ways[edge])
        half = np.pi * number / count
        turns[edge] = product(np.concatenate([[np.cos(half)], np.sin(half) * tangent]), turns[edge])
    turned = replace(rods, rotations=turns)
    twisted = replace(model, rods=turned, orientations=rod_orientations(turned))
    solver = Solver(assemble(scene, (twisted,)))
    # what has buckled swings through its plane, so one moment tells little
    return max(float(np.ptp(places_after(solver, 1)[:count, 2])) for _ in range(100))


def angle_of(points: Floats, edge: npt.NDArray[np.int32]) -> float:
    """Where the middle of an edge of the ring is, from 0 to 2π."""
    x, y, _ = points[edge].mean(axis=0)
    return float(np.arctan2(y, x) % (2.0 * np.pi))


def product(a: Floats, b: Floats) -> Floats:
    """The quaternion of the rotation b, then a."""
    xyz = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], xyz])


def michell() -> Result:
    """A ring with a full turn of twist stays flat up to GJ/EI = √3 (Michell 1889; Goriely 2006, eq. 1)."""
    shares = (0.8, 0.9, 1.1)
    rows: list[Row] = []
    curves = []
    for damping in (30.0, 1.0):
        heights = [ring_height(share, damping) for share in shares]
        name = f"damping {damping:g}/s"
        for share, height in zip(shares[:2], heights, strict=False):
            rows.append(absolute(f"{name}: out of plane at {share} √3 [m]", 0.0, height, 1e-3))
        above = min(heights[-1] - 0.05, 0.0)
        label = f"{name}: out of plane at 1.1 √3, less 5 cm that it comes at least [m]"
        rows.append(absolute(label, 0.0, above, 1e-9))
        curves.append(Curve(name, shares, heights, "o-"))
    return Result(tuple(rows), Plot("GJ / √3 EI", "out of plane [m]", tuple(curves)))


def thick_rod(share: float, ratio: float, count: int) -> float:
    """How far a straight rod that is twisted between two clamps bows out of its line [m].

    It is a metre long and 20 cm thick, so that clamps that stay where they are hardly hold it: a bow of a centimetre
    pulls with 1 % of what keeps it straight. A hundredth of a millimetre is what it grows from.

    Args:
        share: twist by that of Greenhill's moment.
        ratio: GJ/EI.
        count: edges.
    """
    points = clamped_line(count, np.array([1.0, 0.0, 0.0]))
    points = np.concatenate([points, [[1.0 + 1.0 / count, 0.0, 0.0]]])
    inside = np.clip(points[:, 0], 0.0, 1.0)
    points[:, 1] = 1e-5 * np.sin(np.pi * inside) ** 2
    held = [0, 1, count + 1, count + 2]
    young = 1e7
    body = rod(points, held, radius=0.1, youngs_modulus=young, twist_stiffness=0.5 * ratio * young, damping=1.0)
    scene = Scene((body,), (), FrameRange(1, 200, 1, FRAME), SolverSettings(substeps=40, device="CPU"), np.zeros(3))
    model = build_body(body, scene.settings)
    rods = model.rods
    if rods is None:
        raise ValueError("a strand without rods")
    # the first edge and the last are in the clamps, and all between them have their shares of the twist
    angles = GREENHILL / ratio * share * np.clip((np.arange(count + 2) - 0.5) / count, 0.0, 1.0)
    angles[-1] = GREENHILL / ratio * share
    angles[0] = 0.0
    axes = np.stack([np.cos(0.5 * angles), np.sin(0.5 * angles), 0.0 * angles, 0.0 * angles], axis=1)
    turns = np.array([product(turn, q) for turn, q in zip(axes, rods.rotations, strict=True)])
    clamped = np.flatnonzero(rods.directors >= 0)
    directions = rods.directions.copy()
    for edge in clamped:
        across = model.positions[rods.directors[edge]] - model.positions[rods.edges[edge]].mean(axis=0)
        directions[edge] = rotate(turns[edge] * [1.0, -1.0, -1.0, -1.0], across)
    turned = replace(rods, rotations=turns, directions=directions)
    twisted = replace(model, rods=turned, orientations=rod_orientations(turned))
    places = places_after(Solver(assemble(scene, (twisted,))), 150)[: len(points)]
    return float(np.hypot(places[:, 1], places[:, 2]).max())


def greenhill() -> Result:
    """Built-in ends, one of which may slide, hold a rod straight up to M = 8.987 EI/L, where tan x = x = ML/2EI.

    Greenhill 1883, "On the strength of shafting when exposed both to torsion and to end thrust"; for these ends
    Timoshenko & Gere 1961, "Theory of elastic stability", § 2.21.
    """
    rows: list[Row] = []
    curves = []
    shares = (0.9, 1.1)
    for ratio, count in ((1.0, 40), (2.0, 40), (1.0, 80)):
        below, above = (thick_rod(share, ratio, count) for share in shares)
        name = f"GJ/EI = {ratio:g}, {count} edges"
        rows.append(absolute(f"{name}: bow at 0.9 M [m]", 0.0, below, 1e-3))
        rows.append(
            absolute(f"{name}: bow at 1.1 M, less 2 cm that it has at least [m]", 0.0, min(above - 0.02, 0.0), 1e-9)
        )
        curves.append(Curve(name, shares, (below, above), "o-"))
    return Result(tuple(rows), Plot("M by Greenhill's", "bow [m]", tuple(curves)))


def helix() -> Result:
    """Sag of a close-coiled spring under its weight, W/2k with k = G d⁴/(8 D³ N)."""
    rows: list[Row] = []
    curves = []
    shear, turns, size = 1.42e8, 6, 0.1
    for count in (60, 120):
        share = np.linspace(0.0, 1.0, count)
        angle = 2.0 * np.pi * turns * share
        points = np.stack([size * np.cos(angle), size * np.sin(angle), -share], axis=1)
        body = rod(points, [0, 1], youngs_modulus=2.6 * shear, twist_stiffness=shear, damping=3.0)
        places = places_after(solver_of(body, 120), 120)[:count]
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        stiffness = shear * (2.0 * RADIUS) ** 4 / (8.0 * (2.0 * size) ** 3 * turns)
        weight = DENSITY * np.pi * RADIUS**2 * length * GRAVITY
        rows.append(relative(f"sag of {count} nodes [m]", weight / (2.0 * stiffness), -1.0 - places[-1, 2], 0.1))
        now = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        rows.append(relative(f"length of {count} nodes [m]", length, now, 1e-3))
        curves.append(Curve(f"{count} nodes", places[:, 0], places[:, 2]))
    return Result(tuple(rows), Plot("x [m]", "z [m]", tuple(curves), is_equal=True))


CASES: tuple[Case, ...] = (
    Case("rod_cantilever", "Cantilever rod", "A metre of round rod, clamped at one end, at rest.", cantilever),
    Case("rod_moment", "Rod under end moments", "A straight rod whose ends are turned to an arc.", end_moment),
    Case("rod_twist", "Buckling of a twisted ring", "A ring that is closed after a full turn.", michell),
    Case(
        "rod_shaft",
        "Buckling of a twisted shaft",
        "A straight thick rod between two clamps, one of which is turned about the rod.",
        greenhill,
    ),
    Case("rod_helix", "Helix", "A coil of six turns that hangs from its first edge.", helix),
)
