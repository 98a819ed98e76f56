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
    "meeting_rebound": {
        "rebound from 0.2 m, e = 0.5, cube [m]": 0.67,
        "rebound from 0.2 m, e = 0.8, cube [m]": 0.47,
        "rebound from 0.2 m, e = 0.5, puck [m]": 0.5,
        "rebound from 0.2 m, e = 0.8, puck [m]": 0.54,
        "rebound from 0.2 m, e = 0.5, hexagon [m]": 1.3,
        "rebound from 0.2 m, e = 0.8, hexagon [m]": 0.24,
    },
    "meeting_stack": {
        "lean of the top per its height in 10 s, cubes of 20 cm, rubber": 1,
        "lean of the top per its height in 10 s, cubes of 5 cm, jelly firm": 1,
        "lean of the top per its height in 10 s, pucks of 5 cm, jelly firm": 1,
        "lean of the top per its height in 10 s, hexagons of 20 cm, rubber": 1,
        "lean of the top per its height in 10 s, hexagons of 5 cm, jelly firm": 1,
    },
    "product_rebound": {
        "soft: rise after the impact [m]": 0.13,
        "rubber: rise after the impact [m]": 0.11,
        "firm: rise after the impact [m]": 0.14,
    },
    "product_pressed": {
        "medium, quads: volume per that at rest, J": 0.17,
        "medium, triangles: volume per that at rest, J": 0.22,
        "rubber, quads: volume per that at rest, J": 0.55,
    },
    "product_table": {
        "quads, 729 vertices: 99th percentile of the strain at the end [%]": 3.7,
        "triangles, 729 vertices: 99th percentile of the strain at the end [%]": 1.7,
        "crossed, 729 vertices: 99th percentile of the strain at the end [%]": 1.2,
        "quads, 2,601 vertices: 99th percentile of the strain at the end [%]": 6.7,
        "quads, 729 vertices, round table: 99th percentile of the strain at the end [%]": 3.4,
    },
    "product_rest": {
        "rubber, quads: way after 10 s [mm]": 36,
    },
    "product_bars": {
        "20 cm thick, rolled by 45°: sag of the tip per theory": 0.08,
        "5 cm thick: sag of the tip per theory": 0.4,
        "2.5 cm thick: sag of the tip per theory": 0.83,
    },
    "product_overhang": {
        "denim, quads: angle [°]": 2.5,
        "silk, quads: angle [°]": 3.5,
        "cotton, triangles: angle [°]": 3.3,
        "cotton, crossed: angle [°]": 3.1,
        "cotton, quads, 10 cells: angle [°]": 4.5,
        "cotton, quads, 20 cells: angle [°]": 2.8,
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
