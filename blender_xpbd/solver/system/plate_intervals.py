# SPDX-License-Identifier: GPL-3.0-or-later
"""In every which substep the bending of plates may be solved."""

from __future__ import annotations

from ...scene.scene import Scene

# the longest time from one solve to the next [s], that of a default substep. At 1/240 drapes at 20 substeps are half a
# point lower: docs/experiments.md, Bending in every other substep
LONGEST_STEP = 1.0 / 480.0


def plate_intervals(scene: Scene) -> tuple[int, ...]:
    """How many substeps may go by from one solve to the next, in ascending order: divisors of those of a frame.

    Several iterations, residuals and BDF2 need each solve in its own substep.
    """
    settings = scene.settings
    if settings.iterations > 1 or settings.measure_residual or settings.time_integration == "BDF2":
        return (1,)
    h = scene.frames.frame_duration / settings.substeps
    # rounding of h must not count
    most = min(max(int(LONGEST_STEP / h * (1.0 + 1e-9)), 1), settings.substeps)
    return tuple(every for every in range(1, most + 1) if settings.substeps % every == 0)
