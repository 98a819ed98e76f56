# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that the solver is known to miss, and how far off it may be before that is a step back.

Where the script says REACHED, the line here goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .case import Case, Result

# by the case's name and the row's label: a little more than it is off, in the unit of its tolerance
MISSED: Mapping[str, Mapping[str, float]] = {
    "meeting_landing": {
        "path from 1 m/s, quads [m]": 0.28,
        "path from 1 m/s, triangles [m]": 0.28,
        "path from 1 m/s, irregular [m]": 0.31,
    },
    "meeting_stopping": {
        "stopping distance from 1 m/s, irregular [m]": 0.067,
        "stopping distance from 1 m/s, cube [m]": 0.051,
    },
    "product_rebound": {
        "soft, 20 × 1: rise after the impact [m]": 0.13,
    },
    "product_squeezed": {
        "soft, 20 × 1: least volume per that at rest": 0.041,
        "medium, 20 × 1: least volume per that at rest": 0.064,
        "firm, 20 × 1: least volume per that at rest": 0.19,
        "rubber, 20 × 1: least volume per that at rest": 0.46,
    },
    "product_table": {
        "quads, 729 vertices, 20 × 1: 99th percentile of the strain at the end [%]": 3.7,
        "triangles, 729 vertices, 20 × 1: 99th percentile of the strain at the end [%]": 1.7,
        "crossed, 729 vertices, 20 × 1: 99th percentile of the strain at the end [%]": 1.2,
        "quads, 2,601 vertices, 20 × 1: 99th percentile of the strain at the end [%]": 6.7,
        "quads, 729 vertices, round table, 20 × 1: 99th percentile of the strain at the end [%]": 3.2,
    },
    "product_rest": {
        "soft, quads, 20 × 1: way after 10 s [mm]": 27,
        "medium, quads, 20 × 1: way after 10 s [mm]": 24,
        "firm, quads, 20 × 1: way after 10 s [mm]": 54,
        "rubber, quads, 20 × 1: way after 10 s [mm]": 350,
        "medium, rings, 20 × 1: way after 10 s [mm]": 120,
        "medium, coarse, 20 × 1: way after 10 s [mm]": 64,
    },
    "product_bars": {
        "20 cm thick, along an axis, 20 × 1: sag of the tip per theory": 0.27,
        "20 cm thick, rolled by 45°, 20 × 1: sag of the tip per theory": 0.29,
        "20 cm thick, turned by 30°, 20 × 1: sag of the tip per theory": 0.25,
        "20 cm thick, resolution 8, 20 × 1: sag of the tip per theory": 0.49,
        "5 cm thick, 20 × 1: sag of the tip per theory": 0.56,
        "2.5 cm thick, 20 × 1: sag of the tip per theory": 0.69,
    },
    "product_overhang": {
        "denim, quads, 20 × 1: angle [°]": 50,
        "silk, quads, 20 × 1: angle [°]": 52,
        "cotton, triangles, 20 × 1: angle [°]": 50,
        "cotton, crossed, 20 × 1: angle [°]": 51,
        "cotton, quads, 10 cells, 20 × 1: angle [°]": 36,
        "cotton, quads, 20 cells, 20 × 1: angle [°]": 51,
        "cotton, quads, 40 cells, 20 × 1: angle [°]": 55,
    },
    "product_spin": {
        "bar: angular momentum kept after 4 s": 0.51,
        "cross: angular momentum kept after 4 s": 0.52,
        "ball: angular momentum kept after 4 s": 0.53,
    },
}


def judged(case: Case, missed: Mapping[str, Mapping[str, float]] = MISSED) -> Result:
    """Run a case; rows that are known to miss their goal get the bound that they are held to.

    Raises:
        KeyError: a bound is recorded for a row that the case does not have.
    """
    result, bounds = case.run(), missed.get(case.name, {})
    unknown = set(bounds) - {row.label for row in result.rows}
    if unknown:
        raise KeyError(f"{case.name} has no row {min(unknown)!r}; missed_goals.py names one.")
    rows = tuple(replace(row, bound=bounds[row.label]) if row.label in bounds else row for row in result.rows)
    return replace(result, rows=rows)
