# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb friction between bodies: what sticks, what slides, and how far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Body
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.substeps import substeps_for_material

from ..case import Case, Curve, Plot, Result, Row, at_most, relative
from ..meshes import Floats
from ..simulation import GRAVITY
from .scenes import BLOCKS, FRAME, SHEETS, SIZE, THICKNESS, block, centre_of, meeting, sheet, slab, tilting

FRICTION = 0.5
# of the coefficient of friction: just too little to slide, and just enough
STICKS, SLIDES = 0.98, 1.02
# what lies still moves by no more in a quarter of a second [m]; what slides goes 5 mm further than in the one before
STILL = 1e-3
# frames in which the slope rises, and is watched
RISING, WATCHED = 24, 24
# along the slab [m/s], and how far above it what lands on it begins [m]
SPEED, FALL = 1.0, 0.05
# how long a body is watched for creeping [s], and on which slope [tan θ per μ]
CREEP, CREEP_SLOPE = 60, 0.9


def lying(name: str, height: float = THICKNESS, **values: float) -> Body:
    """A sheet or a block at a height over the slab, by the name of its mesh."""
    if name in SHEETS:
        return sheet("above", name, 0.2, 6, height, **values)
    return block("above", name, height, "RUBBER", SIZE, **values)


def path_on_slope(name: str, tangent: float, substeps: int, iterations: int, frames: int) -> Floats:
    """How far a body goes down a slab that rises to a slope in a second [m], after it has risen, at each frame."""
    share = np.minimum(np.arange(RISING + frames + 1) / RISING, 1.0)
    bodies = [slab(friction=FRICTION), lying(name, friction=FRICTION)]
    tracks = tilting(np.arctan(tangent) * share)
    solver = meeting(bodies, tracks=tracks, substeps=substeps, iterations=iterations)
    return path_of(solver, RISING + frames)[RISING:]


def substeps_of(name: str) -> int:
    """20 for a sheet; for a block those that *By Material* chooses, for with 20 one on six corners walks down."""
    if name in SHEETS:
        return 20
    return substeps_for_material(meeting([slab(), lying(name)]).system)


def path_of(solver: Solver, frames: int) -> Floats:
    """How far the second body has gone along X [m], shape (frames + 1,)."""
    places = [centre_of(solver, 1)[0]]
    for _ in range(frames):
        solver.advance()
        places.append(centre_of(solver, 1)[0])
    return np.array(places) - places[0]


def stick_and_slide() -> Result:
    """Slips if and only if tan θ > μ."""
    rows: list[Row] = []
    curves = []
    angle = np.arctan(SLIDES * FRICTION)
    # of paths in two quarters of a second one after the other
    expected = GRAVITY * (np.sin(angle) - FRICTION * np.cos(angle)) * 0.25**2
    for name in (*SHEETS, *BLOCKS):
        substeps = substeps_of(name)
        for iterations in (1, 4):
            label = f"{name}, {'1 iteration' if iterations == 1 else f'{iterations} iterations'}"
            path = path_on_slope(name, STICKS * FRICTION, substeps, iterations, WATCHED)
            row = at_most(f"sticks at {STICKS} μ, {label}: path in ¼ s [m]", STILL, path[24] - path[18])
            rows.append(replace(row, settings=f"{substeps} substeps"))
            curves.append(Curve(f"{label}, {STICKS} μ", np.arange(WATCHED + 1) * FRAME, path))
            path = path_on_slope(name, SLIDES * FRICTION, substeps, iterations, WATCHED)
            gained = path[24] - 2.0 * path[18] + path[12]
            row = relative(f"slides at {SLIDES} μ, {label}: gain of path in ¼ s [m]", expected, gained, 0.5)
            rows.append(replace(row, settings=f"{substeps} substeps"))
            curves.append(Curve(f"{label}, {SLIDES} μ", np.arange(WATCHED + 1) * FRAME, path, "--"))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves[:: len(curves) // 12])))


def stopping() -> Result:
    """v²/(2 μ g)."""
    rows: list[Row] = []
    curves = []
    expected = SPEED**2 / (2.0 * FRICTION * GRAVITY)
    for name in (*SHEETS, *BLOCKS):
        body = replace(lying(name, friction=FRICTION), velocity=np.array([SPEED, 0.0, 0.0]))
        path = path_of(meeting([slab(friction=FRICTION), body]), 16)
        rows.append(relative(f"stopping distance from {SPEED:g} m/s, {name} [m]", expected, path[-1], 0.03))
        curves.append(Curve(name, np.arange(17) * FRAME, path))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves)))


def landing() -> Result:
    """V √(2h/g) + (v − μ √(2gh))²/(2 μ g): what lands is braked by μ times the impulse that stops its fall."""
    rows: list[Row] = []
    curves = []
    speed_left = SPEED - FRICTION * np.sqrt(2.0 * GRAVITY * FALL)
    expected = SPEED * np.sqrt(2.0 * FALL / GRAVITY) + speed_left**2 / (2.0 * FRICTION * GRAVITY)
    for name in SHEETS:
        body = replace(lying(name, THICKNESS + FALL, friction=FRICTION), velocity=np.array([SPEED, 0.0, 0.0]))
        path = path_of(meeting([slab(friction=FRICTION), body]), 24)
        rows.append(relative(f"path from {SPEED:g} m/s, {name} [m]", expected, path[-1], 0.03))
        curves.append(Curve(name, np.arange(25) * FRAME, path))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves)))


def creep() -> Result:
    """What sticks stays where it is."""
    rows: list[Row] = []
    curves = []
    for name in (*SHEETS, *BLOCKS):
        substeps = substeps_of(name)
        path = path_on_slope(name, CREEP_SLOPE * FRICTION, substeps, 1, 24 * (CREEP + 1))[24:]
        row = at_most(f"greatest path in {CREEP} s, {name} [m]", 1e-4, float(np.abs(path - path[0]).max()))
        rows.append(replace(row, settings=f"{substeps} substeps"))
        curves.append(Curve(name, np.arange(len(path)) * FRAME, path - path[0]))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves)))


CASES = (
    Case(
        "meeting_slope",
        "Contact between bodies: sticking and sliding",
        f"A sheet or a rubber block lies on rubber that is held, μ = {FRICTION}, and rises to a slope in a second. At "
        f"tan θ = {STICKS} μ it sticks, at {SLIDES} μ it slides with g (sin θ − μ cos θ), here to within a half. "
        "Blocks have the substeps that *By Material* chooses.",
        stick_and_slide,
    ),
    Case(
        "meeting_stopping",
        "Contact between bodies: stopping distance",
        "On level rubber that is held a body that slides stops after v²/(2 μ g).",
        stopping,
        quick=True,
    ),
    Case(
        "meeting_landing",
        "Contact between bodies: landing",
        f"A sheet with {SPEED:g} m/s along level rubber falls on it from {100 * FALL:g} cm. The friction of the impact "
        "takes μ √(2gh) of its speed, and that of sliding the rest.",
        landing,
    ),
    Case(
        "meeting_creep",
        "Contact between bodies: creep",
        f"What sticks on a slope with tan θ = {CREEP_SLOPE} μ does not creep. The first second on it is left out.",
        creep,
    ),
)
