# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a material's parameters count, and so are shown; and in which panel."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from ...scene.body_kinds import BODY_KINDS
from ...scene.parameters.external_parameters import PUSH
from ...scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ...scene.parameters.mode_parameters import MODE_PARAMETERS, SCENE_MODE
from ...scene.parameters.plasticity_parameters import PLASTICITY_PARAMETERS
from ...scene.presets import PRESETS

OWN_MATERIAL = "MATERIAL"
OWN_COMPLIANCE = "CUSTOM"

DAMPING = ("damping", "internal_damping", "damping_time")
STRUCTURE = (
    "greatest_stretch",
    "use_tethers",
    "tether_slack",
    "use_stitches",
    "pressure_model",
    "pressure",
    "volume_ratio",
    "shape_matching",
    "shape_frequency",
)
FORCES = ("force_weight", "air_drag", "air_lift")
# Shown with the motion of an object
OF_SCENE = ("gravity_factor", "minimum_substeps")
MODE = tuple(parameter.name for parameter in MODE_PARAMETERS)
PLASTICITY = tuple(parameter.name for parameter in PLASTICITY_PARAMETERS)
# All that a material may have, whatever its role and the mode are
MATERIAL_VALUES = frozenset((*(parameter.name for parameter in MATERIAL_PARAMETERS), *DAMPING, *PLASTICITY))
COMPLIANCES = frozenset({"stretch_compliance", "volume_compliance", "bending_compliance"})
_COLLISION = frozenset({"friction", "restitution", "contact_offset"})
SHARES = frozenset({"pbd_stretch_stiffness", "pbd_volume_stiffness", "pbd_bending_stiffness"})
_PBD = SHARES | {*MODE[1:]}
# The numbers of a stiffness in physical units
STIFFNESSES = frozenset(
    {
        "youngs_modulus",
        "poissons_ratio",
        "stretch_stiffness",
        "warp_stiffness",
        "weft_stiffness",
        "shear_stiffness",
        "bending_stiffness",
    }
)
# What such a stiffness is made of; neither a compliance nor PBD mode asks for it
_PHYSICAL = STIFFNESSES | {"solid_model", "membrane_model"}
# Their stiffness is always in physical units
_PHYSICAL_ROLES = frozenset(kind.name for kind in BODY_KINDS if kind.is_physical)
_NOT_IN_PBD = frozenset({"compression_share"})

_BENDS = ("DIHEDRAL", "DISTANCE", "ISOMETRIC")
# Parameter: the choice that it belongs to, and for which of its values
_CONDITIONS: Mapping[str, tuple[str, tuple[str | bool, ...]]] = {
    "stretch_stiffness": ("membrane_model", ("SPRINGS", "ISOTROPIC")),
    "warp_stiffness": ("membrane_model", ("ORTHOTROPIC",)),
    "weft_stiffness": ("membrane_model", ("ORTHOTROPIC",)),
    "shear_stiffness": ("membrane_model", ("ORTHOTROPIC",)),
    "compression_share": ("membrane_model", ("SPRINGS",)),
    "bending_stiffness": ("bending_model", _BENDS),
    "bending_compliance": ("bending_model", _BENDS),
    "pbd_bending_stiffness": ("bending_model", _BENDS),
    "rest_angle": ("bending_model", ("DIHEDRAL",)),
    "yield_curvature": ("bending_model", ("DIHEDRAL",)),
    "tether_slack": ("use_tethers", (True,)),
    "pressure": ("pressure_model", ("GAS",)),
    "volume_ratio": ("pressure_model", ("VOLUME",)),
    "shape_frequency": ("shape_matching", ("WHOLE", "CLUSTERS")),
}
# Likewise of what stands in panels of its own, where it is shown all the same
_SHOWN_CONDITIONS: Mapping[str, tuple[str, tuple[str | bool, ...]]] = {
    "goal_frequency": ("goal_source", ("OBJECT", "DEFORMED")),
}
# Parameter: those of which one at least must be more than 0, or it has nothing to act on
_BESIDE: Mapping[str, tuple[str, ...]] = {"creep": ("yield_strain", "yield_curvature")}

