# SPDX-License-Identifier: GPL-3.0-or-later
"""A system that takes an input for each frame: what of it an input moves, and how."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..scene.force import Force
from ..scene.play import PlayInput
from ..scene.scene import Scene
from ..scene.track import SCENE_TARGET
from ..solver.solver import Solver
from ..solver.system.grabbed import grabbed_particles
from ..solver.system.system import System
from ..solver.system.tracks import GRAVITY, Tracks

Floats = npt.NDArray[np.float64]

PULL = "playpull"
# of critical damping: what is pulled soon comes to rest at the point
PULL_DAMPING = 0.5


def with_pull(scene: Scene) -> Scene:
    """The scene with a field that pulls to a point, and acts on all bodies; an input says how strongly, and where.

    What comes is unknown, so poses, whose force goes by what is foreseen, are left out.
    """
    places = np.tile(np.eye(4), (scene.frames.count, 1, 1))
    pull = Force(PULL, "Pull", "HARMONIC", places, strength=1.0, damping=PULL_DAMPING)
    fields = [None if body.fields is None else (*body.fields, PULL) for body in scene.bodies]
    bodies = tuple(replace(body, fields=own, poses=()) for body, own in zip(scene.bodies, fields, strict=True))
    return replace(scene, bodies=bodies, forces=(*scene.forces, pull))


class PlayedSystem:
    """Writes inputs where the solver reads what acts in the frames to come.

    What is there of a frame follows from the inputs up to it alone, so a recorded run gives the same bytes again, also
    from a checkpoint on.

    Attributes:
        system: goes by the inputs.
    """

    def __init__(self, system: System) -> None:
        """Nobody does anything yet.

        Args:
            system: of a scene as ``with_pull`` returns it.
        """
        count = system.scene.frames.count
        self._own_gravity = system.tracks.gravities(system.scene.gravity, range(count))
        self._gravity = self._own_gravity.copy()
        self._pull = np.zeros(count)
        self._places = next(force for force in system.scene.forces if force.identifier == PULL).transforms
        self._places[:] = np.eye(4)
        values = {
            **system.tracks.values,
            **{(SCENE_TARGET, name): self._gravity[:, axis] for axis, name in enumerate(GRAVITY)},
            (PULL, "strength"): self._pull,
        }
        tracks = Tracks(values)
        self.system = replace(system, tracks=tracks, takes_grabs=True)

    def take(self, index: int, given: PlayInput) -> None:
        """Note the input of a frame, counted from the start.

        Gravity counts from a frame to the next one. The pull goes evenly from one frame to the next.
        """
        self._gravity[index - 1] = self._own_gravity[index - 1] + given.acceleration
        self._pull[index] = given.pull
        self._places[index, :3, 3] = given.pull_point
        if self._pull[index - 1] == 0.0:
            self._places[index - 1, :3, 3] = given.pull_point

    def hold(self, solver: Solver, given: PlayInput, before: PlayInput | None) -> None:
        """Let the hand of an input hold what it holds in the next frame.

        Args:
            solver: of the system.
            given: the input of the frame that comes.
            before: of the frame before it, None for the first.
        """
        last = None if before is None else before.grab
        solver.grab = None if given.grab is None else grabbed_particles(self.system, given.grab, last)
