# SPDX-License-Identifier: GPL-3.0-or-later
"""In every which substep the bending of plates may be solved."""

from __future__ import annotations

from ...scene.scene import Scene

# solves of a frame at least, 1/240 s apart at 24 frames per second. Twice as many cost a third more where substeps are
# many, and change strains and angles by less than their noise: docs/experiments.md, Bending in every other substep
FEWEST_SOLVES = 10


def plate_intervals(scene: Scene) -> tuple[int, ...]:
    """How many substeps may go by from one solve to the next, in ascending order: divisors of those of a frame.

    Several iterations, residuals and BDF2 need each solve in its own substep.
    """
    settings = scene.settings
    if settings.iterations > 1 or settings.measure_residual or settings.time_integration == "BDF2":
        return (1,)
    most = max(settings.substeps // FEWEST_SOLVES, 1)
    return tuple(every for every in range(1, most + 1) if settings.substeps % every == 0)
