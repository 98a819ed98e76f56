# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a scene to the motion of another one while a region of it is simulated again.

Particles outside the region are fixed and follow that motion. Those inside move, and may be drawn to it: near what is
held, and over the last frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.own_settings import is_pbd, own_settings
from ...bodies.vertex_factors import embedded_factors
from ...constraints import CONSTRAINTS
from ...constraints.attachment import ATTACHMENT, build_attachment
from ...constraints.constraint import ConstraintBlock
from ...scene.errors import XpbdError
from ...scene.region import Region
from ...scene.scene import Scene
from ..order.schedule import Schedule

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# how firmly a particle is drawn: hardly, and as good as rigidly [Hz]. Chosen by hand: at the second a hundredth of a
# substep's gravity is left, as of a loop
_LEAST_FREQUENCY, _GREATEST_FREQUENCY = 0.5, 1000.0
# a point meets colliders where free particles carry more than this share of it; chosen by hand
_LEAST_FREE = 0.5
# of what is not drawn [m/N]
_LIMP = 1e12


@dataclass
class RegionMotion:
    """Where all particles of the bodies are in the other job, at the two ends of the frame that is simulated.

    Attributes:
        places: by the frame, counted from the start; relative to the origin [m], shape (particles, 3).
    """

    places: dict[int, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class RegionHold:
    """What follows the other job's motion.

    Attributes:
        region: what is simulated again.
        is_held: of each particle of the bodies, whether it is fixed to that motion, shape (particles,).
        drawn: particles that have an anchor, shape (drawn,).
        first_anchor: number of the first anchor.
        drawing: how much of each of them is held at all frames: from 0 to below 1, shape (drawn,).
        masses: of each of them [kg], shape (drawn,).
        shares: what takes the place of a compliance in PBD mode is one of n equal shares; 0 in XPBD mode.
        rows: where the compliance of each of them stands in the flat parameters, shape (drawn,).
        motion: set before each frame.
    """

    region: Region
    is_held: Mask
    drawn: Ints
    first_anchor: int
    drawing: Floats
    masses: Floats
    shares: int
    rows: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    motion: RegionMotion = field(default_factory=RegionMotion)

    @property
    def particles(self) -> Ints:
        """What is moved: fixed particles, then anchors, shape (moved,)."""
        anchors = np.arange(self.first_anchor, self.first_anchor + len(self.drawn), dtype=np.int32)
        return np.concatenate([np.flatnonzero(self.is_held).astype(np.int32), anchors])

    @property
    def sources(self) -> Ints:
        """The particle whose place in the other job each of these takes, shape (moved,)."""
        return np.concatenate([np.flatnonzero(self.is_held), self.drawn]).astype(np.int32)

    def places(self, frame_index: int) -> Floats:
        """Where these are at a frame, counted from the start, relative to the origin [m], shape (moved, 3)."""
        return self.motion.places[frame_index][self.sources]

    def pulls(self) -> ConstraintBlock:
        """What draws particles to their anchors."""
        anchors = np.arange(self.first_anchor, self.first_anchor + len(self.drawn), dtype=np.int32)
        return build_attachment(np.stack([self.drawn, anchors], axis=1), np.full(len(self.drawn), _LIMP))

    def scheduled(self, schedule: Schedule, number: int) -> RegionHold:
        """With the rows that its pulls, the block of this number, have got in a schedule."""
        kind = CONSTRAINTS.index(ATTACHMENT)
        rows = schedule.rows.get(number, np.zeros(0, np.int32))
        own = schedule.indices[int(schedule.table[kind, 1]) + 2 * rows[:, None] + np.arange(2)]
        by_anchor = rows[np.argsort(own[:, 1])]
        return replace(self, rows=(int(schedule.table[kind, 2]) + by_anchor).astype(np.int32))

    def parameters(self, frame: int) -> Floats:
        """Of the pulls in the frame that leads to this one, in the order of ``rows``, shape (drawn,)."""
        held = 1.0 - (1.0 - self.drawing) * (1.0 - self.region.returned(frame))
        if self.shares:
            return 1.0 - (1.0 - held) ** (1.0 / self.shares)
        rates = 2.0 * np.pi * _LEAST_FREQUENCY * (_GREATEST_FREQUENCY / _LEAST_FREQUENCY) ** held
        return np.where(held > 0.0, 1.0 / (self.masses * rates**2), _LIMP)


def build_region_hold(scene: Scene, models: Sequence[BodyModel], starts: Ints) -> RegionHold | None:
    """What holds the bodies of a scene that has a region; None where it has none.

    Args:
        scene: of the bodies.
        models: of them.
        starts: first particle of each, then the end of the last.

    Returns:
        The hold, whose anchors are yet to get their numbers, or None.

    Raises:
        XpbdError: E_PARAM, where nothing of the region could move.
    """
    region = scene.region
    if region is None:
        return None
    number = next(number for number, model in enumerate(models) if model.body.identifier == region.body)
    model = models[number]
    is_free, freedoms = _freed(model, region)
    if not is_free.any():
        text = "The region is so small that nothing in it could move: take more vertices, or a finer cage."
        raise XpbdError("E_PARAM", text, model.body.name)
    is_held = np.ones(int(starts[-1]), np.bool_)
    mine = slice(int(starts[number]), int(starts[number + 1]))
    is_held[mine] = ~is_free
    leads_back = region.blend > 0
    is_drawn = is_free & ((freedoms < 1.0) | leads_back) & (model.masses > 0.0) & (model.pin_weights < 1.0)
    drawn = np.flatnonzero(is_drawn)
    own = own_settings(model.body, scene.settings)
    return RegionHold(
        region,
        is_held,
        (drawn + mine.start).astype(np.int32),
        int(starts[-1]),
        1.0 - freedoms[drawn],
        model.masses[drawn],
        own.iterations if is_pbd(model.body, scene.settings) else 0,
    )


def released(model: BodyModel, is_held: Mask) -> BodyModel:
    """A body whose held particles follow nothing of their own.

    Args:
        model: the body, whose constraints stay as they are.
        is_held: of its particles, shape (particles,).
    """
    hierarchy = model.hierarchy
    if hierarchy is not None:
        finest = hierarchy.levels[0]
        weights = np.where(is_held[: len(finest.weights), None], 0.0, finest.weights)
        hierarchy = replace(hierarchy, levels=(replace(finest, weights=weights), *hierarchy.levels[1:]))
    return replace(model, pin_weights=np.where(is_held, 0.0, model.pin_weights), hierarchy=hierarchy)


def meeting(model: BodyModel, is_held: Mask) -> BodyModel:
    """A body with those points alone of its surface that free particles carry for the greater part.

    A push against the others would be given to a particle that hardly moves them, and throw it away.

    Args:
        model: the body.
        is_held: of its particles, shape (particles,).
    """

    def kept(elements: Ints, weights: Floats) -> Mask:
        shares = np.abs(weights)
        free: Mask = (shares * ~is_held[elements]).sum(axis=1) > _LEAST_FREE * shares.sum(axis=1)
        return free

    vertices, between = kept(model.elements, model.weights), kept(model.surface_elements, model.surface_weights)
    frictions = model.frictions[np.concatenate([vertices, between])] if len(model.frictions) else model.frictions
    return replace(
        model,
        elements=model.elements[vertices],
        weights=model.weights[vertices],
        surface_elements=model.surface_elements[between],
        surface_weights=model.surface_weights[between],
        frictions=frictions,
    )


def _freed(model: BodyModel, region: Region) -> tuple[Mask, Floats]:
    """Which particles of the body move, and how freely, shape (particles,).

    None moves that carries a vertex outside; inside a solid it is as the nearest vertices have it.
    """
    inside = np.zeros(model.body.vertex_count)
    inside[region.vertices] = 1.0
    freedoms = np.zeros(model.body.vertex_count)
    freedoms[region.vertices] = region.freedoms
    count = len(model.positions)
    carried = (model.elements, model.weights, model.edges, count)
    is_free = embedded_factors(inside, *carried) > 0.5
    carries = model.elements[inside == 0.0][model.weights[inside == 0.0] != 0.0]
    is_free[carries] = False
    return is_free, np.clip(embedded_factors(freedoms, *carried), 0.0, 1.0)
