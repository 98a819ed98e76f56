# SPDX-License-Identifier: GPL-3.0-or-later
"""The material of cloth: stretch, bending, and strips that hang over."""

from __future__ import annotations

import numpy as np

from blender_xpbd.geometry.cholesky import SparseRows

from .case import Case, Curve, Plot, Result, Row, at_most, relative
from .meshes import Floats, Ints, cloth, disc, grid
from .simulation import GRAVITY, held, pulled, settled, start

STRETCH_STIFFNESS = 1000.0
STRIP_ACROSS = 8
# q L³/(EI): tip displacement down and back per length
SELF_WEIGHT = {1: (0.1235, 0.0088), 5: (0.4959, 0.1533), 10: (0.7002, 0.3436), 20: (0.8299, 0.5548)}


def pulled_strip(pattern: str, cells: int, membrane: str = "SPRINGS") -> tuple[float, float]:
    """Young's modulus per given one and Poisson's ratio of a strip of 1 x 0.25 m, pulled by 2 %, in its middle half."""
    length, width, strain = 1.0, 0.25, 0.02
    model = cloth(
        grid(length, width, 4 * cells, cells, pattern),
        stretch_stiffness=STRETCH_STIFFNESS,
        membrane_model=membrane,
        bending_model="NONE",
        damping=80.0,
        area_density=1.0,
    )
    x, y = model.positions[:, 0], model.positions[:, 1]
    end = np.flatnonzero(x > length - 1e-9)
    shares = np.where((y[end] < 1e-9) | (y[end] > width - 1e-9), 0.5, 1.0)
    loaded = pulled(held(model, x < 1e-9), end, shares, (STRETCH_STIFFNESS * width * strain, 0, 0))
    after = settled(start(loaded, 20, 30, 0.02, gravity=(0, 0, 0)), 40, 2e-6)
    low, high, middle = (np.flatnonzero(np.abs(x - place) < 1e-9) for place in (0.25, 0.75, 0.5))
    along = (after[high, 0].mean() - after[low, 0].mean()) / 0.5 - 1.0
    across = np.ptp(after[middle, 1]) / width - 1.0
    return strain / along, -across / along


def stretch() -> Result:
    """Modulus of the network of springs."""
    rows: list[Row] = []
    curves = []
    sizes = (4, 8, 12)
    for pattern, tolerance in (("quads", 0.02), ("crossed", 0.05), ("triangles", 0.05)):
        found = [pulled_strip(pattern, cells) for cells in sizes]
        rows.append(relative(f"Young's modulus per given, {pattern}", 1.0, found[-1][0], tolerance))
        if pattern == "quads":
            rows.append(relative("Poisson's ratio, quads", 1 / 3, found[-1][1], tolerance))
        curves.append(Curve(pattern, sizes, [value for value, _ in found], "o-"))
    for pattern in ("quads", "crossed"):
        # St Venant-Kirchhoff: the force grows with (1 + e)(e + e²/2) of the strain e
        strains = [0.02 / pulled_strip(pattern, cells, "ISOTROPIC")[0] for cells in sizes]
        moduli = [0.02 / ((1.0 + e) * (e + 0.5 * e * e)) for e in strains]
        rows.append(relative(f"Young's modulus per given, {pattern}, membrane", 1.0, moduli[-1], 0.02))
        curves.append(Curve(f"{pattern}, membrane", sizes, moduli, "x--"))
    note = (
        "Pulled along its edges. A network of springs has the Poisson's ratio 1/3. It is isotropic only where its "
        "directions are spread evenly, as with both diagonals of quads while both are drawn out. They resist being "
        "pushed together by a tenth, so pulled along a diagonal quads have 0.81 of the modulus, and flat in shear 0.55 "
        "of it. Triangles are calibrated by the patch test: cut alternately from squares they were 19 % too stiff "
        "before. Cut all the same way they are right along the edges, but shear instead of narrowing. The membrane "
        "models have no such error."
    )
    return Result(tuple(rows), Plot("cells across", "Young's modulus per given", tuple(curves)), note)


def rolled(points: np.ndarray, angle: float, curvature: float) -> np.ndarray:
    """Points of the XY plane on a cylinder that is curved in a direction, without stretch."""
    c, s = np.cos(angle), np.sin(angle)
    u, v = points[:, 0] * c + points[:, 1] * s, points[:, 1] * c - points[:, 0] * s
    along = np.sin(curvature * u) / curvature
    return np.stack([along * c - v * s, along * s + v * c, (1.0 - np.cos(curvature * u)) / curvature], axis=1)


def energy(matrix: SparseRows, points: np.ndarray) -> float:
    """½ xᵀ B x along the three axes [J]."""
    products = (points[matrix.rows] * points[matrix.columns]).sum(axis=1)
    return 0.5 * float((matrix.values * products).sum())


