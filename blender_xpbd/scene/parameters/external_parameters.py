# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a body that say how force fields, air and a push of its own act on it."""

from __future__ import annotations

from ..parameter import Parameter
from ..roles import CLOTH, GRAINS, JELLY, STRAND

PUSH = ("push_x", "push_y", "push_z")

EXTERNAL_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "gravity_factor",
        "Gravity",
        "How strongly gravity acts on this object, by that of the scene: 0 floats, below 0 rises as a balloon does",
        1.0,
        "",
        -1000.0,
        1000.0,
        -1.0,
        2.0,
        roles=(JELLY, CLOTH, STRAND, GRAINS),
        animatable=True,
    ),
    Parameter(
        "force_weight",
        "Force Fields",
        "How strongly force fields and winds act on the object: 0 is not at all",
        1.0,
        "",
        0.0,
        200.0,
        0.0,
        1.0,
        roles=(JELLY, CLOTH, STRAND, GRAINS),
        animatable=True,
    ),
    Parameter(
        "air_drag",
        "Air Drag",
        "Drag coefficient of a face or a strand that stands across the wind: a flat plate and a rope have 1.2, "
        "a hair 3 to 10. Strands bear wind by their thickness",
        1.2,
        "",
        0.0,
        100.0,
        0.0,
        2.0,
        roles=(JELLY, CLOTH, STRAND),
        animatable=True,
    ),
    Parameter(
        "air_lift",
        "Air Lift",
        "How much wind pushes a slanting face across its way: flags wave by it, and paper glides. From 1 on, fine "
        "meshes flutter in small wrinkles",
        0.3,
        "",
        0.0,
        100.0,
        0.0,
        2.0,
        roles=(JELLY, CLOTH),
        animatable=True,
    ),
    *(
        Parameter(
            f"push_{axis}",
            f"Push {axis.upper()}",
            f"Acceleration along the world's {axis.upper()} axis that acts on this object alone, or on the vertices of "
            "its push group; to be animated",
            0.0,
            "m/s²",
            -1e9,
            1e9,
            -100.0,
            100.0,
            roles=(JELLY, CLOTH, STRAND, GRAINS),
            animatable=True,
        )
        for axis in "xyz"
    ),
    Parameter(
        "attraction_weight",
        "Attraction",
        "How strongly the object attracts others and is attracted, by the mass that it has: 0 is not at all",
        1.0,
        "",
        0.0,
        1e9,
        0.0,
        10.0,
        roles=(JELLY, CLOTH, STRAND, GRAINS),
    ),
)
