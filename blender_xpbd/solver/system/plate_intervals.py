# SPDX-License-Identifier: GPL-3.0-or-later
"""In every which substep the bending of plates is solved."""

from __future__ import annotations

from ...scene.scene import Scene

# solves of a frame at least, 1/240 s apart at 24 frames per second. Twice as many take a fifth to a quarter more time
# where cloth hangs, and raise drapes by two points: docs/experiments.md, Solves of bending that know of the one before
FEWEST_SOLVES = 10


def most_plate_interval(scene: Scene) -> int:
    """How many substeps may go by from one solve to the next; what is left at the end of a frame is a shorter interval.

    Several iterations, residuals and BDF2 need each solve in its own substep.
    """
    settings = scene.settings
    if settings.iterations > 1 or settings.measure_residual or settings.time_integration == "BDF2":
        return 1
    return max(settings.substeps // FEWEST_SOLVES, 1)
