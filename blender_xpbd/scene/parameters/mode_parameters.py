# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a body that say how its stiffness is given to the solver."""

from __future__ import annotations

from ..parameter import Choice, Parameter
from ..roles import CLOTH, JELLY

SCENE_MODE = "SCENE"
BODY_MODES = (
    Choice(SCENE_MODE, "As Scene", "The mode of the scene's solver"),
    Choice("XPBD", "XPBD", "Stiffness in physical units, independent of substeps and iterations"),
    Choice("PBD", "PBD", "Stiffness from 0 to 1 per substep, without units"),
)

MODE_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "solver_mode",
        "Mode",
        "How the stiffness of this object is given. Objects of both modes can be in one bake",
        SCENE_MODE,
        choices=BODY_MODES,
        roles=(JELLY, CLOTH),
    ),
    Parameter(
        "pbd_per_iteration",
        "Stiffness per Iteration",
        "PBD mode: each iteration takes the whole share away, so that more iterations are stiffer, as in the original "
        "method. Otherwise the iterations of a substep take it away together",
        False,
        roles=(JELLY, CLOTH),
    ),
    Parameter(
        "pbd_drag",
        "Drag per Substep",
        "PBD mode: share of the speed that is lost in each substep, gravity's included. More substeps slow it more",
        0.0,
        "",
        0.0,
        0.99,
        0.0,
        0.1,
        roles=(JELLY, CLOTH),
    ),
)


def takes_shares(own: str, of_scene: str) -> bool:
    """Whether a body of a mode of its own, in a scene of another, is simulated in PBD mode."""
    return (of_scene if own == SCENE_MODE else own) == "PBD"
