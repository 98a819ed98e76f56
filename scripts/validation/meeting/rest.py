# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that land on each other: how high they rebound, how they stand and lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from contact_cases.objects import floor

from blender_xpbd.scene.body import Body
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.substeps import substeps_for_material

from ..case import Case, Curve, Plot, Result, Row, at_most, relative
from ..meshes import Floats
from .friction import lying
from .scenes import BLOCKS, FRAME, SHEETS, THICKNESS, block, block_mesh, centre_of, meeting, sheet, slab, vertices_of

DROP, BOUNCE_FRAME, BOUNCE_FRAMES = 0.2, 1.0 / 120.0, 80
# how far the top of a stack may lean, per its height
LEAN = 0.01
# seconds that a stack is watched, and in which what fell settles; frames over which speed is measured
STANDING, SETTLING, MEASURED = 10, 4, 6
LAYERS = 5
# presets and widths of blocks that do not buckle [m]
STACKED = {"RUBBER": 0.2, "JELLY_FIRM": 0.05}


def rebound() -> Result:
    """e² h."""
    rows: list[Row] = []
    curves = []
    for name in (*SHEETS, *BLOCKS):
        for restitution in (0.5, 0.8):
            heights = _bounce(name, restitution)
            landed = int(np.argmin(heights[:30]))
            label = f"rebound from {DROP:g} m, e = {restitution}, {name} [m]"
            rows.append(relative(label, restitution**2 * DROP, float(heights[landed:].max()), 0.03))
        curves.append(Curve(f"{name}, e = {restitution}", np.arange(len(heights)) * BOUNCE_FRAME, heights))
    return Result(tuple(rows), Plot("time [s]", "height [m]", tuple(curves)))


def _bounce(name: str, restitution: float) -> Floats:
    """Height of the centre of mass over that at contact [m], at each frame."""
    # hard: it rebounds by its restitution alone
    hard = {} if name in SHEETS else {"youngs_modulus": 1e9}
    body = lying(name, DROP + THICKNESS, restitution=restitution, friction=0.0, **hard)
    solver = meeting([slab(), body], frame=BOUNCE_FRAME)
    start = centre_of(solver, 1)[2]
    heights = [DROP]
    for _ in range(BOUNCE_FRAMES):
        solver.advance()
        heights.append(DROP + centre_of(solver, 1)[2] - start)
    return np.array(heights)


def stack() -> Result:
    """Five blocks on each other stay there."""
    rows: list[Row] = []
    curves = []
    for shape in BLOCKS:
        for preset, size in STACKED.items():
            storey = float(np.ptp(block_mesh(shape, size)[0][:, 2])) + THICKNESS
            tall = [block(f"block{k}", shape, THICKNESS + k * storey, preset, size) for k in range(LAYERS)]
            substeps = substeps_for_material(meeting(tall, [floor()]).system)
            solver = meeting(tall, [floor()], substeps=substeps)
            start = centre_of(solver, LAYERS - 1)
            leans = [0.0]
            for _ in range(24 * STANDING):
                solver.advance()
                leans.append(float(np.linalg.norm((centre_of(solver, LAYERS - 1) - start)[:2]) / start[2]))
            label = f"{shape}s of {100 * size:g} cm, {preset.lower().replace('_', ' ')}"
            row = at_most(f"lean of the top per its height in {STANDING} s, {label}", LEAN, min(max(leans), 1.0))
            rows.append(replace(row, settings=f"{substeps} substeps"))
            curves.append(Curve(label, np.arange(len(leans)) * FRAME, leans))
    note = (
        "Blocks of 20 cm of softer presets buckle under their own weight: a column of cubes stands where its height is "
        "less than (7.8 E I/(ρ g A))^⅓, which five cubes of medium jelly exceed from 3 cm on, of firm jelly from 10 cm."
    )
    return Result(tuple(rows), Plot("time [s]", "lean of the top per its height", tuple(curves)), note)


def lying_still() -> Result:
    """Gap and speed of what has come to rest."""
    rows: list[Row] = []
    curves = []
    for name in (*SHEETS, *BLOCKS):
        count = LAYERS if name in SHEETS else 1
        bodies: list[Body] = [slab()]
        for k in range(count):
            height = THICKNESS + 0.01 + 0.012 * k
            bodies.append(sheet(f"layer{k}", name, 0.3, 8, height) if name in SHEETS else lying(name, height))
        solver = meeting(bodies)
        for _ in range(24 * SETTLING - MEASURED):
            solver.advance()
        speeds = []
        for _ in range(MEASURED):
            before = _vertices(solver, count)
            solver.advance()
            speeds.append(np.linalg.norm(_vertices(solver, count) - before, axis=1) / FRAME)
        gaps = _gaps(solver, count)
        what = f"{LAYERS} sheets, {name}" if name in SHEETS else name
        furthest = gaps[np.argmax(np.abs(gaps - THICKNESS))]
        rows.append(relative(f"gap at rest, furthest off, {what} [m]", THICKNESS, float(furthest), 0.05))
        rows.append(
            at_most(f"99th percentile of the speed at rest, {what} [m/s]", 1e-4, float(np.percentile(speeds, 99)))
        )
        curves.append(Curve(what, np.arange(len(gaps)), gaps / THICKNESS, "o-"))
    return Result(tuple(rows), Plot("gap, from below", "gap per thickness", tuple(curves)))


def _vertices(solver: Solver, count: int) -> Floats:
    """Of all bodies but the slab [m]."""
    return np.concatenate([vertices_of(solver, 1 + k) for k in range(count)])


def _gaps(solver: Solver, count: int) -> Floats:
    """Mean gaps, of the lowest body first [m]; of a block that of its lower side."""
    places = [vertices_of(solver, 1 + k)[:, 2] for k in range(count)]
    if count == 1:
        rest = solver.system.models[1].body.positions[:, 2]
        return np.array([places[0][rest < rest.min() + 1e-6].mean()])
    return np.diff([0.0, *(float(heights.mean()) for heights in places)])


CASES = (
    Case(
        "meeting_rebound",
        "Contact between bodies: rebound",
        "A sheet or a hard block dropped from 0.2 m onto rubber that is held rises to e² h.",
        rebound,
    ),
    Case(
        "meeting_stack",
        "Contact between bodies: a stack",
        f"Five blocks stand on each other for {STANDING} s, at the substeps that *By Material* chooses. The greatest "
        "lean counts; 1 is one that has fallen.",
        stack,
    ),
    Case(
        "meeting_rest",
        "Contact between bodies: at rest",
        f"Five sheets, or a block, fall by a centimetre onto rubber that is held: gaps and speeds after {SETTLING} s.",
        lying_still,
    ),
)
