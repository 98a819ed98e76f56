# SPDX-License-Identifier: GPL-3.0-or-later
"""What *Feels Like* does: of two bodies of one material and one shape, the weight of the longer one squashes it more.

How much is told by ρ g L / E. So a body of the length L looks like one of the length l where its modulus is L/l times
as high (Froude's similarity, at the same density). All its motion is then √(L/l) times as slow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.material import Material
from ...scene.parameters.mode_parameters import takes_shares
from ...scene.track import Track
from ..data.feel_settings import FEEL_PARAMETERS

MODULUS = "youngs_modulus"
# share of its height by which its weight squashes a jelly: more is flat, and half of it looks like jelly, as a cube of
# 1 m of the default material does; chosen by its look
FLAT, WOBBLY = 0.15, 0.08
# smaller than this [m], one looks hard that is squashed by less than this share, and by more at the length of a toy [m]
SMALL, HARD, TOY = 0.05, 0.002, 0.2


def length_of(positions: npt.NDArray[np.float64], axes: npt.NDArray[np.float64]) -> float:
    """Along the longest of its own axes [m]; ``axes`` as of ``Body``."""
    return float(np.ptp(positions @ axes, axis=0).max())


def felt_length(settings: Any, unit_scale: float) -> float:
    """What an object feels like [m], 0 for what it is.

    Args:
        settings: its ``Object.xpbd``.
        unit_scale: metres per Blender unit.
    """
    return float(settings.feels_like) * unit_scale if settings.role in FEEL_PARAMETERS[0].roles else 0.0


def felt(material: Material, length: float, feels_like: float) -> Material:
    """The material with the modulus by which a body of a length [m] feels like one of another, 0 for its own."""
    if feels_like <= 0.0 or length <= 0.0:
        return material
    return replace(material, youngs_modulus=material.youngs_modulus * length / feels_like)


def felt_tracks(tracks: Iterable[Track], factors: Mapping[str, float]) -> tuple[Track, ...]:
    """Tracks with the moduli multiplied; ``factors`` by the identifiers of bodies."""
    return tuple(
        replace(track, values=track.values * factors.get(track.target, 1.0)) if track.parameter == MODULUS else track
        for track in tracks
    )


def squashed_share(body: Body, gravity: npt.NDArray[np.float64]) -> float:
    """By which share of its height the weight of a jelly squashes it about: half of ρ g h / E."""
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0:
        return 0.0
    material = body.material
    height = float(np.ptp(body.positions @ (gravity / strength)))
    pressure = material.density * strength * abs(material.gravity_factor) * height
    return 0.5 * pressure / material.youngs_modulus


def is_felt(body: Body, solver_mode: str) -> bool:
    """Whether a body has a modulus that *Feels Like* scales; ``solver_mode`` is the scene's."""
    material = body.material
    is_physical = material.stiffness_input == "MATERIAL" and not takes_shares(material.solver_mode, solver_mode)
    return body_kind(body.role, body.name).is_solid and is_physical


def looks_hard(body: Body, share: float) -> bool:
    """Whether a body of a soft material is too small to show it; ``share`` as of ``squashed_share``."""
    length = length_of(body.positions, body.axes)
    return 0.0 < share < HARD and length < SMALL and share * TOY / length > HARD


def wobbly_length(length: float, share: float) -> float:
    """What a body should feel like to look like jelly, in one digit.

    Args:
        length: that it has, or feels like now.
        share: by which its weight squashes it then.
    """
    wanted = length * WOBBLY / share
    digit = 10.0 ** math.floor(math.log10(wanted))
    return math.floor(wanted / digit + 1e-9) * digit
