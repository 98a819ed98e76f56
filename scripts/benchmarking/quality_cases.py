# SPDX-License-Identifier: GPL-3.0-or-later
"""How well jelly falls and rebounds, and how long a frame takes."""

from __future__ import annotations

import statistics

import numpy as np

from blender_xpbd.solver.system.statistics import Measure

from .rows import Row
from .scenes import jelly_scene
from .solver_cases import frame_times, started


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
