# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a material's parameters count, and so are shown."""

from __future__ import annotations

from ..scene.material_parameters import MATERIAL_PARAMETERS
from ..scene.presets import PRESETS

OWN_MATERIAL = "MATERIAL"
OWN_COMPLIANCE = "CUSTOM"

DAMPING = ("damping", "internal_damping", "damping_time")
_PHYSICAL = frozenset({"youngs_modulus", "stretch_stiffness", "bending_stiffness"})
COMPLIANCES = frozenset({"stretch_compliance", "volume_compliance", "bending_compliance"})
_PBD = frozenset({"pbd_stretch_stiffness", "pbd_volume_stiffness", "pbd_bending_stiffness"})
_STIFFNESS = _PHYSICAL | COMPLIANCES | _PBD
# These have panels of their own
_ELSEWHERE = frozenset({"stiffness_input", *DAMPING, "friction", "restitution", "contact_offset", "pin_frequency"})

_PRESET_NAMES = {preset.identifier: frozenset(preset.values) for preset in PRESETS}


def preset_names(preset: str) -> frozenset[str]:
    """The parameters that a preset sets; none for an own material."""
    return _PRESET_NAMES.get(preset, frozenset())


def material_names(role: str, preset: str, solver_mode: str) -> list[str]:
    """The parameters of the Material panel, in order: of stiffness only the kind that counts."""
    physical = COMPLIANCES if preset == OWN_COMPLIANCE else _PHYSICAL
    counts = _PBD if solver_mode == "PBD" else physical
    left_out = _ELSEWHERE | (_STIFFNESS - counts)
    return [
        parameter.name
        for parameter in MATERIAL_PARAMETERS
        if parameter.name not in left_out and (not parameter.roles or role in parameter.roles)
    ]
