# SPDX-License-Identifier: GPL-3.0-or-later
"""The drape test of fabrics."""

from __future__ import annotations

import numpy as np

from blender_xpbd.scene.presets import preset_values

from .case import Case, Curve, Plot, Result, between
from .meshes import cloth, disc
from .shadow import SPECIMEN_RADIUS, SUPPORT_RADIUS, drape_coefficient, outline
from .simulation import GRAVITY, run, start

RANGES = {"SILK": (20.0, 40.0), "COTTON": (60.0, 76.0), "DENIM": (70.0, 90.0), "LEATHER": (47.0, 70.0)}
RINGS, SUBSTEPS, FRAMES, AVERAGED = 20, 240, 60, 8
# a ring is at most so much of a bending length: coarser springs cannot form a fabric's folds, and drape too stiffly
FINENESS = 0.4
# folds fall differently with every start, as they do with every real specimen
SPECIMENS = 3


def rings_of(identifier: str) -> int:
    """How many rings a fabric's disc needs."""
    values = preset_values(identifier, "CLOTH")
    bending_length = (float(values["bending_stiffness"]) / (float(values["area_density"]) * GRAVITY)) ** (1.0 / 3.0)
    return max(RINGS, int(np.ceil(SPECIMEN_RADIUS / (FINENESS * bending_length))))


def draped(
    identifier: str, rings: int = RINGS, substeps: int = SUBSTEPS, seed: int = 0, in_each: bool = False
) -> tuple[float, np.ndarray]:
    """Drape coefficient of a preset [%] and the outline of its shadow [m].

    The plates hold what lies on the support. Velocities of 5 cm/s, the same in every run, break the symmetry. Bending
    is solved ten times a frame, or ``in_each`` substep.
    """
    mesh = disc(SPECIMEN_RADIUS, rings)
    values = {**preset_values(identifier, "CLOTH"), "damping": 3.0}
    model = cloth(mesh, np.linalg.norm(mesh[0][:, :2], axis=1) <= SUPPORT_RADIUS + 1e-6, **values)
    solver = start(model, substeps, in_each=in_each)
    state = solver.checkpoint()
    kicks = np.random.default_rng(seed).normal(0.0, 0.05, len(mesh[0]))
    state["velocities"][:, 2] = np.where(model.pin_weights > 0.0, 0.0, kicks)
    solver.restore(0, state)
    triangles = mesh[2].reshape(-1, 3)
    run(solver, FRAMES - AVERAGED)
    # the last folds still sway a little
    positions = [run(solver, 1) for _ in range(AVERAGED)]
    coefficients = [drape_coefficient(points, triangles) for points in positions]
    return float(np.mean(coefficients)), outline(positions[-1], triangles)


def presets() -> Result:
    """Drape coefficients of the fabrics."""
    rows, curves = [], []
    for identifier, (low, high) in RANGES.items():
        rings = rings_of(identifier)
        substeps = SUBSTEPS * rings // RINGS
        runs = [draped(identifier, rings, substeps, seed) for seed in range(SPECIMENS)]
        coefficient, reach = float(np.mean([value for value, _ in runs])), runs[0][1]
        label = f"drape coefficient of {identifier.lower()}, mean of {SPECIMENS} [%]"
        rows.append(between(label, low, high, coefficient))
        angle = 2.0 * np.pi * (np.arange(len(reach)) + 0.5) / len(reach)
        curves.append(Curve(identifier.lower(), reach * np.cos(angle), reach * np.sin(angle)))
    note = (
        "The bending stiffness of cotton and leather was chosen so that they drape as measured; no measurement of "
        "the very fabric stands behind it. Discs have 20 rings and 240 substeps, or more of both, so that a ring is "
        "at most 0.4 bending lengths wide. Silk needs 32: with 20 it cannot fold finely enough and gives 43 %, with "
        "40 it gives 28 %.\n\nBending is solved ten times a frame, as by default with so many substeps. *Resolution: "
        "drape* tells what a solve in each of them changes."
    )
    return Result(tuple(rows), Plot("x [m]", "y [m]", tuple(curves), is_equal=True), note)


CASES = (
    Case(
        "drape",
        "Drape of the fabrics",
        "A disc of 30 cm over a support of 18 cm (BS 5058, ISO 9073-9): the share of the ring that its shadow covers, "
        "against ranges measured by Cusick's method.",
        presets,
    ),
)
