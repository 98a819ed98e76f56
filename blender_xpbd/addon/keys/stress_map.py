# SPDX-License-Identifier: GPL-3.0-or-later
"""The stress of a surface as an attribute that plays with its keys, as ``strain_map`` has its strain.

Of each face, from how its two diagonals are at rest and as shown: C = G⁻¹ g, their metric at rest and now. From its
trace and determinant follow the sum s and the product p of the principal strains λ − 1 in the surface. The surface of
a body is free, so the stress is plane: σ₁ = K (ε₁ + ν ε₂), K = E / (1 − ν²), and von Mises' stress is
σ² = σ₁² − σ₁ σ₂ + σ₂² = K² ((1 − ν + ν²) s² − 3 (1 − ν)² p). With the stiffness of a cloth [N/m] in the place of E [Pa]
it is a force per width.
"""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.errors import XpbdError
from ..data.material_names import COMPLIANCES, material_names
from ..data.properties import material_values
from .strain_map import (
    STRESS,
    at_vertex,
    keep_map,
    map_tree,
    math_node,
    object_scale,
    on_domain,
    rest_positions,
    show_map,
    vector_node,
)

MODIFIER = "XPBD Stress"
_STIFFNESS, _RATIO, _FULL = "Stiffness", "Poisson's Ratio", "Full Stress"
# strain at which a stress of E has the last colour where none is chosen
_FULL_STRAIN = 0.1
# what the solver takes for a membrane that is not woven
_CLOTH_RATIO = 0.3
_SMALL = 1e-30


def show_stress(obj: bpy.types.Object, full: float, solver_mode: str) -> None:
    """Add the modifier, in the place of one that shows strain.

    Args:
        obj: a mesh object, jelly or cloth.
        full: stress of the last colour [Pa, of cloth N/m]; 0 for that of 10 % strain.
        solver_mode: the scene's.

    Raises:
        XpbdError: E_PARAM, where the material has no stiffness in physical units.
    """
    stiffness, ratio = elasticity(obj, solver_mode)
    values = {_STIFFNESS: stiffness, _RATIO: ratio, _FULL: full or _FULL_STRAIN * stiffness}
    show_map(obj, MODIFIER, _node_tree(values))


def elasticity(obj: Any, solver_mode: str) -> tuple[float, float]:
    """Young's modulus [Pa], of cloth its stiffness [N/m], and Poisson's ratio; as show_stress, with its fault."""
    settings = obj.xpbd
    names = material_names(settings, solver_mode)
    values = material_values(settings)
    if not COMPLIANCES & set(names):
        if "youngs_modulus" in names and "poissons_ratio" in values:
            return float(values["youngs_modulus"]), float(values["poissons_ratio"])
        if "stretch_stiffness" in names:
            return float(values["stretch_stiffness"]), _CLOTH_RATIO
        if "warp_stiffness" in names:
            return (float(values["warp_stiffness"]) * float(values["weft_stiffness"])) ** 0.5, _CLOTH_RATIO
    raise XpbdError(
        "E_PARAM", "Its material has no stiffness in physical units: take a preset, jelly or cloth.", obj.name
    )


def _node_tree(values: dict[str, float]) -> bpy.types.NodeTree:
    tree, begin = map_tree(MODIFIER, values)
    total, product = _principal(tree)
    ratio = begin.outputs[_RATIO]

    def compute(operation: str, first: Any, second: Any = None, third: Any = None) -> Any:
        return math_node(tree, operation, first, second, third).outputs[0]

    rest = compute("SUBTRACT", 1.0, ratio)
    whole = compute("MULTIPLY_ADD", ratio, ratio, rest)
    square = compute("MULTIPLY", compute("MULTIPLY", total, total), whole)
    less = compute("MULTIPLY", compute("MULTIPLY", compute("MULTIPLY", rest, rest), 3.0), product)
    strain = compute("SQRT", compute("MAXIMUM", compute("SUBTRACT", square, less), 0.0))
    plane = compute("SUBTRACT", 1.0, compute("MULTIPLY", ratio, ratio))
    stress = compute("MULTIPLY", compute("DIVIDE", begin.outputs[_STIFFNESS], plane), strain)
    keep_map(tree, begin, STRESS, on_domain(tree, "FACE", stress), _FULL)
    return tree


def _principal(tree: bpy.types.NodeTree) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Sum and product of the principal strains of a face; 0 of one that has no area at rest."""

    def compute(operation: str, first: Any, second: Any = None, third: Any = None) -> Any:
        return math_node(tree, operation, first, second, third).outputs[0]

    shown = tree.nodes.new("GeometryNodeInputPosition").outputs["Position"]
    scale = object_scale(tree)
    r11, r12, r22 = _metric(tree, rest_positions(tree), scale)
    s11, s12, s22 = _metric(tree, shown, scale)

    def determinant(a: Any, b: Any, c: Any) -> Any:
        return compute("SUBTRACT", compute("MULTIPLY", a, c), compute("MULTIPLY", b, b))

    area = determinant(r11, r12, r22)
    mixed = compute("MULTIPLY", compute("MULTIPLY", r12, s12), -2.0)
    adjoint = compute("MULTIPLY_ADD", r22, s11, compute("MULTIPLY_ADD", r11, s22, mixed))
    trace = compute("DIVIDE", adjoint, area)
    squeeze = compute("SQRT", compute("MAXIMUM", compute("DIVIDE", determinant(s11, s12, s22), area), 0.0))
    stretches = compute("SQRT", compute("MAXIMUM", compute("MULTIPLY_ADD", squeeze, 2.0, trace), 0.0))
    has_area = compute("GREATER_THAN", area, _SMALL)
    total = compute("MULTIPLY", compute("SUBTRACT", stretches, 2.0), has_area)
    product = compute("MULTIPLY", compute("ADD", compute("SUBTRACT", squeeze, stretches), 1.0), has_area)
    return total, product


def _metric(tree: bpy.types.NodeTree, positions: Any, scale: Any) -> tuple[Any, Any, Any]:
    """Products of the diagonals of a face; those of a triangle are two of its edges, for its corners go round."""
    corners = []
    for number in range(4):
        corner = tree.nodes.new("GeometryNodeCornersOfFace")
        corner.inputs["Sort Index"].default_value = number
        vertex = tree.nodes.new("GeometryNodeVertexOfCorner")
        tree.links.new(corner.outputs["Corner Index"], vertex.inputs["Corner Index"])
        corners.append(at_vertex(tree, positions, vertex.outputs["Vertex Index"]))
    first, second = (
        vector_node(
            tree, "MULTIPLY", vector_node(tree, "SUBTRACT", corners[end], corners[begin]).outputs["Vector"], scale
        ).outputs["Vector"]
        for begin, end in ((0, 2), (1, 3))
    )
    pairs = ((first, first), (first, second), (second, second))
    return tuple(vector_node(tree, "DOT_PRODUCT", *pair).outputs["Value"] for pair in pairs)  # type: ignore[return-value]
