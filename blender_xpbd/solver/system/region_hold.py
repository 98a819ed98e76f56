# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a scene to the motion of another one while a region of it is simulated again.

Everything is simulated as it would be without a region. After each substep what lies outside the region is put where
the other scene has it, with its velocity; what lies in its border is brought nearer to that, and in the last frames so
is all of it. This is the relaxation by which models of a part of the atmosphere are nested in one of the whole (Davies
1976, "A lateral boundary formulation for multi-level prediction models", eq. 1). What gives way within a substep gives
way as it did. So where nothing has changed, nothing departs, to the byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.vertex_factors import embedded_factors
from ...scene.errors import XpbdError
from ...scene.region import Region
from ...scene.scene import Scene

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# how firmly a particle is drawn: hardly, and as good as rigidly [Hz]. Chosen by hand: at the second hardly anything is
# left after a substep, as of a loop
_LEAST_FREQUENCY, _GREATEST_FREQUENCY = 0.5, 1000.0


@dataclass(frozen=True)
class RegionHold:
    """What follows the other job's motion.

    Attributes:
        region: what is simulated again.
        freedoms: of each particle of the bodies: 0 where it is held, 1 where nothing draws it, shape (particles,).
        turn_freedoms: of each orientation, likewise, shape (orientations,).
        frame_duration: [s].
    """

    region: Region
    freedoms: Floats
    turn_freedoms: Floats
    frame_duration: float

    @property
    def is_held(self) -> Mask:
        """Of each particle of the bodies, whether it follows the other motion, shape (particles,)."""
        held: Mask = self.freedoms == 0.0
        return held

    def shares(self, freedoms: Floats, begin: float, end: float) -> Floats:
        """How much of what differs from the other motion is taken away after a substep, 0 to 1.

        Args:
            freedoms: of what may differ, shape (n,).
            begin: of the substep, in frames of the scene.
            end: likewise.
        """
        held = 1.0 - freedoms
        rates = 2.0 * np.pi * _LEAST_FREQUENCY * (_GREATEST_FREQUENCY / _LEAST_FREQUENCY) ** held
        left = np.where(held > 0.0, np.exp(-rates * (end - begin) * self.frame_duration), 1.0)
        before, after = (1.0 - self.region.returned(time) for time in (begin, end))
        left *= after / before if before > 0.0 else 0.0
        return np.where(freedoms > 0.0, 1.0 - left, 1.0)


def build_region_hold(scene: Scene, models: Sequence[BodyModel], starts: Ints) -> RegionHold | None:
    """What holds the bodies of a scene that has a region; None where it has none.

    Args:
        scene: of the bodies.
        models: of them.
        starts: first particle of each, then the end of the last.

    Raises:
        XpbdError: E_PARAM, where nothing of the region could move.
    """
    region = scene.region
    if region is None:
        return None
    number = next(number for number, model in enumerate(models) if model.body.identifier == region.body)
    freedoms = np.zeros(int(starts[-1]))
    freedoms[starts[number] : starts[number + 1]] = _freedoms(models[number], region)
    if not freedoms.any():
        text = "The region is so small that nothing in it could move: take more vertices, or a finer cage."
        raise XpbdError("E_PARAM", text, models[number].body.name)
    # a segment of a strand is as free as the end of it that is held most
    turns = [
        freedoms[start + model.rods.edges].min(axis=1) if model.rods is not None else np.zeros(len(model.orientations))
        for model, start in zip(models, starts, strict=False)
    ]
    return RegionHold(region, freedoms, np.concatenate(turns), scene.frames.frame_duration)


def _freedoms(model: BodyModel, region: Region) -> Floats:
    """How freely each particle of the body moves, shape (particles,).

    None moves that carries a vertex outside; inside a solid it is as the nearest vertices have it.
    """
    inside = np.zeros(model.body.vertex_count)
    inside[region.vertices] = 1.0
    freedoms = np.zeros(model.body.vertex_count)
    freedoms[region.vertices] = region.freedoms
    carried = (model.elements, model.weights, model.edges, len(model.positions))
    is_free = embedded_factors(inside, *carried) > 0.5
    carries = model.elements[inside == 0.0][model.weights[inside == 0.0] != 0.0]
    is_free[carries] = False
    return np.where(is_free, np.clip(embedded_factors(freedoms, *carried), 0.0, 1.0), 0.0)
