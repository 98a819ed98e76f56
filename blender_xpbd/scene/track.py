# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks: a parameter of a body, a collider, a force field or the scene with a value for each frame.

How a constraint follows a material value stands with its type: ``constraints.scaling.Scaling``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import XpbdError
from .parameter import Parameter
from .parameters.material_parameters import COLLIDER, MATERIAL_PARAMETERS

# the target that is the scene itself; no body, collider or force field may be called so
SCENE_TARGET = "scene"


@dataclass(frozen=True)
class Track:
    """One parameter over the frames.

    Attributes:
        target: identifier of a body, a collider or a force field, or ``SCENE_TARGET``.
        parameter: name of an animatable parameter that the target has.
        values: at each frame, in the parameter's unit, shape (frames,).
    """

    target: str
    parameter: str
    values: npt.NDArray[np.float64]


def animatable(parameters: Iterable[Parameter]) -> dict[str, Parameter]:
    """Those of some parameters that a track may move, keyed by name."""
    return {parameter.name: parameter for parameter in parameters if parameter.animatable}


def animatable_of(role: str) -> dict[str, Parameter]:
    """Those of an object of a role that a track may move, keyed by name; parameters of all roles are of bodies."""
    return animatable(
        parameter
        for parameter in MATERIAL_PARAMETERS
        if role in parameter.roles or (not parameter.roles and role != COLLIDER)
    )


def validate_track(track: Track, parameters: Mapping[str, Parameter], frame_count: int, name: str) -> None:
    """Check what a stranger's job, or a script, may have got wrong.

    Args:
        track: to be checked.
        parameters: animatable ones of its target, keyed by name.
        frame_count: frames of the scene.
        name: of the target, for the message.

    Raises:
        XpbdError: E_PARAM.
    """
    parameter = parameters.get(track.parameter)
    if parameter is None:
        raise XpbdError("E_PARAM", f"There is no parameter {track.parameter!r} that can be animated.", name)
    if track.values.shape != (frame_count,):
        raise XpbdError("E_PARAM", f"{parameter.label} must have a value for each of {frame_count} frames.", name)
    if not np.isfinite(track.values).all():
        raise XpbdError("E_PARAM", f"{parameter.label} must be finite at every frame.", name)
    for value in (track.values.min(), track.values.max()):
        parameter.check(float(value), name)
