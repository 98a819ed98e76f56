# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands that swing: one link from 10° and from 90°, and a chain of 20 nodes."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .gallery_scene import GalleryScene, View
from .stage import BLUE, ORANGE, PURPLE, add_curve, set_frames, set_solver

LENGTH = 1.0
HEIGHT = 1.5
FRAMES_PER_SECOND = 60
# of the chain: how far its end is pushed [m], and the first zero of the Bessel function J₀
_PUSH, _ZERO = 0.05, 2.404826


def _build(scene: bpy.types.Scene, _file: str) -> None:
    set_frames(scene, 1 + 5 * FRAMES_PER_SECOND, FRAMES_PER_SECOND)
    set_solver(scene, substeps=20)
    strands = (
        ("Link from 10°", _link(10.0), -0.6, ORANGE),
        ("Link from 90°", _link(90.0), 0.0, PURPLE),
        ("Chain", _chain(20), 0.6, BLUE),
    )
    for name, points, place, colour in strands:
        strand = add_curve(scene, name, [points], thickness=0.01, colour=colour)
        strand.location = (0.0, place, HEIGHT)
        settings = strand.xpbd
        settings.role, settings.preset = "STRAND", "THREAD"
        settings.internal_damping = settings.bending_share = settings.twist_stiffness = settings.air_drag = 0.0
        settings.pinned_ends, settings.hold_direction = "START", False
        settings.use_body_collision = False


def _link(degrees: float) -> np.ndarray:
    """A segment from the origin, so far from the vertical."""
    angle = math.radians(degrees)
    return np.array([(0.0, 0.0, 0.0), (LENGTH * math.sin(angle), 0.0, -LENGTH * math.cos(angle))])


def _chain(nodes: int) -> np.ndarray:
    """The shape in which a hanging chain swings slowest: J₀(z √(1 − s)) at the share s of its length."""
    shares = np.linspace(0.0, 1.0, nodes)
    aside = _PUSH * _bessel(_ZERO * np.sqrt(1.0 - shares))
    lengths = LENGTH / (nodes - 1)
    drops = np.sqrt(lengths**2 - np.diff(aside) ** 2)
    return np.column_stack((aside, np.zeros(nodes), -np.concatenate(([0.0], np.cumsum(drops)))))


def _bessel(x: np.ndarray) -> np.ndarray:
    """J₀ by its series, for small arguments."""
    terms = [(-1.0) ** k * (0.5 * x) ** (2 * k) / math.factorial(k) ** 2 for k in range(12)]
    values: np.ndarray = np.sum(terms, axis=0)
    return values


PENDULUMS = GalleryScene(
    "PENDULUMS",
    "Pendulums",
    "Strands swing from a hinge: one link of 1 m from 10° and from 90°, and a chain of 20 nodes",
    "periods 2.0099 s, 2.3678 s (± 0.5 %) and 1.6684 s (± 1 %); each stays in its plane to 0.1 mm",
    _build,
    View((3.6, -3.4, 1.8), (0.1, 0.0, 1.1)),
    25,
)
