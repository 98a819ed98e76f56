# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids with a name: gels, rubbers, tissue, foam and clay.

Sources tell Young's modulus and density. Poisson's ratio of what hardly changes its volume is 0.45, because linear
tetrahedra lock as it comes close to 1/2. How fast wobbling calms is chosen by its look.
"""

from __future__ import annotations

from collections.abc import Mapping

from .parameter import Value

GEL = "order of magnitude of gelatin gels and soft silicones (gelatin: Markidou et al., Rev. Sci. Instrum. 76, 2005)"


def _jelly(
    youngs_modulus: float, density: float, internal_damping: float, poissons_ratio: float = 0.45
) -> dict[str, Value]:
    return {
        "stiffness_input": "MATERIAL",
        "solid_model": "NEO_HOOKEAN",
        "poissons_ratio": poissons_ratio,
        "youngs_modulus": youngs_modulus,
        "density": density,
        "internal_damping": internal_damping,
    }


# identifier, label, description, values, source
JELLY_VALUES: tuple[tuple[str, str, str, Mapping[str, Value], str], ...] = (
    ("JELLY_SOFT", "Jelly, Soft", "Wobbly dessert jelly", _jelly(20e3, 1020.0, 0.5), GEL),
    ("JELLY_MEDIUM", "Jelly, Medium", "Gummy, soft silicone", _jelly(60e3, 1050.0, 0.5), GEL),
    ("JELLY_FIRM", "Jelly, Firm", "Ballistic gel, firm silicone", _jelly(200e3, 1100.0, 0.7), GEL),
    (
        "GELATIN",
        "Gelatin",
        "Dessert of 5 to 7 % gelatin: softer than Jelly, Soft",
        _jelly(6e3, 1020.0, 0.5),
        (
            "shear modulus of some 1 to 3 kPa at 5 to 7 % by weight, which grows with the square of the concentration "
            "(order of magnitude; Clark & Ross-Murphy, Adv. Polym. Sci. 83, 1987); E = 3 G"
        ),
    ),
    (
        "SILICONE",
        "Silicone",
        "Soft casting silicone, Shore 00-30: masks, prostheses",
        _jelly(0.12e6, 1070.0, 0.7),
        (
            "data sheet of Ecoflex 00-30 (Smooth-On): 69 kPa at 100 % and 1,070 kg/m³; neo-Hookean, G = 69 "
            "kPa/1.75, E = 3 G"
        ),
    ),
    (
        "GUMMY",
        "Gummy",
        "Fruit gum: chewy, calms soon",
        _jelly(0.15e6, 1350.0, 3.0),
        (
            "order of magnitude of gels of gelatin in sugar syrup of 75 to 80 % (Edwards, The Science of Sugar "
            "Confectionery, 2000; density: sugar syrup of 75 %)"
        ),
    ),
    (
        "MUSCLE",
        "Muscle",
        "Relaxed muscle, across its fibres",
        _jelly(12e3, 1056.0, 3.0),
        (
            "E of relaxed muscle: Engler et al., J. Cell Biol. 166, 877, 2004; density: Ward & Lieber, J. Biomech. 38, "
            "2317, 2005"
        ),
    ),
    (
        "FAT",
        "Fat",
        "Belly, cheeks, breast: the softest of a body",
        _jelly(3.2e3, 920.0, 3.0),
        (
            "Samani et al., Phys. Med. Biol. 52, 1565, 2007 (3.25 kPa); density: Farvid et al., Eur. J. Clin. Nutr. "
            "59, 1051, 2005"
        ),
    ),
    (
        "FOAM",
        "Foam",
        "Cushion of polyurethane foam: light, does not bulge much",
        _jelly(30e3, 30.0, 2.0, 0.3),
        (
            "open cells, E = E_s (ρ/ρ_s)² and ν = 1/3 (Gibson & Ashby, Cellular Solids, 1997), with 45 MPa and 1,200 "
            "kg/m³ of polyurethane at 30 kg/m³"
        ),
    ),
    (
        "RUBBER",
        "Rubber",
        "Natural rubber",
        _jelly(1.5e6, 930.0, 1.0, 0.48),
        "natural rubber, unfilled (Mark, Physical Properties of Polymers Handbook)",
    ),
    (
        "CLAY",
        "Clay",
        "Very soft clay: keeps its dents",
        {**_jelly(0.3e6, 1700.0, 5.0), "yield_strain": 2.0, "creep": 50.0},
        (
            "undrained shear strength of very soft clay, 3 of less than 12 kPa (Terzaghi, Peck & Mesri, Soil "
            "Mechanics in Engineering Practice, 1996): it yields at 6 kPa; E is 100 times the strength"
        ),
    ),
)
