# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly that is pinned along an edge: whether it swings about it as a rigid pendulum does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contact_cases import shapes
from scipy.special import ellipk

from .meshes import centres, values
from .probe import Measure, Probe, product_case
from .shot import FRAMES_PER_SECOND, Baked, Shot, Thing

GRAVITY = 9.81


def hinged(mesh: shapes.Mesh, yaw: float = 0.0) -> Shot:
    """A box of *Rubber* that is pinned along the upper edge of its lowest X, turned about Z [rad]."""
    places = mesh[0]
    is_edge = (places[:, 0] < places[:, 0].min() + 1e-6) & (places[:, 2] > places[:, 2].max() - 1e-6)
    thing = Thing(
        "Bar", *shapes.turned(mesh, 2, yaw), values("JELLY", "RUBBER"), pinned=np.flatnonzero(is_edge).astype(np.int32)
    )
    return Shot((thing,), 60)


def period_per_theory(length: float, height: float) -> Callable[[Baked], float]:
    """Time between the lowest places, twice, per 4 K(sin A/2)/ω₀ with ω₀² = g d/(k² + d²)."""

    def measure(baked: Baked) -> float:
        (thing,) = baked.shot.things
        way = centres(baked.motion) - thing.positions[thing.pinned].mean(axis=0)
        distance, radius = float(np.linalg.norm(way[0])), (length**2 + height**2) / 12.0
        amplitude = np.arccos(-way[0, 2] / distance)
        turn = 4.0 * ellipk(np.sin(0.5 * amplitude) ** 2) * np.sqrt((radius + distance**2) / (GRAVITY * distance))
        along = way[:, :2] @ way[0, :2]
        before = np.flatnonzero(along[:-1] * along[1:] < 0.0)
        times = (before + along[before] / (along[before] - along[before + 1])) / FRAMES_PER_SECOND
        return float(2.0 * np.diff(times).mean() / turn) if len(times) > 1 else np.inf

    return measure


def _probe(name: str, shot: Shot, length: float, height: float) -> Probe:
    return Probe(name, shot, (Measure("period per that of a rigid pendulum", period_per_theory(length, height), 1.0),))


def _triangles(mesh: shapes.Mesh) -> shapes.Mesh:
    return mesh[0], shapes.triangles_of(mesh)


CASES = (
    product_case(
        "product_hinges",
        "boxes that swing about a pinned edge",
        "Boxes of *Rubber* are pinned along one of their edges and released level. They swing as rigid pendulums do, "
        "T = 4 K(sin A/2) √((k² + d²)/(g d)), by up to 84° to each side.",
        [
            _probe("bar, quads", hinged(shapes.box((1.0, 0.1, 0.1), (10, 2, 2))), 1.0, 0.1),
            _probe("bar, triangles", hinged(_triangles(shapes.box((1.0, 0.2, 0.1), (15, 4, 3)))), 1.0, 0.1),
            _probe("cube of eight vertices", hinged(shapes.box((0.3, 0.3, 0.3))), 0.3, 0.3),
            _probe("slab, turned", hinged(shapes.box((0.6, 0.3, 0.2), (6, 3, 2)), 0.4), 0.6, 0.2),
        ],
    ),
)
