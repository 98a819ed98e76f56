# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands with a name: thread, rope, steel wire and locks of hair.

Fibres of a rope and hairs of a lock slide along each other. So a bundle of radius R bends and twists as all its fibres
of radius r side by side: by (r/R)² of what a solid rod of the material does.
"""

from __future__ import annotations

from collections.abc import Mapping

from .parameter import Value

COTTON_YARN = (
    "order of magnitude of spun cotton (Morton & Hearle, Physical Properties of Textile Fibres, 2008); fibres of 15 "
    "micrometres that slide, (r/R)² = 0.001"
)
LAID_ROPE = (
    "order of magnitude of laid ropes (McKenna, Hearle & O'Hear, Handbook of Fibre Rope Technology, 2004); yarns of "
    "0.5 mm that slide, (r/R)² = 0.01"
)
# of a lock of hairs, and of one hair [m]
LOCK_RADIUS = 1e-3
HAIR = (
    "single hair: Young's modulus, shear modulus and density as in Robbins, Chemical and Physical Behavior of Human "
    "Hair (2012), ch. 9; radius as in Loussouarn et al., Int. J. Dermatol. 46, 2007; hairs of a lock slide"
)


def _strand(
    youngs_modulus: float, twist_stiffness: float, density: float, radius: float, bending_share: float
) -> dict[str, Value]:
    return {
        "stiffness_input": "MATERIAL",
        "youngs_modulus": youngs_modulus,
        "twist_stiffness": twist_stiffness,
        "density": density,
        "radius": radius,
        "bending_share": bending_share,
        "internal_damping": 0.5,
        "rest_angle": "MESH",
    }


def _hair(radius: float, rest_angle: str) -> dict[str, Value]:
    share = (radius / LOCK_RADIUS) ** 2
    return {**_strand(4e9, 1e9 * share, 1320.0, LOCK_RADIUS, share), "rest_angle": rest_angle}


# identifier, label, description, values, source
STRAND_VALUES: tuple[tuple[str, str, str, Mapping[str, Value], str], ...] = (
    (
        "THREAD",
        "Thread",
        "Cotton yarn, 1 mm: limp",
        _strand(1e9, 1e6, 900.0, 5e-4, 1e-3),
        COTTON_YARN,
    ),
    (
        "ROPE",
        "Rope",
        "Laid hemp or polyester rope, 1 cm",
        _strand(1e9, 5e6, 900.0, 5e-3, 1e-2),
        LAID_ROPE,
    ),
    (
        "STEEL_WIRE",
        "Steel Wire",
        "Spring steel, 2 mm: springs back",
        _strand(2.06e11, 7.9e10, 7850.0, 1e-3, 1.0),
        "spring steel (EN 10270-1)",
    ),
    ("HAIR_STRAIGHT", "Hair, Straight", "Lock of straight hair, 2 mm; straightens itself", _hair(4e-5, "FLAT"), HAIR),
    (
        "HAIR_WAVY",
        "Hair, Wavy",
        "Lock of wavy hair, 2 mm; keeps the waves that are modelled",
        _hair(3.5e-5, "MESH"),
        HAIR,
    ),
    (
        "HAIR_CURLY",
        "Hair, Curly",
        "Lock of curly hair, 2 mm; keeps the curls that are modelled",
        _hair(4.5e-5, "MESH"),
        HAIR,
    ),
)
