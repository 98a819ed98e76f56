# SPDX-License-Identifier: GPL-3.0-or-later
"""What to do where the substeps do not suit a body: how many would, or why no number of them does."""

from __future__ import annotations

from ...scene.settings import EFFORTS, SolverSettings
from .substeps import (
    CRUSHED_SHARE,
    MOST_SUBSTEPS,
    substeps_for_cloth,
    substeps_for_piles,
    substeps_for_stiffness,
    substeps_for_weight,
    substeps_needed,
)
from .system import System


def stiffness_advice(system: System) -> str:
    """What is to be told of jelly too stiff or too fast for the substeps, or of grains too small, or ""."""
    settings = system.scene.settings
    # that a draft rebounds too low is by choice; that it bends as another material does is told
    needed = substeps_for_stiffness(system) if settings.quality == "DRAFT" else substeps_needed(system)
    if settings.solver_mode != "XPBD" or settings.iterations > 1 or needed <= settings.substeps:
        return ""
    if substeps_for_piles(system) == needed:
        text = f"Some grains are so small that in a pile {settings.substeps} substeps let them sink into each other; "
        return f"{text}about {needed} hold them apart.{_way_to(needed, settings)}"
    text = (
        f"Some jelly is so stiff, or so fast, for the size of its cells that {settings.substeps} substeps let it bend "
        "and yield too softly, and rebound too low; "
    )
    if needed > MOST_SUBSTEPS:
        return (
            f"{text}no number of substeps that can be set shows it as its material is. Make the material softer, the "
            "cells larger (a lower Resolution), or the object as large as it is in reality."
        )
    return f"{text}about {needed} show it as its material is.{_way_to(needed, settings)}"


def stretch_advice(system: System) -> str:
    """What is to be told of cloth that the limit of a quality by material lets stretch, or "" where it does not."""
    settings = system.scene.settings
    needed = substeps_for_cloth(system)
    is_limited = settings.quality in EFFORTS and needed > settings.maximum_substeps
    if not is_limited or needed <= settings.substeps:
        return ""
    text = f"Some cloth has such short edges that its weight stretches it with {settings.substeps} substeps; "
    if needed > MOST_SUBSTEPS:
        return f"{text}no number of substeps that can be set shows it as its material is. Make its faces larger."
    return f"{text}about {needed} show it as its material is. Raise At Most to allow them."


def _way_to(needed: int, settings: SolverSettings) -> str:
    """Where a quality that goes by the materials gets so many substeps."""
    if settings.quality not in EFFORTS:
        return ""
    if settings.quality == "DRAFT" and needed <= settings.maximum_substeps:
        return " Normal takes as many."
    return " Raise At Most to allow them."


def divergence_advice(system: System, body: int) -> str:
    """What is to be told of a simulation that blew up at a body."""
    model = system.models[body]
    if substeps_for_weight(system, model, CRUSHED_SHARE) <= system.scene.settings.substeps:
        return "The simulation blew up; try more substeps or a softer material."
    needed = substeps_for_weight(system, model)
    larger = "Make the object as large as it is in reality, or its cells or faces larger"
    substeps = f", or take {needed} substeps" if needed <= MOST_SUBSTEPS else ""
    return f"The simulation blew up: gravity moves it too far for its small edges in a substep. {larger}{substeps}."
