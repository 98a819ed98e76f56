# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewports show of a simulation besides its objects; a bake reads nothing of it."""

from __future__ import annotations

from ...scene.parameter import Parameter

OVERLAY_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("show_pins", "Pins", "Vertices of the pin groups, as strong as their weight", False),
    Parameter("show_goal", "Goal", "Vertices that are drawn to a goal, as strong as their weight", False),
    Parameter("show_floor", "Floor", "A grid at the height of the floor, where there is one", False),
    Parameter("show_cage", "Cage", "Cells of the cage of a jelly, along the edges of its box", False),
    Parameter("show_thickness", "Thickness", "How thick a cloth is where it meets others", False),
    Parameter("show_crossings", "Crossings", "What Select What Crosses found at the start of the last bake", False),
    Parameter(
        "show_strain",
        "Strain, Stress",
        "Colours of the strain, or what a button was pressed for",
        False,
    ),
)
# vertex group of what crosses something at the first frame of the last bake
CROSSINGS = "XPBD Crossings"
OVERLAYS = tuple(parameter.name for parameter in OVERLAY_PARAMETERS)
