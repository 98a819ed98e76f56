# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist can choose of a material: models of solids, membranes, bending and pressure."""

from __future__ import annotations

from ..parameter import Choice

BENDING_MODELS = (
    Choice("DIHEDRAL", "Dihedral", "Resists the angle between neighbouring faces: bends like the real fabric"),
    Choice("DISTANCE", "Distance", "Springs across every edge: fastest, but without a physical bending stiffness"),
    Choice("ISOMETRIC", "Isometric", "Resists curvature, and pulls the cloth flat; for cloth that hardly stretches"),
    Choice("NONE", "None", "No resistance to bending"),
)
REST_ANGLES = (
    Choice("MESH", "As Modelled", "Folds and bends that are modelled stay"),
    Choice("FLAT", "Flat", "The cloth wants to be flat, and a strand straight, however it is modelled"),
)
SOLID_MODELS = (
    Choice("NEO_HOOKEAN", "Neo-Hookean", "Stable neo-Hookean solid: right in physical units, recovers from anything"),
    Choice("COROTATED", "Co-rotated", "Linear material that follows rotation: stiff, springy look"),
    Choice("SPRINGS", "Springs", "Springs along the edges that keep the volume: fastest"),
)
MEMBRANE_MODELS = (
    Choice("SPRINGS", "Springs", "Springs along edges and diagonals: fastest"),
    Choice("ISOTROPIC", "Isotropic", "Elastic sheet, the same in every direction"),
    Choice("ORTHOTROPIC", "Woven", "Warp (along U of the UV map), weft and shear each with a stiffness of its own"),
)
PRESSURE_MODELS = (
    Choice("NONE", "Nothing", "Nothing inside"),
    Choice("VOLUME", "Liquid", "Keeps, or grows to, a volume: a water balloon"),
    Choice("GAS", "Gas", "A gas that gives when squeezed: a beach ball"),
)
SHAPE_MATCHINGS = (
    Choice("NONE", "None", "Nothing"),
    Choice("WHOLE", "Whole", "Pulls the whole body back to its shape"),
    Choice("CLUSTERS", "Clusters", "Pulls overlapping parts of the body back to their shape: bends more"),
)
STIFFNESS_INPUTS = (
    Choice("MATERIAL", "Material", "Stiffness in physical units: the same look at every resolution"),
    Choice("COMPLIANCE", "Compliance", "The same compliance for each single constraint, whatever its size"),
)
