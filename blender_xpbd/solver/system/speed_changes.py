# SPDX-License-Identifier: GPL-3.0-or-later
"""How gravity and drag change velocities in a substep, exactly: v' = g − k v.

The velocity of symplectic Euler is how far a particle came in the substep before, over h: the mean of v over that
substep. The means follow the same law as v. So v ← v e^(−kh) + g (1 − e^(−kh))/k, then x ← x + h v, is the exact path
of a body in flight, whatever h is, if the first velocity is such a mean too. Where a body starts, and where gravity or
drag change with a frame, the first substep takes v itself for it. What rests has a mean of 0; that it bears its whole
weight is seen to by its masses (``drag.response``).

The drag per substep of PBD mode comes after that: v ← (1 − d) v. It has no motion that it could be exact of, so such a
body takes its first velocity as it is. BDF2 has it as a rate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...bodies.own_settings import drag_exponent
from ...scene.body import Body
from . import drag
from .body_gravity import body_gravities
from .frame_slice import WHOLE, FrameSlice
from .system import System

Floats = npt.NDArray[np.float64]

# of k h, beyond which the past of a motion that drag stops at once is larger than any number
_GREATEST_DRAG = 20.0


def speed_changes(system: System, frame_index: int, frame_slice: FrameSlice = WHOLE) -> Floats:
    """The speed that gravity adds in a substep [m/s] and, as fourth component, the share of speed that drag takes.

    Args:
        system: what is simulated.
        frame_index: of the frame that begins, counted from the start.
        frame_slice: of the frame, with as many substeps.

    Returns:
        Shape (2 · bodies, 4): of all bodies in the first substep, then of all in every other.
    """
    h, is_bdf2 = _step(system) / frame_slice.of, system.scene.settings.time_integration == "BDF2"
    gravity, z = _law(system, frame_index, h)
    share = 2.0 / 3.0 if is_bdf2 else 1.0
    exponents = np.array([drag_exponent(model.body, system.scene.settings) for model in system.models]) / frame_slice.of
    if is_bdf2:
        z = z + exponents
        exponents = np.zeros_like(z)
    own = _rows(np.exp(-exponents) * share * h * drag.response(z, is_bdf2=is_bdf2), gravity, -np.expm1(-z - exponents))
    first = own
    if frame_slice.number > 0 or is_bdf2:
        return np.concatenate([own, own])
    if frame_index == 0:
        first = np.where((exponents > 0.0)[:, None], own, _rows(h * drag.fall(z), gravity, 1.0 - drag.mean(z)))
    else:
        old_gravity, old = _law(system, frame_index - 1, h)
        changed = (old != z) | (old_gravity != gravity).any(axis=1)
        rows = _rows(h * drag.fall(z), gravity, 1.0 - drag.kept(old) * drag.mean(z))
        rows += _rows(h * drag.reached(old) * drag.mean(z), old_gravity, np.zeros_like(z))
        first = np.where((changed & (exponents == 0.0))[:, None], rows, own)
    return np.concatenate([first, own])


def bdf2_history(system: System, body: Body) -> tuple[Floats, Floats, Floats]:
    """What makes BDF2's path exact from its first substep on.

    Returns:
        BDF2's velocity of a body at the start and a substep before [m/s], and how far it came in between [m].
    """
    h = _step(system)
    number = next(number for number, model in enumerate(system.models) if model.body is body)
    gravity = body_gravities(system.scene, system.tracks, 0)[number]
    velocity = np.asarray(body.velocity, np.float64)
    z = min(_rate(system, body, 0) * h + drag_exponent(body, system.scene.settings), _GREATEST_DRAG)
    if z < 1e-8:
        return velocity, velocity - h * gravity, h * velocity - 0.5 * h * h * gravity
    final, growth = gravity * (h / z), np.expm1(z)
    # (3 x − 4 x₋₁ + x₋₂)/2h of e^(−kt) is −k times this
    share = growth * (2.0 - growth) / (2.0 * z)
    fading = velocity - final
    return final + share * fading, final + share * (1.0 + growth) * fading, h * final + fading * growth * h / z


def _step(system: System) -> float:
    return system.scene.frames.frame_duration / system.scene.settings.substeps


def _rate(system: System, body: Body, frame_index: int) -> float:
    return system.tracks.at(body.identifier, "damping", body.material.damping, frame_index)


def _law(system: System, frame_index: int, h: float) -> tuple[Floats, Floats]:
    """Gravity [m/s²], shape (bodies, 3), and the k h of each body at a frame."""
    rates = np.array([_rate(system, model.body, frame_index) for model in system.models], np.float64)
    return body_gravities(system.scene, system.tracks, frame_index), rates * h


def _rows(durations: Floats, gravity: Floats, lost: Floats) -> Floats:
    return np.column_stack([durations[:, None] * gravity, lost])