def bending() -> Result:
    """Energy of a cylinder."""
    angles, curvature = np.radians(np.arange(0.0, 180.0, 7.5)), 0.2
    meshes = {
        "equilateral": disc(0.5, 30),
        "triangles": grid(1.0, 1.0, 40, 40, "triangles"),
        "quads": grid(1.0, 1.0, 40, 40, "quads"),
    }
    rows, curves = [], []
    for name, mesh in meshes.items():
        model = cloth(mesh, bending_stiffness=1.0, area_density=1.0)
        if model.plate is None:
            raise ValueError("a flat cloth bends as a plate")
        per_area = 0.5 * curvature**2 * model.masses.sum()
        found = [energy(model.plate.matrix, rolled(model.positions, angle, curvature)) / per_area for angle in angles]
        rows.append(
            relative(f"bending stiffness per given, mean over directions, {name}", 1.0, float(np.mean(found)), 0.05)
        )
        curves.append(Curve(name, np.degrees(angles), found, ".-"))
    note = (
        "Squares cut alternately are not here: every other vertex has no diagonal, and along their diagonals they are "
        "up to a quarter stiffer than along their sides."
    )
    return Result(tuple(rows), Plot("direction [°]", "bending stiffness per given", tuple(curves)), note)


def strip(cells: int) -> tuple[tuple[Floats, Ints, Ints], float]:
    """A strip of equilateral triangles that ends 1 m beyond its clamp, and the length of a cell [m].

    One more cell is in the clamp, whose last column of vertices is at X = 0.
    """
    spacing = 1.0 / cells
    width = STRIP_ACROSS * spacing * 2.0 / np.sqrt(3.0)
    positions, sizes, corners = grid(1.0 + spacing, width, cells + 1, STRIP_ACROSS, "equilateral")
    return (positions - [spacing, 0.0, 0.0], sizes, corners), spacing


def overhang(load: float, cells: int, substeps: int = 60, iterations: int = 60) -> tuple[float, float, np.ndarray]:
    """A strip of 1 m with q L³/(EI) = load, clamped at one end: tip down, tip back [m], and its middle line."""
    mesh, spacing = strip(cells)
    positions = mesh[0]
    stiffness = GRAVITY / load
    clamped, tip = positions[:, 0] < 0.5 * spacing, np.abs(positions[:, 0] - 1.0) < 1e-9
    model = cloth(
        mesh,
        clamped,
        area_density=1.0,
        stretch_stiffness=3e3 * stiffness,
        bending_stiffness=stiffness,
        damping=2.0 * 3.5 * float(np.sqrt(stiffness)),
    )
    after = settled(start(model, substeps, iterations), 48, 1e-4)
    line = after.reshape(cells + 2, STRIP_ACROSS + 1, 3).mean(axis=1)
    return -float(after[tip, 2].mean()), 1.0 - float(after[tip, 0].mean()), line


def strip_cantilever() -> Result:
    """Tip of strips under their own weight."""
    rows, curves = [], []
    finest = 16
    for load, (down, back) in SELF_WEIGHT.items():
        got_down, got_back, line = overhang(load, finest)
        rows.append(relative(f"tip down per length, q L³/(EI) = {load}", down, got_down, 0.05))
        if back > 0.05:
            rows.append(relative(f"tip back per length, q L³/(EI) = {load}", back, got_back, 0.05))
        curves.append(Curve(f"q L³/(EI) = {load}", line[:, 0], line[:, 2], ".-"))
    errors = [abs(overhang(5, cells)[0] / SELF_WEIGHT[5][0] - 1.0) for cells in (4, finest)]
    rows.append(at_most(f"error at {finest} cells per error at 4, q L³/(EI) = 5", 1.0, errors[1] / errors[0]))
    note = (
        "Equilateral triangles, eight across. A plate without lateral contraction has no anticlastic curvature: EI of "
        "a strip is k times its width, however narrow it is."
    )
    return Result(tuple(rows), Plot("x [m]", "z [m]", tuple(curves), is_equal=True), note)


CASES = (
    Case(
        "cloth_stretch",
        "Cloth: stretch stiffness",
        "A strip pulled at its end: force per width and strain against the given stretch stiffness, on three meshes.",
        stretch,
    ),
    Case(
        "cloth_bending",
        "Cloth: bending stiffness",
        "A sheet rolled to a cylinder stores ½ k κ² per area.",
        bending,
        quick=True,
    ),
    Case(
        "strip_cantilever",
        "Cloth: strip over an edge",
        "A strip clamped level bends under its own weight: the elastica, small and large.",
        strip_cantilever,
    ),
)
