# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's settings as a single body has them."""

from __future__ import annotations

import math
from dataclasses import replace

from ..scene.body import Body
from ..scene.parameters.mode_parameters import takes_shares
from ..scene.settings import SolverSettings


def is_pbd(body: Body, settings: SolverSettings) -> bool:
    """Whether the constraints of a body take shares away, not compliances.

    Args:
        body: whose material may choose a mode of its own.
        settings: of the scene.
    """
    return takes_shares(body.material.solver_mode, settings.solver_mode)


def own_settings(body: Body, settings: SolverSettings) -> SolverSettings:
    """The settings by which the constraints of a body are built: in its own mode.

    A share per iteration is what a share per substep is where there is a single iteration.

    Args:
        body: whose material tells.
        settings: of the scene.
    """
    if not is_pbd(body, settings):
        return settings if settings.solver_mode == "XPBD" else replace(settings, solver_mode="XPBD")
    iterations = 1 if body.material.pbd_per_iteration else settings.iterations
    return replace(settings, solver_mode="PBD", iterations=iterations)


def drag_exponent(body: Body, settings: SolverSettings) -> float:
    """−ln(1 − d) of the share d of its speed that a body in PBD mode loses per substep; 0 in XPBD mode."""
    return -math.log1p(-body.material.pbd_drag) if is_pbd(body, settings) else 0.0
