# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one case in a process of its own: a row of the table, and the picture."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

from blender_xpbd.jobs.version import SOLVER_VERSION

from .cases import CASES
from .pictures import draw_sheet
from .running import run_case


def row_of(name: str, start: int, substeps: int, most_frames: int, pictures: Path | None) -> dict[str, Any]:
    """Run a case from one start in a process of its own: a row of the table."""
    case = next(case for case in CASES if case.name == name)
    case = replace(case, frames=min(case.frames, most_frames))
    judge, seen = run_case(case, start, substeps)
    if pictures and start == 0 and seen.surfaces:
        title = f"{case.name}, {substeps} substeps: {seen.frames_crossed} frames with crossings"
        draw_sheet(judge, seen, title, pictures / f"{case.name}-{substeps}.png")
    return {
        "case": name,
        "substeps": substeps,
        "start": start,
        "frames": case.frames,
        "frames_crossed": seen.frames_crossed,
        "most_crossings": seen.most_crossings,
        "first_crossed": seen.first_crossed,
        "recovered": seen.recovered,
        "frames_told": seen.frames_told,
        "gap_error": 100.0 * seen.gap_error,
        "dip": 100.0 * seen.dip,
        "speed_mm_s": 1e3 * seen.speed,
        "milliseconds": seen.milliseconds,
        "end": "DIVERGED" if seen.diverged else "",
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "solver": SOLVER_VERSION,
    }
