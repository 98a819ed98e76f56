# SPDX-License-Identifier: GPL-3.0-or-later
"""Time to a good result: how long a frame takes at which quality."""

from __future__ import annotations

import itertools
import statistics
from pathlib import Path

import numpy as np

from blender_xpbd.solver.system.statistics import Measure

from .rows import Row
from .scenes import LOOKED_AT, cloth_scene, jelly_scene, strain_columns
from .solver_cases import frame_times, started

# a cloth is good when at frames ``LOOKED_AT`` its mean strain and the 99th percentile are at most so many %
GREATEST_STRAINS = {"mean": 1.0, "p99": 5.0}
# tried one after the other, whatever the size and the method, until the cloth is good
TRIED_SUBSTEPS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80, 120, 160, 240)


def cloth_quality(side: int, device: str, is_plain: bool) -> Row:
    """The rigid cloth at the fewest of ``TRIED_SUBSTEPS`` that make it good.

    Raises:
        RuntimeError: none do.
    """
    for substeps in TRIED_SUBSTEPS:
        row = cloth_strain(side, device, is_plain, substeps)
        if all(row[f"{what} % f{frame}"] <= most for what, most in GREATEST_STRAINS.items() for frame in LOOKED_AT):
            return row
    raise RuntimeError(f"the cloth of {side} x {side} is not good with {TRIED_SUBSTEPS[-1]} substeps either")


def cloth_strain(side: int, device: str, is_plain: bool, substeps: int) -> Row:
    """The rigid cloth: time of frames 2 to 30 and 31 to 60, and its strain."""
    acceleration = "NONE" if is_plain else "HIERARCHY"
    _, solver, row = started(cloth_scene("DISTANCE", substeps, device, side, acceleration=acceleration))
    times: list[float] = []
    strains: Row = {}
    for first, last in itertools.pairwise((0, *LOOKED_AT)):
        times += frame_times(solver, last - first)
        strains |= strain_columns(solver.positions(), side, last)
    method = "plain XPBD" if is_plain else "accelerated"
    return {
        "vertices": side**2,
        "method": method,
        "substeps": substeps,
        **row,
        "ms/frame": 1e3 * statistics.median(times[1:30]),
        "ms/frame 31-60": 1e3 * statistics.median(times[30:]),
        **strains,
    }


def jelly_drop(cells: int, youngs_modulus: float, device: str, substeps: int) -> Row:
    """A cube that falls and bounces: its lowest height and how high its centre comes back."""
    system, solver, row = started(jelly_scene(cells, youngs_modulus, device, substeps=substeps))
    measure = Measure(system)
    times, tops, centres, inverted, volumes = [], [], [], [], []
    for _ in range(24):
        times += frame_times(solver, 1)
        positions = solver.positions() + system.origin
        top = np.argsort(system.positions[:, 2])[-((cells + 1) ** 2) :]
        tops.append(positions[top, 2].mean())
        centres.append(positions[:, 2].mean())
        statistic = dict(zip(measure.names, measure(solver.positions())[0], strict=True))
        inverted.append(statistic["inverted_tetrahedra"])
        volumes.append(statistic["volume_change"])
    # of the first hit, which lies about frame 10: a stiff cube hits the floor again about frame 21
    lowest = int(np.argmin(centres[:16]))
    return {
        "cells": cells,
        "E [Pa]": youngs_modulus,
        "substeps": substeps,
        **row,
        "ms/frame": 1e3 * statistics.median(times[1:]),
        "lowest top [m]": float(min(tops)),
        "lowest centre [m]": float(centres[lowest]),
        "highest centre after [m]": float(max(centres[lowest:])),
        "lowest volume change": float(min(volumes)),
        "inverted at most": float(max(inverted)),
        "inverted at the end": float(inverted[-1]),
    }


def draw_growth(rows: list[Row], path: Path) -> None:
    """Write the plot of cost per frame against vertices, with vertices × log(vertices) through the first point."""
    from validation.case import Curve, Plot
    from validation.plots import draw

    curves = []
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        curves.append(Curve(method, [row["vertices"] for row in mine], [row["ms/frame"] for row in mine], "o-"))
    sizes = np.array([row["vertices"] for row in rows if row["method"] == rows[0]["method"]], float)
    line = sizes * np.log(sizes)
    curves.append(Curve("vertices × log", sizes, line * rows[0]["ms/frame"] / line[0], "k:"))
    draw(Plot("vertices", "ms per frame at equal strain", tuple(curves), is_log_x=True, is_log_y=True), path)
