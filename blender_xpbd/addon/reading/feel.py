# SPDX-License-Identifier: GPL-3.0-or-later
"""What *Feels Like* does: of two bodies of one material and one shape, the weight of the longer one squashes it more.

How much is told by ρ g L / E. So a body of the length L looks like one of the length l where its modulus is L/l times
as high (Froude's similarity, at the same density). All its motion is then √(L/l) times as slow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.material import Material
from ...scene.parameters.mode_parameters import takes_shares
from ...scene.scene import Scene
from ...scene.track import Track
from ..data.feel_settings import FEEL_PARAMETERS

MODULUS = "youngs_modulus"
# how stiffness is given that has a modulus
PHYSICAL = "MATERIAL"
# share of its height by which its weight squashes a jelly: more is flat, and half of it looks like jelly, as a cube of
# 1 m of the default material does; chosen by its look
FLAT, WOBBLY = 0.15, 0.08
# smaller than this [m], one looks hard that is squashed by less than this share, and by more at the length of a toy [m]
SMALL, HARD, TOY = 0.05, 0.002, 0.2
# of a decade; each is at most 1.7 times the one before
_ROUND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)


def length_of(positions: npt.NDArray[np.float64], axes: npt.NDArray[np.float64]) -> float:
    """Along the longest of its own axes [m], 0 without vertices; ``axes`` as of ``Body``."""
    return float(np.ptp(positions @ axes, axis=0).max()) if len(positions) else 0.0


def felt_length(settings: Any, unit_scale: float) -> float:
    """What an object feels like [m], 0 for what it is.

    Args:
        settings: its ``Object.xpbd``.
        unit_scale: metres per Blender unit.
    """
    return float(settings.feels_like) * unit_scale if settings.role in FEEL_PARAMETERS[0].roles else 0.0


def felt(material: Material, length: float, feels_like: float) -> Material:
    """The material with the modulus by which a body of a length [m] feels like one of another, 0 for its own."""
    if feels_like <= 0.0 or length <= 0.0 or material.stiffness_input != PHYSICAL:
        return material
    return replace(material, youngs_modulus=material.youngs_modulus * length / feels_like)


def feels_stiffer(length: float, feels_like: float) -> str:
    """How much stiffer a body of a length feels that feels like another one, both in metres."""
    return f"{length / feels_like:.2g} times as stiff"


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
    is_physical = material.stiffness_input == PHYSICAL and not takes_shares(material.solver_mode, solver_mode)
    return body_kind(body.role, body.name).is_solid and is_physical


def looks_hard(body: Body, share: float) -> bool:
    """Whether a body of a soft material is too small to show it; ``share`` as of ``squashed_share``."""
    length = length_of(body.positions, body.axes)
    return 0.0 < share < HARD and length < SMALL and share * TOY / length > HARD


def wobbly_length(length: float, share: float) -> float:
    """What a body should feel like to look like jelly, the nearest round number.

    Args:
        length: that it has, or feels like now.
        share: by which its weight squashes it then.
    """
    wanted = length * WOBBLY / share
    decade = 10.0 ** math.floor(math.log10(wanted))
    return min((decade * number for number in _ROUND), key=lambda found: abs(math.log(found / wanted)))


def look_notices(scene: Scene, factors: Mapping[str, float], keyed: Set[str]) -> Iterator[Notice]:
    """What an artist should know of how stiff jellies look.

    Args:
        scene: its bodies have the moduli that they are simulated with.
        factors: of *Feels Like* that these have in them, by the identifiers of bodies.
        keyed: identifiers of bodies whose modulus is keyed: what melts is meant to look otherwise.
    """
    for body in scene.bodies:
        is_meant = body.identifier in keyed or not is_felt(body, scene.settings.solver_mode)
        notice = None if is_meant else _look_notice(body, scene.gravity, factors.get(body.identifier, 1.0))
        if notice is not None:
            yield notice


def _look_notice(body: Body, gravity: npt.NDArray[np.float64], factor: float) -> Notice | None:
    """Of one body; None where it looks as its material says."""
    share = squashed_share(body, gravity)
    if share > FLAT:
        text = (
            f"So large, it is squashed flat by its own weight, by about {min(100.0 * share, 99.0):.0f} %: true to "
            "life. With Feels Like it looks like a smaller one."
        )
        return Notice("W_SIZE", text, body.name)
    if looks_hard(body, share):
        text = "So small, it is as hard as a bead: true to life. With Feels Like it looks like a larger one."
        return Notice("W_SIZE", text, body.name)
    if factor == 1.0:
        return None
    length = length_of(body.positions, body.axes)
    stiffer = feels_stiffer(length, length / factor)
    text = f"It feels like one of {length / factor:.2g} m, {stiffer} as its material: Feels Like 0 is true to life."
    return Notice("W_FEEL", text, body.name)
