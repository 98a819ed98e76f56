# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds cloth where its springs do not: greatest stretch and tethers."""

from __future__ import annotations

import numpy as np

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameter import Value
from blender_xpbd.scene.settings import SolverSettings

from .case import Case, Curve, Plot, Result, Row, absolute, at_most, relative
from .meshes import Floats, cloth, grid
from .simulation import GRAVITY, held, run, settled, start


def hung(cells: int, substeps: int, iterations: int, frames: int, **values: Value) -> tuple[Floats, Floats]:
    """A sheet of 1 x 0.25 m and 1 kg/m² along X that hangs down by its end: rest and final positions [m]."""
    positions, sizes, corners = grid(1.0, 0.25, 4 * cells, cells, "quads")
    model = cloth((positions, sizes, corners), area_density=1.0, bending_model="NONE", damping=12.0, **values)
    solver = start(held(model, positions[:, 0] < 1e-9), substeps, iterations, gravity=(GRAVITY, 0.0, 0.0))
    return positions, settled(solver, frames, 1e-6)


def columns(points: Floats, cells: int) -> Floats:
    """Mean X across the sheet, from the held end [m], shape (4 · cells + 1,)."""
    along: Floats = points.reshape(4 * cells + 1, cells + 1, 3)[:, :, 0].mean(axis=1)
    return along


def greatest_stretch() -> Result:
    """The strain of a hanging sheet is min(ρ g y / k, s)."""
    stiffness, limit, cells = 20.0, 0.1, 4
    rest, after = hung(
        cells, 40, 20, 80, stretch_stiffness=stiffness, membrane_model="ISOTROPIC", greatest_stretch=100.0 * limit
    )
    x, got = columns(rest, cells), columns(after, cells)
    below = 1.0 - 0.5 * (x[1:] + x[:-1])
    # St Venant-Kirchhoff: the force per width is k (1 + e)(e + e²/2) where nothing narrows
    strain = np.diff(got) / np.diff(x) - 1.0
    free = np.array([_stretch_under(GRAVITY * weight / stiffness) for weight in below])
    expected = np.minimum(free, limit)
    rows = (
        absolute("greatest strain of an edge along the sheet", limit, float(strain.max()), 1e-3),
        relative("length at rest [m]", 1.0 + float((expected * np.diff(x)).sum()), float(got[-1]), 2e-3),
        absolute("greatest difference of the strain from min(free, limit)", 0.0, _worst(strain, expected), 5e-3),
    )
    curves = (
        Curve("without a limit", below, free, "k:"),
        Curve("expected", below, expected, "k--"),
        Curve("solver", below, strain, "o"),
    )
    return Result(rows, Plot("length below [m]", "strain along the sheet", curves))


def _stretch_under(force: float) -> float:
    """Strain e with (1 + e)(e + e²/2) = force."""
    roots = np.roots([0.5, 1.5, 1.0, -force])
    return float(min(root.real for root in roots if abs(root.imag) < 1e-9 and root.real >= -1e-12))


def _worst(got: Floats, expected: Floats) -> float:
    return float(np.abs(got - expected).max())


def tethers() -> Result:
    """Reach of a stiff sheet with few substeps, with and without."""
    rows: list[Row] = []
    sizes = (4, 8, 16)
    reaches: dict[bool, list[float]] = {}
    for used in (True, False):
        reaches[used] = []
        for cells in sizes:
            positions, faces, corners = grid(1.0, 0.25, 4 * cells, cells, "quads")
            material = Material(
                area_density=1.0,
                stretch_stiffness=1e5,
                bending_model="NONE",
                damping=6.0,
                internal_damping=0.0,
                use_tethers=used,
                tether_slack=1.0,
            )
            pinned = np.flatnonzero(positions[:, 0] < 1e-9).astype(np.int32)
            pins = Pins(pinned, np.ones(len(pinned), np.float32), positions[None, pinned])
            body = Body("b0", "Sheet", "CLOTH", positions, faces, corners, material, pins)
            # what tethers do to plain sweeps: with coarse levels there would be little left for them
            model = build_body(body, SolverSettings(acceleration="NONE"))
            solver = start(model, 10, gravity=(GRAVITY, 0.0, 0.0))
            reaches[used].append(float(columns(run(solver, 48), cells)[-1]))
    # the stiffness itself lets it stretch by ρ g L²/(2k)
    longest = 1.0 + GRAVITY / 2e5
    rows.append(relative(f"reach with tethers, {4 * sizes[-1]} cells long [m]", longest, reaches[True][-1], 0.01))
    rows.append(at_most("spread of the reach with tethers", 0.01, float(np.ptp(reaches[True]))))
    rows.append(
        at_most(
            "stretch with tethers per stretch without, finest", 0.1, (reaches[True][-1] - 1) / (reaches[False][-1] - 1)
        )
    )
    curves = tuple(
        Curve(name, np.array(sizes) * 4, reaches[used], "o-")
        for used, name in ((True, "tethers"), (False, "no tethers"))
    )
    return Result(tuple(rows), Plot("cells along", "reach of the lower end [m]", curves))


CASES = (
    Case(
        "greatest_stretch",
        "Cloth: greatest stretch",
        "A sheet of 20 N/m hangs by its end and may stretch by 10 %: lower down by its weight, higher up by the limit.",
        greatest_stretch,
    ),
    Case(
        "tethers",
        "Cloth: tethers",
        "A stiff sheet hangs by its end, 10 substeps of one iteration: too few for its springs.",
        tethers,
    ),
)
