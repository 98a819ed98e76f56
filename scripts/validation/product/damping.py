# SPDX-License-Identifier: GPL-3.0-or-later
"""The dampings of jelly: swings die as their units say, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contact_cases import shapes

from .meshes import ball, centres, cube, values
from .probe import Measure, Probe, product_case
from .shot import FRAMES_PER_SECOND, Baked, Floats, Shot, Thing

ARMS = ("bar", "slanted bar", "tube")
TAPER = np.linspace(0.07, 0.045, 13)
# material damping [s], and wobble damping [1/s]
TIME, RATE = 0.03, 5.0
# weak, so that arms swing a little [m/s²]; drag in which they come to rest [1/s]
GRAVITY, DRAG = 0.5, 6.0
PLAIN, DAMPED = "Plain", "Damped"


def arms(kind: str, frames: int, gravity: float, damping: dict[str, float], drag: float = 0.0) -> Shot:
    """Two arms of 40 cm, held at one end and let go level, of which one is damped."""
    if kind == "tube":
        mesh = shapes.tube(np.linspace([-0.2, 0.0, 0.0], [0.2, 0.0, 0.0], 13), TAPER, 12)
    else:
        mesh = shapes.box((0.4, 0.1, 0.1), (12, 3, 3))
    held = np.flatnonzero(mesh[0][:, 0] < -0.2 + 1e-6).astype(np.int32)
    if kind == "slanted bar":
        mesh = shapes.turned(shapes.turned(mesh, 0, np.radians(45.0)), 2, np.radians(30.0))
    plain = {**values("JELLY"), "damping": drag, "internal_damping": 0.0}
    things = [
        Thing(name, *shapes.moved(mesh, 0.0, place, 0.0), settings, held)
        for name, place, settings in ((PLAIN, -1.0, plain), (DAMPED, 1.0, {**plain, **damping}))
    ]
    return Shot(tuple(things), frames, gravity=gravity)


def heights(baked: Baked, name: str) -> Floats:
    """How high the tip of an arm is at each frame over where it began [m]."""
    thing = next(thing for thing in baked.shot.things if thing.name == name)
    far = np.linalg.norm(thing.positions - thing.positions[thing.pinned].mean(axis=0), axis=1)
    path = baked.motions[name][:, np.argsort(far)[-9:], 2].mean(axis=1)
    return path - path[0]


def decay(baked: Baked, name: str) -> tuple[float, float]:
    """Decay and angular frequency of the slowest swing of an arm [1/s], by the shifts of the speeds of its tip.

    Matrix pencil (Hua & Sarkar 1990) with three swings, so that the first is not taken for what it is mixed with.
    """
    speeds = np.diff(heights(baked, name))
    table = np.lib.stride_tricks.sliding_window_view(speeds, len(speeds) // 2)
    modes = np.linalg.svd(table)[2][:6]
    poles = np.log(np.linalg.eigvals(np.linalg.pinv(modes[:, :-1].T) @ modes[:, 1:].T)) * FRAMES_PER_SECOND
    slowest = poles[np.argmin(np.where(poles.imag > 1.0, poles.imag, np.inf))]
    return -float(slowest.real), float(slowest.imag)


def excess(baked: Baked) -> float:
    """Decay of the damped arm beyond that of the other [1/s]."""
    return decay(baked, DAMPED)[0] - decay(baked, PLAIN)[0]


def per_time(baked: Baked) -> float:
    """The same per ½ τ ω²."""
    return excess(baked) / (0.5 * TIME * decay(baked, PLAIN)[1] ** 2)


def rest(baked: Baked) -> float:
    """Sag of the damped arm per that of the other."""
    return float(heights(baked, DAMPED)[-1] / heights(baked, PLAIN)[-1])


def beside(kind: str) -> Shot:
    """A mesh of two pieces, of which one is held by its upper side and one falls."""
    held = cube("quads", 0.5, 0.0)
    falling = shapes.moved(cube(kind, 0.5, 0.0) if kind != "ball" else ball("quads", 0.25, 0.0), 2.0, 0.0, 0.0)
    pinned = np.flatnonzero(held[0][:, 2] > 0.5 - 1e-6).astype(np.int32)
    thing = Thing("Pair", *shapes.joined(held, falling), values("JELLY", internal_damping=RATE), pinned)
    return Shot((thing,), FRAMES_PER_SECOND)


def _fallen(count: int) -> Callable[[Baked], float]:
    def measure(baked: Baked) -> float:
        path = centres(baked.motion[:, count:])[:, 2]
        return float(path[0] - path[-1])

    return measure


def _fall(kind: str) -> Probe:
    count = len(cube("quads", 0.5, 0.0)[0])
    return Probe(f"fall beside what is held, {kind}", beside(kind), (Measure("fall in 1 s [m]", _fallen(count), FALL),))


FALL = 0.5 * 9.81
SWING = Measure("decay per ½ τ ω²", per_time, 1.0, 0.1)
REST = Measure("sag per that without", rest, 1.0, 0.01)
WOBBLE = Measure("decay [1/s]", excess, 0.5 * RATE, 0.05)

CASES = (
    product_case(
        "product_material_damping",
        "material damping",
        "Arms of 40 cm, held at one end. A damping time of τ = 0.03 s takes ½ τ ω² from a swing, and leaves the rest.",
        [
            *(Probe(f"{kind}, swing", arms(kind, 72, GRAVITY, {"damping_time": TIME}), (SWING,)) for kind in ARMS),
            *(
                Probe(f"{kind}, {time} s", arms(kind, 96, 9.81, {"damping_time": time}, DRAG), (REST,))
                for kind, time in ((*((kind, TIME) for kind in ARMS), ("bar", 0.1)))
            ),
        ],
    ),
    product_case(
        "product_wobble_damping",
        "wobble damping",
        "A rate of 5/s takes velocity at 5/s, so a swing dies at 2.5/s. What falls beside it, in the same mesh, falls.",
        [
            *(Probe(kind, arms(kind, 72, GRAVITY, {"internal_damping": RATE}), (WOBBLE,)) for kind in ARMS),
            *(_fall(kind) for kind in ("quads", "ball")),
        ],
    ),
)