_PRESET_NAMES = {preset.identifier: frozenset(preset.values) for preset in PRESETS}


def preset_names(preset: str) -> frozenset[str]:
    """The parameters that a preset sets; none for an own material."""
    return _PRESET_NAMES.get(preset, frozenset())


def is_overruled(settings: Any, name: str) -> bool:
    """Whether the preset stands against a value: it sets another one, or takes stiffness as compliances.

    Args:
        settings: ``Object.xpbd``.
        name: of a parameter.
    """
    if settings.preset == OWN_COMPLIANCE:
        return name in STIFFNESSES and settings.role not in _PHYSICAL_ROLES
    return name in preset_names(settings.preset)


def material_names(settings: Any, solver_mode: str) -> list[str]:
    """The parameters of the Material panel that count, in order.

    Args:
        settings: ``Object.xpbd`` of a body.
        solver_mode: "XPBD" or "PBD", the scene's.
    """
    held = {"pin_frequency", "goal_frequency", "attraction_weight"}
    elsewhere = {"stiffness_input", *held, *DAMPING, *STRUCTURE, *_COLLISION, *FORCES, *PUSH, *MODE, *OF_SCENE}
    elsewhere |= {*PLASTICITY}
    return [name for name in _names_that_count(settings, solver_mode) if name not in elsewhere]


def structure_names(settings: Any, solver_mode: str) -> list[str]:
    """The parameters of the Structure panel that count, in order."""
    counting = _names_that_count(settings, solver_mode)
    return [name for name in STRUCTURE if name in counting]


def plasticity_names(settings: Any, solver_mode: str) -> list[str]:
    """The parameters of the Plasticity panel that count, in order."""
    counting = _names_that_count(settings, solver_mode)
    return [name for name in PLASTICITY if name in counting]


def mode_names(settings: Any, solver_mode: str) -> list[str]:
    """The parameters of the Solver Mode panel that count, in order."""
    counting = _names_that_count(settings, solver_mode)
    return [name for name in MODE if name in counting]


def hindrances(settings: Any, solver_mode: str, name: str, moved: Set[str] = frozenset()) -> tuple[str, ...]:
    """The settings that keep a parameter of a body from doing anything, as they are; none where it counts.

    Args:
        settings: ``Object.xpbd`` of a body.
        solver_mode: "XPBD" or "PBD", the scene's.
        name: of a parameter that its role has.
        moved: names of parameters that something animates: what is 0 now may be more at another frame.
    """
    counting = {*_names_that_count(settings, solver_mode)}
    conditions = _SHOWN_CONDITIONS if name in counting else _CONDITIONS
    choice, values = conditions.get(name, ("", ()))
    if choice and getattr(settings, choice) not in values:
        return (choice,)
    if name not in counting:
        is_of_preset = name in _PHYSICAL | COMPLIANCES and not _is_pbd(settings, solver_mode)
        return ("preset",) if is_of_preset else ("solver_mode",)
    beside = _BESIDE.get(name, ())
    offered = tuple(one for one in beside if one in counting)
    return () if any(one in moved or getattr(settings, one) > 0.0 for one in offered) else offered


def _names_that_count(settings: Any, solver_mode: str) -> list[str]:
    if settings.role in _PHYSICAL_ROLES:
        idle = _PBD | COMPLIANCES
    elif _is_pbd(settings, solver_mode):
        idle = _PHYSICAL | COMPLIANCES | _NOT_IN_PBD
    else:
        idle = _PBD | (_PHYSICAL if settings.preset == OWN_COMPLIANCE else COMPLIANCES)
    return [
        parameter.name
        for parameter in MATERIAL_PARAMETERS
        if (not parameter.roles or settings.role in parameter.roles)
        and parameter.name not in idle
        and _is_met(settings, parameter.name, idle)
    ]


def _is_pbd(settings: Any, solver_mode: str) -> bool:
    return (solver_mode if settings.solver_mode == SCENE_MODE else settings.solver_mode) == "PBD"


def _is_met(settings: Any, name: str, idle: frozenset[str]) -> bool:
    choice, values = _CONDITIONS.get(name, ("", ()))
    return not choice or choice in idle or getattr(settings, choice) in values
