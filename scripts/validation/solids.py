# SPDX-License-Identifier: GPL-3.0-or-later
"""The material of jelly: hanging bars, cantilevers and stretched membranes of tetrahedra."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from blender_xpbd.constraints.neo_hookean import build_neo_hookean

from .beams import DENSITY, ITERATIONS, POISSONS_RATIO, SLENDERNESS, Beam
from .case import Case, Curve, Plot, Result, Row, at_most, relative
from .meshes import jelly, lattice_box
from .simulation import GRAVITY, bare, held, settled, start

MODELS = ("NEO_HOOKEAN", "COROTATED", "SPRINGS")
# over the thickness: to converge from, and of the comparison
LARGE_CELLS = (1, 5)

TIP_LOAD = {1: (0.3017, 0.0564), 2: (0.4935, 0.1606), 5: (0.7138, 0.3876), 10: (0.8106, 0.5550)}
SELF_WEIGHT = {1: (0.1235, 0.0088), 5: (0.4959, 0.1533), 10: (0.7002, 0.3436), 20: (0.8299, 0.5548)}


def self_weight_modulus(load: float) -> float:
    """E of a beam with q L³/(EI) = load [Pa]."""
    return 12.0 * DENSITY * GRAVITY * SLENDERNESS**2 / load


def small_tip_load() -> Result:
    """P L³/(3EI) + P L/(κGA)."""
    load, sizes, slenderness, nu = 0.2, (2, 4, 8), 4, POISSONS_RATIO
    rows: list[Row] = []
    # Timoshenko's shear, with Cowper's κ of a rectangle
    shear = (1.0 + nu) / slenderness**2 / 2.0 * (12.0 + 11.0 * nu) / (10.0 * (1.0 + nu))
    expected = load / 3.0 * (1.0 + shear)
    curves = []
    for model in MODELS:
        beams = [Beam(cells, 1e6, load, model=model, slenderness=slenderness) for cells in sizes]
        found = [-beam.displaced_tip()[2] / expected for beam in beams]
        exact = [beam.linear_tip() / expected for beam in beams]
        rows.append(relative(f"tip down per expected, {sizes[-1]} cells thick, {model}", 1.0, found[-1], 0.05))
        errors = np.abs(np.array(found) - 1.0)
        label = f"error at {sizes[-1]} cells per error at {sizes[0]}, {model}"
        rows.append(at_most(label, 0.5, errors[-1] / errors[0]))
        label = f"tip down per that of the same mesh by a linear solution, {sizes[1]} cells, {model}"
        rows.append(relative(label, 1.0, found[1] / exact[1], 0.05))
        curves += [Curve(model, sizes, found, "o-"), Curve(f"{model}, linear solution", sizes, exact, "x:")]
    note = (
        "Linear tetrahedra are too stiff in bending. By a direct linear solution in float64 a beam of 4 cells is 9 % "
        "too stiff, of 6 cells 5 %, of 8 cells 3 %, whatever solves it. Springs reach that solution. The elastic "
        "tetrahedra are softer by what a substep is too long: 3 % where sound passes one cell in a substep, as here, "
        "6 % at two, 1 % at half a cell, with 20 iterations as with 40."
    )
    return Result(tuple(rows), Plot("cells over the thickness", "tip down per expected", tuple(curves)), note)


def large_tip_load() -> Result:
    """Elastica under a tip load."""
    return _large(
        TIP_LOAD,
        "P L²/(EI)",
        lambda load, cells, model: Beam(cells, 1e6, load, model=model, cells_across=max(2, (cells + 1) // 2)),
    )


def large_self_weight() -> Result:
    """Elastica under its own weight."""
    return _large(
        SELF_WEIGHT,
        "q L³/(EI)",
        lambda load, cells, model: Beam(
            cells, self_weight_modulus(load), has_weight=True, model=model, cells_across=max(2, (cells + 1) // 2)
        ),
    )


def _large(table: Mapping[int, tuple[float, float]], name: str, beam: Callable[[float, int, str], Beam]) -> Result:
    rows: list[Row] = []
    expected = np.array(list(table.values()))
    curves = [
        Curve("down, expected", list(table), expected[:, 0], "k:"),
        Curve("back, expected", list(table), expected[:, 1], "k--"),
    ]
    low, high = LARGE_CELLS
    for model, loads in (("NEO_HOOKEAN", list(table)), ("COROTATED", list(table)[2:3])):
        tips = {load: beam(load, high, model).displaced_tip() for load in loads}
        for load, tip in tips.items():
            down, back = table[load]
            rows.append(relative(f"tip down per length, {name} = {load}, {model}", down, -tip[2], 0.05))
            if back > 0.05:
                rows.append(relative(f"tip back per length, {name} = {load}, {model}", back, -tip[0], 0.05))
        for axis, label in ((2, "down"), (0, "back")):
            curves.append(Curve(f"{label}, {model}", loads, [-tip[axis] for tip in tips.values()], "o"))
    load = list(table)[1]
    errors = [abs(-beam(load, cells, "NEO_HOOKEAN").displaced_tip()[2] / table[load][0] - 1.0) for cells in (low, 3)]
    rows.append(at_most(f"error at 3 cells per error at {low}, {name} = {load}", 0.5, errors[1] / errors[0]))
    return Result(tuple(rows), Plot(name, "tip displacement per length", tuple(curves)))


def hanging_bar() -> Result:
    """ρ g L²/(2E)."""
    modulus = DENSITY * GRAVITY / 0.01
    rows, curves = [], []
    for model in MODELS:
        found, sizes = [], (1, 2, 3)
        for cells in sizes:
            width = 1.0 / SLENDERNESS
            vertices, tetrahedra = lattice_box((width, width, 1.0), (cells, cells, SLENDERNESS * cells))
            speed = float(np.sqrt(modulus / DENSITY))
            body = jelly(
                vertices,
                tetrahedra,
                density=DENSITY,
                youngs_modulus=modulus,
                solid_model=model,
                poissons_ratio=POISSONS_RATIO,
                damping=np.pi * speed,
            )
            top, bottom = vertices[:, 2] > 1.0 - 1e-9, vertices[:, 2] < 1e-9
            h = 0.5 * width / cells / speed
            after = settled(start(held(body, top), 20, ITERATIONS[model], 20 * h), 80, 3e-6)
            drop = float((vertices[bottom, 2] - after[bottom, 2]).mean())
            found.append(drop / (DENSITY * GRAVITY / (2.0 * modulus)))
        rows.append(relative(f"tip down per ρ g L²/(2E), {sizes[-1]} cells thick, {model}", 1.0, found[-1], 0.02))
        curves.append(Curve(model, sizes, found, "o-"))
    return Result(tuple(rows), Plot("cells over the thickness", "tip down per ρ g L²/(2E)", tuple(curves)))


def membrane() -> Result:
    """A/A₀ = (λ̂ + μ) s²/(μ + λ̂ s²)."""
    stretch = 2.0
    expected = {0.1: 1.5094, 0.2: 1.4286, 0.3: 1.3559, 0.4: 1.2903, 0.49: 1.2365}
    got = [stretched_area(ratio, stretch) for ratio in expected]
    rows = [
        relative(f"A/A₀ at s = 2, ν = {ratio}", area, found, 0.01)
        for (ratio, area), found in zip(expected.items(), got, strict=True)
    ]
    ratios = list(expected)
    curves = (Curve("expected", ratios, list(expected.values()), "k:"), Curve("solver", ratios, got, "o"))
    return Result(tuple(rows), Plot("Poisson's ratio", "A/A₀", curves))


def stretched_area(ratio: float, stretch: float) -> float:
    """Area of a membrane that is stretched along X and free along Y, from one tetrahedron.

    With the corners 0, X and Z held, F = diag(s, t, 1) and A/A₀ = s t. The λ of a membrane, E ν/(1 − ν²), is that of a
    solid with Poisson's ratio ν/(1 + ν).
    """
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    block = build_neo_hookean(corners, np.array([[0, 1, 2, 3]], np.int32), 1e4, ratio / (1.0 + ratio))
    solver = start(bare(corners, np.array([0.0, 0, 10.0, 0]), (block,), 20.0), 20, 4, gravity=(0, 0, 0))
    state = solver.checkpoint()
    state["positions"][1, 0] += stretch - 1.0
    solver.restore(0, state)
    return float(stretch * settled(solver, 200, 1e-7, 20)[2, 1])


CASES = (
    Case(
        "neo_hookean_membrane",
        "Stable neo-Hookean membrane",
        "Stretched to twice its length, a membrane narrows to A/A₀ = (λ̂ + μ) s²/(μ + λ̂ s²), λ̂ = λ + μ.",
        membrane,
        quick=True,
    ),
    Case(
        "hanging_bar",
        "Hanging bar",
        "A bar of 1 m hangs from its clamped top and stretches by 0.5 %: ρ g L²/(2E).",
        hanging_bar,
    ),
    Case(
        "cantilever_small",
        "Cantilever, small tip load",
        "A beam of 1 m, four times as long as thick, with P L²/(EI) = 0.2: P L³/(3EI) + P L/(κGA).",
        small_tip_load,
    ),
    Case(
        "cantilever_tip",
        "Cantilever, large tip load",
        "The elastica with a load at its tip.",
        large_tip_load,
    ),
    Case(
        "cantilever_weight",
        "Cantilever, large self-weight",
        "The elastica under its own weight.",
        large_self_weight,
    ),
)
