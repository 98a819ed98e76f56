# SPDX-License-Identifier: GPL-3.0-or-later
"""In every which substep the bending of plates is solved."""

from __future__ import annotations

from ...scene.scene import Scene

# the longest time from one solve to the next [s]: docs/experiments.md, Bending in every other substep
LONGEST_STEP = 1.0 / 240.0


def plate_interval(scene: Scene) -> int:
    """How many substeps go by from one solve to the next: a divisor of those of a frame.

    Several iterations of one solve, residuals and BDF2 need it in each substep.
    """
    settings = scene.settings
    if settings.iterations > 1 or settings.measure_residual or settings.time_integration == "BDF2":
        return 1
    h = scene.frames.frame_duration / settings.substeps
    # rounding of h must not count
    most = max(int(LONGEST_STEP / h * (1.0 + 1e-9)), 1)
    return max(every for every in range(1, min(most, settings.substeps) + 1) if settings.substeps % every == 0)
