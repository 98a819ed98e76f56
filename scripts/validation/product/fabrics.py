# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth of the presets: how much it stretches over a table, and how stiffly it bends."""

from __future__ import annotations

import numpy as np
from contact_cases import shapes

from blender_xpbd.scene.presets import preset_values

from .meshes import SHEETS, box_collider, edge_strains, sheet, values
from .probe import AMOUNT, AT_MOST, Measure, Probe, product_case
from .shot import Baked, Shot, Thing

TABLE, CLOTH = 0.8, 1.6
# the part of a strip that is held, and its width [m]; cells along what hangs over
HELD, STRIP, CELLS = 0.005, 0.025, 20
# by ASTM D1388, option A: the bending length is half of what hangs over at this angle [°]
ANGLE = 41.5
# of the converged runs: bending of fine strips converges slowly
MANY = 2560
# likewise of cloth over a table
MANY_OF_TABLES = 480


def tablecloth(kind: str, cells: int, is_round: bool = False) -> Shot:
    """A square of cotton that falls by 2 cm onto a table half as wide."""
    positions, faces = sheet(kind, CLOTH, CLOTH, cells, cells)
    cloth = Thing("Cloth", positions + np.array([-0.5 * CLOTH, 0.0, 0.02]), faces, values("CLOTH", "COTTON"))
    top = box_collider((TABLE, TABLE, 0.1), 0.0)
    if is_round:
        curve = np.array([[0.0, 0.0, -0.1], [0.0, 0.0, 0.0]])
        top = shapes.tube(curve, np.full(2, 0.5 * TABLE), 32)
    return Shot((cloth, Thing("Table", *top, values("COLLIDER"))), 60)


def stretched(baked: Baked) -> float:
    """99th percentile of the strain of all edges at the end [%]."""
    return 100.0 * float(np.percentile(edge_strains(baked.motion[0], baked.motion[-1], baked.faces), 99))


def overhang(preset: str) -> float:
    """Length of a strip of a fabric that hangs down at ``ANGLE``: 2 (B/(w g))^⅓ [m]."""
    fabric = preset_values(preset, "CLOTH")
    return 2.0 * float(float(fabric["bending_stiffness"]) / (float(fabric["area_density"]) * 9.81)) ** (1.0 / 3.0)


def strip(preset: str, kind: str, cells: int = CELLS) -> Shot:
    """A strip of a fabric that is let go level, held where it lies on the edge of a platform at X = 0."""
    length = overhang(preset)
    held_cells = max(2, round(cells * HELD / length))
    cell = length / cells
    across = max(2, round(STRIP / cell))
    positions, faces = sheet(kind, length + held_cells * cell, STRIP, cells + held_cells, across)
    positions = positions - np.array([held_cells * cell, 0.0, 0.0])
    pinned = np.flatnonzero(positions[:, 0] < 1e-3 * cell).astype(np.int32)
    return Shot((Thing("Strip", positions, faces, values("CLOTH", preset), pinned=pinned),), 96)


def angle(baked: Baked) -> float:
    """By how much the line from the edge to the end of the strip points down, mean over the last second [°]."""
    rest = baked.motion[0]
    tip = baked.motion[-24:, rest[:, 0] > rest[:, 0].max() - 1e-6].mean(axis=(0, 1))
    return float(np.degrees(np.arctan2(-tip[2], tip[0])))


STRAIN = Measure("99th percentile of the strain at the end [%]", stretched, 1.0, kind=AT_MOST)
OVERHANG = Measure("angle [°]", angle, ANGLE, 2.0, AMOUNT)

CASES = (
    product_case(
        "product_table",
        "cloth over a table",
        "A square of cotton of 1.6 m falls over a table of 80 cm; nothing is pinned. Its own weight strains cotton by "
        "0.1 % at most.",
        [
            Probe("quads, 729 vertices", tablecloth("quads", 26), (STRAIN,), MANY_OF_TABLES),
            *(Probe(f"{kind}, 729 vertices", tablecloth(kind, 26), (STRAIN,)) for kind in SHEETS[1:]),
            Probe("quads, 2,601 vertices", tablecloth("quads", 50), (STRAIN,), MANY_OF_TABLES),
            Probe("quads, 729 vertices, round table", tablecloth("quads", 26, True), (STRAIN,), MANY_OF_TABLES),
        ],
    ),
    product_case(
        "product_overhang",
        "overhang of fabrics",
        "Strips of 25 mm by ASTM D1388: what hangs over by 2 (B/(w g))^⅓ points down by 41.5°. 20 cells along "
        "it unless told otherwise.",
        [
            *(Probe(f"{name.lower()}, quads", strip(name, "quads"), (OVERHANG,)) for name in ("DENIM", "SILK")),
            *(Probe(f"cotton, {kind}", strip("COTTON", kind), (OVERHANG,)) for kind in SHEETS[1:]),
            *(Probe(f"cotton, quads, {n} cells", strip("COTTON", "quads", n), (OVERHANG,), MANY) for n in (10, CELLS)),
            Probe("cotton, quads, 40 cells", strip("COTTON", "quads", 40), (OVERHANG,)),
        ],
    ),
)
