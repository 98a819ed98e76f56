# SPDX-License-Identifier: GPL-3.0-or-later
"""A strip that a moment at its end rolls up to an arc, at last to a ring."""

from __future__ import annotations

import numpy as np

from .case import Case, Curve, Plot, Result, Row, absolute
from .cloths import STRIP_ACROSS, strip
from .meshes import Floats, cloth
from .simulation import FAR, pulled, run, start

CELLS = 16
FRAMES = 120


def column_shares(y: Floats) -> Floats:
    """Part of the width that each vertex of a column stands for [m]."""
    middle = 0.5 * (y[1:] + y[:-1])
    ends: Floats = np.diff(np.concatenate([[y[0]], middle, [y[-1]]]))
    return ends


def rolled_up(angle: float) -> tuple[Floats, float]:
    """The middle line of a strip of unit bending stiffness under M = angle · EI/L, and L [m].

    A couple of forces on the last two columns turns with the strip. Every fold bears the moment, the last one on the
    column before the last, so the arc ends half a cell before the strip does.
    """
    mesh, spacing = strip(CELLS)
    positions, count = mesh[0], len(mesh[0])
    clamped = positions[:, 0] < 0.5 * spacing
    model = cloth(mesh, clamped, area_density=1.0, stretch_stiffness=3e3, bending_stiffness=1.0, damping=8.0)
    length, width = 1.0 - 0.5 * spacing, float(np.ptp(positions[:, 1]))
    columns = np.arange(count).reshape(CELLS + 2, STRIP_ACROSS + 1)
    force = angle * width / length / spacing
    for column, sign in ((columns[-1], 1.0), (columns[-2], -1.0)):
        model = pulled(model, column, column_shares(positions[column, 1]), (0.0, 0.0, sign * force))
    loaded = np.concatenate([columns[-1], columns[-2]])
    signs = np.repeat([1.0, -1.0], STRIP_ACROSS + 1)[:, None]
    solver = start(model, 60, 20, gravity=(0.0, 0.0, 0.0))
    for _ in range(FRAMES):
        run(solver, 1)
        state = solver.checkpoint()
        places = state["positions"]
        along = places[columns[-1], :3].mean(axis=0) - places[columns[-2], :3].mean(axis=0)
        normal = np.array([-along[2], 0.0, along[0]]) / np.hypot(along[0], along[2])
        places[count:, :3] = places[loaded, :3] + FAR * signs * normal
        solver.restore(0, state)
    line = (solver.positions()[:count] + solver.system.origin).reshape(CELLS + 2, STRIP_ACROSS + 1, 3).mean(axis=1)
    return line, length


def end_moment() -> Result:
    """u/L = sin t / t − 1 and v/L = (1 − cos t)/t."""
    rows: list[Row] = []
    curves = []
    for name, t in (("π/2", np.pi / 2), ("π", np.pi), ("2π", 2 * np.pi)):
        line, length = rolled_up(t)
        tip = 0.5 * (line[-1] + line[-2]) / length
        rows.append(absolute(f"tip back per length, t = {name}", np.sin(t) / t - 1.0, tip[0] - 1.0, 0.05))
        rows.append(absolute(f"tip up per length, t = {name}", (1.0 - np.cos(t)) / t, tip[2], 0.05))
        s = np.linspace(0.0, 1.0, 200) * t
        curves.append(Curve(f"t = {name}", line[:, 0] / length, line[:, 2] / length, "o-"))
        curves.append(Curve("", np.sin(s) / t, (1.0 - np.cos(s)) / t, "k:"))
    return Result(tuple(rows), Plot("x per length", "z per length", tuple(curves), is_equal=True))


CASES = (
    Case(
        "end_moment",
        "Cloth: strip under an end moment",
        "A moment M at the end of a strip, t = M L/EI, bends it to an arc of the angle t; t = 2π closes the ring.",
        end_moment,
    ),
)
