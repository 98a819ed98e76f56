# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that name the vertex groups by which parts of a material are scaled."""

from __future__ import annotations

from ...scene.body import VERTEX_FACTORS
from ...scene.body_kinds import BODY_KINDS
from ...scene.parameter import Parameter

_GROUP_MEANINGS = {
    "stiffness": (
        "Stiffness Group",
        (
            "Vertex group that scales the stretch stiffness: weight 0 is limp, 1 is the material. It divides "
            "compliances and multiplies the shares of PBD mode; what has the compliance 0 is rigid at all weights "
            "above 0"
        ),
    ),
    "bending": (
        "Bending Group",
        (
            "Vertex group that scales the bending stiffness, as the stiffness group does for stretch: weight 0 is "
            "limp, 1 is the material"
        ),
    ),
    "density": ("Weight Group", "Vertex group that scales the density, or the weight per area"),
    "damping": ("Damping Group", "Vertex group that scales the material damping"),
    "pressure": ("Pressure Group", "Vertex group that scales the pressure of what is inside"),
    "push": ("Push Group", "Vertex group of what is pushed: weight 1 takes the whole push. Empty: the whole object"),
    "radius": ("Radius Group", "Vertex group that scales the radius of a strand: tapered tips"),
    "friction": ("Friction Group", "Vertex group that scales the friction: weight 0 is ice, 1 is the material"),
}


def group_property(factor: str) -> str:
    """The attribute of ``Object.xpbd`` that names the vertex group of a factor."""
    return f"{factor}_group"


GROUP_PARAMETERS = tuple(
    Parameter(
        group_property(name),
        *_GROUP_MEANINGS[name],
        "",
        roles=tuple(kind.name for kind in BODY_KINDS if name in kind.vertex_factors),
    )
    for name in VERTEX_FACTORS
)
