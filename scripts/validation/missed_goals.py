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
    "cantilever_tip": {
        "tip back per length, P L²/(EI) = 1, NEO_HOOKEAN": 0.055,
    },
    "product_pressed": {
        "medium, quads: volume per that at rest, J": 0.045,
        "medium, triangles: volume per that at rest, J": 0.07,
        "rubber, quads: volume per that at rest, J": 0.095,
    },
    "product_rest": {
        "rubber, quads: way after 10 s [mm]": 10,
    },
    "rod_twist": {
        "damping 1/s: out of plane at 0.9 √3 [m]": 0.15,
    },
    "heaps": {
        "μ = 0.8: greatest speed [mm/s]": 2.5,
    },
    "large_heaps": {
        "μ = 0.5: greatest speed [mm/s]": 5.0,
    },
    "product_bars": {
        "5 cm thick: sag of the tip per theory": 0.37,
        "2.5 cm thick: sag of the tip per theory": 0.78,
    },
    "meeting_stack": {
        "lean of the top per its height in 10 s, hexagons of 5 cm, jelly firm": 0.004,
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
