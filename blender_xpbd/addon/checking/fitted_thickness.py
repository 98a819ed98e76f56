# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies made so thin that what starts near to each other stays as it is: those of a stack, and folds of one body."""

from __future__ import annotations

import bpy

from ...scene.scene import Scene
from .gaps import Gaps
from .near_folds import near_folds
from .near_starts import near_stacks

# of an edge, from how much on a distance can be a thickness
LEAST_THICKNESS = 0.01


def fit_thickness(scene: bpy.types.Scene, read: Scene, name: str, unit_scale: float) -> str:
    """Let all bodies of the stack that a body starts in be so thin that they stay, and its folds.

    Args:
        scene: of the objects.
        read: the same, as it was read at its first frame.
        name: of the body.
        unit_scale: metres per Blender unit.

    Returns:
        Why not, where one cannot, and "" else.
    """
    gaps = Gaps()
    distances = _in_stacks(read, name)
    for body in read.bodies:
        folds = near_folds(body, gaps) if body.name == name or body.name in distances else None
        if folds is not None:
            distances[body.name] = min(folds.distance, distances.get(body.name, folds.distance))
    bodies = [body for body in read.bodies if body.name in distances]
    for body in bodies:
        if distances[body.name] < LEAST_THICKNESS * gaps.edge(body):
            return f'"{body.name}" all but touches another one, or itself: move them apart'
    for body in bodies:
        thickness = min(distances[body.name], gaps.thickness(body))
        scene.objects[body.name].xpbd.thickness = thickness / unit_scale
    return "" if bodies else f'"{name}" starts near to nothing that would move it'


def _in_stacks(read: Scene, name: str) -> dict[str, float]:
    """Of the bodies of the stacks in which one starts, how far each is from the nearest other one [m]."""
    found: dict[str, float] = {}
    for pairs, _ in near_stacks(read):
        named = [(read.bodies[number].name, pair.distance) for pair in pairs for number in (pair.first, pair.second)]
        if name in {one for one, _ in named}:
            for one, distance in named:
                found[one] = min(distance, found.get(one, distance))
    return found
