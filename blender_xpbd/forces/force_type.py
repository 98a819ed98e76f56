# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of force field is to the solver."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ForceType:
    """A kind of field.

    Attributes:
        name: identifier of one of ``scene.force.FORCE_KINDS``.
        acceleration: Taichi function ``acceleration(site, velocity, strength, damping, h)``. ``site`` is where the
            point is in the field (``site.field_site``), ``velocity`` that of the point, both in the field's unit of
            length; ``h`` is the substep [s]. Returns a 4-vector: the acceleration, in the field's unit of length per
            s², and at which rate [1/s] it takes away motion, as far as it does.
    """

    name: str
    acceleration: Callable[..., Any]
