# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffness that was typed and does not count, for the solver takes it in another way."""

from __future__ import annotations

from typing import Any

from ...scene.parameter import by_name
from ...scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ...scene.presets import preset_values
from .material_names import COMPLIANCES, SHARES, STIFFNESSES, material_names
from .properties import fits_role, holds

_PARAMETERS = by_name(MATERIAL_PARAMETERS)


def has_idle_stiffness(settings: Any, solver_mode: str) -> bool:
    """Whether a stiffness in physical units was typed in vain: it counts as compliances or shares, and none was typed.

    Args:
        settings: ``Object.xpbd`` of a body.
        solver_mode: "XPBD" or "PBD", the scene's.
    """
    counting = {*material_names(settings, solver_mode)}
    if counting & STIFFNESSES or any(settings.is_property_set(name) for name in counting & (COMPLIANCES | SHARES)):
        return False
    return any(settings.role in _PARAMETERS[name].roles and _is_typed(settings, name) for name in STIFFNESSES)


def _is_typed(settings: Any, name: str) -> bool:
    """Whether a value is neither the default nor what the preset that was shown last has set."""
    shown = settings.shown_preset
    preset = preset_values(shown, settings.role) if shown and fits_role(shown, settings.role) else {}
    return not holds(settings, name, preset.get(name, _PARAMETERS[name].default))
