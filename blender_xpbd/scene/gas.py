# SPDX-License-Identifier: GPL-3.0-or-later
"""When a gas cannot blow a surface up: told before a bake by the add-on, and by the bake in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .body import Body
from .errors import Notice

# pressure of the air around, at sea level [Pa]
ATMOSPHERE = 101_325.0
# a gas that fills less than this of the ball of the same area cannot blow the surface up; chosen by hand for a warning:
# a pillow as wide as 8 of its thicknesses
LEAST_FULLNESS = 0.2


def has_pressure(body: Body) -> bool:
    """Whether a body is filled with a gas that is to blow it up."""
    return body.material.pressure_model == "GAS" and body.material.pressure >= 0.0


def pressure_notices(body: Body, shares: Iterable[float]) -> Iterator[Notice]:
    """A warning where a gas stands under pressure in so little room that it loses it before anything is seen.

    Args:
        body: that is filled with a gas.
        shares: how far the gas of each closed surface of it, at the pressure of the air, fills the ball of its area.
    """
    least = min(shares, default=1.0)
    if has_pressure(body) and least < LEAST_FULLNESS:
        text = (
            f"The mesh is so flat that a gas of {body.material.pressure:g} Pa cannot blow it up: it fills "
            f"{100.0 * least:.2g} % of a ball of that area, and its pressure falls as its volume grows. Fill it with a "
            "Liquid, whose volume you choose, or model the mesh thicker, in the shape that it has at that pressure."
        )
        yield Notice("W_PRESSURE", text, body.name)
