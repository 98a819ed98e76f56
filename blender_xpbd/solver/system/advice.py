# SPDX-License-Identifier: GPL-3.0-or-later
"""What to do where the substeps do not suit a body: how many would, or why no number of them does."""

from __future__ import annotations

import math

import numpy as np

from ...bodies.body_model import BodyModel
from ...geometry.edges import edge_lengths
from ...scene.settings import SOLVER_PARAMETERS
from .mode import substeps_for_stiffness
from .system import System

MOST_SUBSTEPS = int(next(parameter.maximum for parameter in SOLVER_PARAMETERS if parameter.name == "substeps"))
# share of its mean edge by which gravity moves a jelly on a floor in a substep: cubes of 0.1 mm to 1 m, of the default
# material, kept their shape at the first one, and were crushed from the second on
KEPT_SHARE = 0.007
CRUSHED_SHARE = 0.03


def substeps_for_weight(system: System, model: BodyModel, share: float = KEPT_SHARE) -> int:
    """From how many substeps on gravity moves a body by no more than a share of its mean edge in a substep."""
    lengths = edge_lengths(model.positions, model.edges)
    mean = float(lengths.mean()) if len(lengths) else 0.0
    if mean == 0.0:
        return 0
    gravity = float(np.linalg.norm(system.scene.gravity))
    return math.ceil(system.scene.frames.frame_duration * math.sqrt(gravity / (share * mean)))


def stiffness_advice(system: System) -> str:
    """What is to be told of jelly that is too stiff for the substeps, or "" where it is not."""
    settings = system.scene.settings
    needed = substeps_for_stiffness(system)
    if settings.solver_mode != "XPBD" or settings.iterations > 1 or needed <= settings.substeps:
        return ""
    text = (
        f"Some jelly is so stiff for the size of its cells that {settings.substeps} substeps let it move more than a "
        "tenth too softly; "
    )
    if needed <= MOST_SUBSTEPS:
        return f"{text}about {needed} show it as its material is."
    return (
        f"{text}no number of substeps that can be set shows it as its material is. Make the material softer, the cells "
        "larger (a lower Resolution), or the object as large as it is in reality."
    )


def divergence_advice(system: System, body: int) -> str:
    """What is to be told of a simulation that blew up at a body."""
    model = system.models[body]
    if substeps_for_weight(system, model, CRUSHED_SHARE) <= system.scene.settings.substeps:
        return "The simulation blew up; try more substeps or a softer material."
    needed = substeps_for_weight(system, model)
    larger = "Make the object as large as it is in reality, or its cells or faces larger"
    substeps = f", or take {needed} substeps" if needed <= MOST_SUBSTEPS else ""
    return f"The simulation blew up: gravity moves it too far for its small edges in a substep. {larger}{substeps}."
