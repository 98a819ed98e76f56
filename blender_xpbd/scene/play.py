# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist does to a scene while it plays: one input for each frame, known before the frame is simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .body import Body
from .errors import XpbdError
from .material import Material
from .parameter import Value
from .scene import Scene

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Vector = tuple[float, float, float]

# of a grab, so that a substep looks at no more
MOST_GRABBED = 512
# beyond these an input is none that somebody has given by hand
_GREATEST_LENGTH = 1e9
_GREATEST_ACCELERATION = 1e9
_GREATEST_FREQUENCY = 1e6


@dataclass(frozen=True)
class Grab:
    """A body held at a patch of its surface, as by a spring from the mouse.

    Attributes:
        body: its identifier.
        corners: vertices of the triangle that was hit.
        weights: where in it, barycentric.
        radius: of the patch around that point at rest [m]; 0 for the point alone.
        frequency: at which the whole body would swing on the spring [Hz].
        target: where the middle of the patch is drawn to at the end of the frame [m].
    """

    body: str
    corners: tuple[int, int, int]
    weights: Vector
    radius: float
    frequency: float
    target: Vector


@dataclass(frozen=True)
class Changes:
    """What is other than in the job.

    Attributes:
        substeps: per frame; 0 for those that the run began with.
        gravity: [m/s²], or None.
        materials: values of all parameters, by the identifier of the body.
    """

    substeps: int = 0
    gravity: Vector | None = None
    materials: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)


@dataclass(frozen=True)
class PlayInput:
    """What acts from the frame before to this one.

    Attributes:
        frame: its number.
        grab: what the mouse holds, or None.
        acceleration: of all bodies besides gravity: a push, or wind [m/s²].
        pull: of all bodies to a point, as by a spring [1/s²].
        pull_point: that point [m].
        changes: of parameters, from this frame on.
    """

    frame: int
    grab: Grab | None = None
    acceleration: Vector = (0.0, 0.0, 0.0)
    pull: float = 0.0
    pull_point: Vector = (0.0, 0.0, 0.0)
    changes: Changes = field(default_factory=Changes)


def validate_input(given: PlayInput, scene: Scene) -> None:
    """Check what a stranger's folder may have got wrong.

    Raises:
        XpbdError: E_PARAM.
    """
    bodies = {body.identifier: body for body in scene.bodies}
    within = [np.abs(given.acceleration).max() <= _GREATEST_ACCELERATION, 0.0 <= given.pull <= _GREATEST_ACCELERATION]
    within += [np.abs(given.pull_point).max() <= _GREATEST_LENGTH, given.changes.substeps <= 10_000]
    within += [bodies.keys() >= given.changes.materials.keys()]
    if given.changes.gravity is not None:
        within += [np.abs(given.changes.gravity).max() <= _GREATEST_ACCELERATION]
    if (grab := given.grab) is not None:
        body = bodies.get(grab.body)
        within += [body is not None and all(0 <= corner < body.vertex_count for corner in grab.corners)]
        within += [min(grab.weights) >= -1e-6 and abs(sum(grab.weights) - 1.0) <= 1e-3]
        within += [0.0 <= grab.radius <= _GREATEST_LENGTH, 0.0 < grab.frequency <= _GREATEST_FREQUENCY]
        within += [np.abs(grab.target).max() <= _GREATEST_LENGTH]
    if not all(within):
        raise XpbdError("E_PARAM", "The recorded input is none of this scene; play again.", frame=given.frame)


def changed_scene(scene: Scene, changes: Changes) -> Scene:
    """The scene under other parameters.

    Raises:
        XpbdError: E_PARAM, for a value out of range.
    """
    bodies = tuple(
        replace(body, material=Material.from_values(changes.materials[body.identifier], body.name))
        if body.identifier in changes.materials
        else body
        for body in scene.bodies
    )
    gravity = scene.gravity if changes.gravity is None else np.array(changes.gravity)
    return replace(scene, bodies=bodies, gravity=gravity)


def grabbed_patch(body: Body, grab: Grab) -> tuple[Ints, Floats]:
    """The vertices that a grab holds, and their weights in the middle of the patch, which sum to 1.

    The weights fall off smoothly with the distance at rest from the point that was hit, so what is drawn out is a bump
    and no spike, whatever the resolution. Both sides ask here: who shows the run and who simulates it.

    Returns:
        Vertices, ascending, shape (vertices,), at most ``MOST_GRABBED``; weights, shape (vertices,).
    """
    weights = np.zeros(body.vertex_count)
    np.add.at(weights, list(grab.corners), np.maximum(grab.weights, 0.0))
    if grab.radius > 0.0:
        point = np.array(grab.weights) @ body.positions[list(grab.corners)]
        share = np.sum((body.positions - point) ** 2, axis=1) / grab.radius**2
        weights += np.maximum(1.0 - share, 0.0) ** 2
    vertices = np.flatnonzero(weights > 0.0)
    if len(vertices) > MOST_GRABBED:
        strongest = np.argsort(-weights[vertices], kind="stable")[:MOST_GRABBED]
        vertices = np.sort(vertices[strongest])
    found = weights[vertices]
    return vertices.astype(np.int32), found / found.sum()
