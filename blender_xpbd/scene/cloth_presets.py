# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics and other sheets with a name.

Where a bending length c is told, the bending stiffness is w g c³ of a sheet of weight w per area (Peirce, J. Text.
Inst. 21, T377, 1930; ASTM D1388): twice c hangs over an edge at 41.5°. Stretch stiffness is that of the first per cent,
an order of magnitude.
"""

from __future__ import annotations

from collections.abc import Mapping

from .parameter import Value

KAWABATA = (
    "order of magnitude of KES-F measurements (Kawabata, The Standardization and Analysis of Hand Evaluation, 1980)"
)
SHEEP_LEATHER = (
    "thickness and drape of sheep garment leather (Memon et al., Materials 14, 4553, 2021: 0.64 to 0.96 mm, drape "
    "coefficient 47 to 70 %); the bending stiffness is the one that drapes so"
)
DRAPED_COTTON = f"{KAWABATA}; within it, the bending stiffness that drapes as cotton does, 60 to 76 %"
# Newtons per kilogram
_GRAVITY = 9.81


def _cloth(area_density: float, stretch_stiffness: float, bending_stiffness: float) -> dict[str, Value]:
    return {
        "stiffness_input": "MATERIAL",
        "area_density": area_density,
        "stretch_stiffness": stretch_stiffness,
        "bending_stiffness": bending_stiffness,
        "bending_model": "DIHEDRAL",
        "internal_damping": 1.0,
    }


def _cantilever(millimetres: float, weight: str) -> str:
    """Source of a fabric whose bending stiffness is told by a bending length."""
    return (
        f"{weight}; bending length {millimetres:g} mm, order of magnitude of cantilever tests (Peirce, J. Text. Inst. "
        "21, T377, 1930; Booth, Principles of Textile Testing, 1968)"
    )


def _bent(area_density: float, millimetres: float) -> float:
    """Bending stiffness w g c³ [N·m] to two digits, of a weight per area [kg/m²] and a bending length [mm]."""
    return float(f"{area_density * _GRAVITY * (1e-3 * millimetres) ** 3:.1e}")


# identifier, label, description, values, source
CLOTH_VALUES: tuple[tuple[str, str, str, Mapping[str, Value], str], ...] = (
    ("COTTON", "Cotton", "Shirt fabric", _cloth(0.15, 2000.0, 1.7e-5), DRAPED_COTTON),
    (
        "LINEN",
        "Linen",
        "Crisp: summer clothes, table linen",
        _cloth(0.2, 4000.0, _bent(0.2, 26.0)),
        _cantilever(26.0, "linen of 200 g/m²"),
    ),
    (
        "WOOL",
        "Wool",
        "Suiting: soft, with body",
        _cloth(0.22, 1500.0, 1e-5),
        "worsted suiting; bending rigidity of 5 to 14 µN·m (De Boos & Tester, SiroFAST, CSIRO, 1994)",
    ),
    ("SILK", "Silk", "Light and fluid", _cloth(0.06, 1500.0, 1e-6), KAWABATA),
    (
        "SATIN",
        "Satin",
        "Evening dress, lining: smooth, in soft folds",
        _cloth(0.11, 2500.0, _bent(0.11, 15.0)),
        _cantilever(15.0, "satin of 110 g/m²"),
    ),
    ("DENIM", "Denim", "Jeans: heavy and stiff", _cloth(0.4, 5000.0, 1.2e-4), KAWABATA),
    (
        "JERSEY",
        "Jersey",
        "T-shirt: knitted, stretches",
        _cloth(0.16, 200.0, 3e-6),
        (
            "cotton single jersey of 160 g/m²; knits bend by 0.01 to 0.05 gf·cm²/cm and stretch by some ten times as "
            f"much as woven cotton: {KAWABATA}"
        ),
    ),
    ("LEATHER", "Leather", "Garment leather, 0.8 mm", _cloth(0.5, 8000.0, 4e-5), SHEEP_LEATHER),
    (
        "LATEX",
        "Latex",
        "Sheet of rubber, 0.4 mm: stretches far",
        _cloth(0.38, 600.0, 1.1e-5),
        (
            "sheet of 0.4 mm of natural rubber, 1.5 MPa and 950 kg/m³ (Mark, Physical Properties of Polymers "
            "Handbook); E h and E h³/9"
        ),
    ),
    (
        "PAPER",
        "Paper",
        "Office paper: hardly stretches, keeps its creases",
        {**_cloth(0.08, 3e5, 2.7e-4), "yield_curvature": 200.0},
        (
            "80 g/m² and 0.1 mm, 3 GPa (mean of both directions, Alava & Niskanen, Rep. Prog. Phys. 69, 669, 2006); "
            "E h and E h³/(12 (1 − 0.3²)); creases from a radius of 5 mm on"
        ),
    ),
    (
        "FELT",
        "Felt",
        "Hat, craft felt, 1.5 mm: thick and stiff",
        _cloth(0.29, 2000.0, _bent(0.29, 38.0)),
        _cantilever(38.0, "wool felt 9R of ASTM D2475, 190 kg/m³"),
    ),
    (
        "CANVAS",
        "Canvas",
        "Tent, sail, bag: stiffer than denim",
        _cloth(0.34, 8000.0, _bent(0.34, 38.0)),
        _cantilever(38.0, "cotton duck of 10 oz/yd²"),
    ),
    (
        "TULLE",
        "Tulle",
        "Veil, tutu: a net that weighs nothing and stands",
        _cloth(0.02, 400.0, _bent(0.02, 28.0)),
        _cantilever(28.0, "nylon net of 20 g/m²"),
    ),
    (
        "VELVET",
        "Velvet",
        "Curtain, gown: heavy, in deep folds",
        _cloth(0.3, 2000.0, _bent(0.3, 19.0)),
        _cantilever(19.0, "cotton velvet of 300 g/m²"),
    ),
)
