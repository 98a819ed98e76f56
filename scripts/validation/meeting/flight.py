# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that nothing holds: contact may change neither the fall of all nor their momentum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Body
from blender_xpbd.solver.solver import Solver

from ..case import Case, Curve, Plot, Result, Row, absolute, relative
from ..meshes import Floats
from ..simulation import GRAVITY, positions_of, run
from .scenes import FRAME, SHEETS, block, masses_of, meeting, set_velocities, sheet

LAYERS, FALLEN = 10, 12
# how fast layers slide over each other, approach and turn [m/s, m/s, 1/s]
SLIDE, APPROACH, TURN = 0.5, 0.2, 3.0


def ten_layers() -> Result:
    """The fall is ½ g t², whatever the layers do to each other."""
    rows: list[Row] = []
    curves = []
    for pattern in SHEETS:
        for substeps, motion in ((20, "alike"), (20, "sliding and closing in"), (20, "turning"), (3, "turning")):
            fallen, expected = _fall(pattern, substeps, motion)
            label = f"fall of {pattern}, {motion}, {substeps} substeps [m]"
            rows.append(relative(label, expected, fallen[-1], 1e-3))
            curves.append(Curve(f"{pattern}, {motion}, {substeps}", np.arange(FALLEN + 1) * FRAME, fallen))
    return Result(tuple(rows), Plot("time [s]", "fall of the centre of mass [m]", tuple(curves)))


def _fall(pattern: str, substeps: int, motion: str) -> tuple[Floats, float]:
    """How far the centre of mass of all layers has fallen at each frame, and is to have in the end [m]."""
    layers = [sheet(f"layer{k}", pattern, 0.5, 9, 0.01 * k) for k in range(LAYERS)]
    solver = meeting(layers, substeps=substeps)
    masses, velocities = masses_of(solver), _velocities(solver, motion)
    velocities = velocities - masses @ velocities / masses.sum()
    set_velocities(solver, velocities)
    heights = [float(masses @ positions_of(solver)[:, 2]) / masses.sum()]
    heights += [float(masses @ run(solver, 1)[:, 2]) / masses.sum() for _ in range(FALLEN)]
    return heights[0] - np.array(heights), 0.5 * GRAVITY * (FALLEN * FRAME) ** 2


def _velocities(solver: Solver, motion: str) -> Floats:
    """What layers do besides falling [m/s], shape (particles, 3)."""
    positions = positions_of(solver)
    if motion == "alike":
        return np.zeros_like(positions)
    if motion == "turning":
        centre = positions.mean(axis=0)
        return np.cross([TURN, 0.0, 0.0], positions - centre)
    layer = np.searchsorted(solver.system.starts, np.arange(len(positions)), side="right") - 1
    side = np.where(layer % 2 == 0, SLIDE, -SLIDE)
    return np.stack([side, 0.0 * side, APPROACH * (1.0 - 2.0 * layer / (LAYERS - 1))], axis=1)


def momentum() -> Result:
    """Two bodies that meet push each other alike."""
    rows: list[Row] = []
    curves = []
    for name, bodies in _couples().items():
        solver = meeting(bodies, gravity=0.0)
        masses = masses_of(solver)
        before = masses @ solver.checkpoint()["velocities"][: len(masses), :3].astype(np.float64)
        speeds = np.linalg.norm(solver.checkpoint()["velocities"][: len(masses), :3], axis=1)
        change, met = [0.0], 0
        for _ in range(8):
            solver.advance()
            counts = solver.contact_counts()
            met = max(met, 0 if counts is None else int(counts[:, 0].max()))
            now = masses @ solver.checkpoint()["velocities"][: len(masses), :3].astype(np.float64)
            change.append(float(np.linalg.norm(now - before) / (masses @ speeds)))
        if not met:
            raise ValueError(f"{name}: nothing has met")
        rows.append(absolute(f"greatest change of momentum per Σ m|v|, {name}", 0.0, max(change), 1e-6))
        curves.append(Curve(name, np.arange(9) * FRAME, change))
    return Result(tuple(rows), Plot("time [s]", "change of momentum per Σ m|v|", tuple(curves)))


def _couples() -> dict[str, list[Body]]:
    """Two bodies that fly towards each other, a little beside."""
    small = [sheet("above", pattern, 0.4, 7, 0.05) for pattern in SHEETS]
    large = [sheet("below", pattern, 0.5, 9) for pattern in SHEETS]
    cube = block("cube", "cube", 0.03)
    couples = {f"cloth and cloth, {name}": [a, b] for name, a, b in zip(SHEETS, large, small, strict=True)}
    couples["cloth and jelly"] = [large[0], cube]
    couples["jelly and jelly, cube and puck"] = [cube, block("puck", "puck", 0.25)]
    couples["jelly and jelly, hexagon and cube"] = [block("hexagon", "hexagon", -0.1), cube]
    velocity = np.array([0.3, 0.1, 2.0])
    return {
        name: [replace(below, velocity=velocity), replace(above, velocity=-velocity)]
        for name, (below, above) in couples.items()
    }


CASES = (
    Case(
        "meeting_fall",
        "Contact between bodies: free fall",
        "Ten layers of cotton, 1 cm apart, fall for half a second: all alike, half of them sliding over the others "
        "while the outer ones close in, and turning by 3 rad/s. Their centre of mass drops by ½ g t².",
        ten_layers,
    ),
    Case(
        "meeting_momentum",
        "Contact between bodies: momentum",
        "Two bodies fly towards each other at 4 m/s, without gravity. What one loses the other gains.",
        momentum,
    ),
)
