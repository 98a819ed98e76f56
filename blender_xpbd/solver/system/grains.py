# SPDX-License-Identifier: GPL-3.0-or-later
"""The grains of all bodies, and what the solver knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.vertex_factors import vertex_factors
from ...contacts.grains.gather import COHESION_REACH
from ...contacts.grains.growth import GrainGrowth, build_growth
from ...contacts.grains.tables import (
    GRAIN_BODY,
    GRAIN_INTS,
    GRAIN_PARTICLE,
    GRAIN_POINT,
    RULE_COHESION,
    RULE_FRICTION,
    RULE_MEETS,
    RULE_RESTITUTION,
    RULE_WIDTH,
)
from ...scene.body import Body
from ..order.contact_points import ContactPoints
from .tracks import Tracks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# how much farther apart than touching pairs are listed, by the smallest radius. Chosen by trying: with less, lists are
# made more often, with more they are longer
SLACK = 0.8


@dataclass(frozen=True)
class Grains:
    """The grains of a scene that meet others.

    Attributes:
        models: of all bodies, without their constraints.
        ints: of each grain, columns as in ``contacts.grains.tables``, shape (grains, ``GRAIN_INTS``).
        radii: [m], shape (grains,).
        grips: root of what a vertex group makes of the friction of each, shape (grains,).
        meet: which bodies' grains meet, shape (bodies, bodies).
        growth: how those begin that start inside each other.
        stick: whether some hold on to each other.
    """

    models: tuple[BodyModel, ...]
    ints: Ints
    radii: Floats
    grips: Floats
    meet: npt.NDArray[np.bool_]
    growth: GrainGrowth
    stick: bool

    def __len__(self) -> int:
        return len(self.ints)

    @property
    def sizes(self) -> Floats:
        """Of the grid: cell, slack and stray [m], shape (3,)."""
        least, greatest = (float(self.radii.min()), float(self.radii.max())) if len(self) else (1.0, 1.0)
        stray = SLACK * least / 2.0
        slack = 2.0 * stray + (2.0 * greatest * COHESION_REACH if self.stick else 0.0)
        return np.array([2.0 * greatest + slack, slack, stray])

    def rules(self, tracks: Tracks, frame_index: int) -> Floats:
        """What counts where grains of two bodies touch, at a frame; shape (bodies, bodies, ``RULE_WIDTH``).

        Friction and cohesion are the geometric mean of both, restitution is the greater one.
        """
        count = len(self.models) if len(self) else 0
        rules = np.zeros((count, count, RULE_WIDTH))
        if count:
            friction, restitution, cohesion = (
                np.array(
                    [
                        tracks.at(model.body.identifier, name, getattr(model.body.material, name), frame_index)
                        for model in self.models
                    ]
                )
                for name in ("friction", "restitution", "cohesion")
            )
            rules[:, :, RULE_MEETS] = self.meet
            rules[:, :, RULE_FRICTION] = np.sqrt(np.outer(friction, friction))
            rules[:, :, RULE_RESTITUTION] = np.maximum.outer(restitution, restitution)
            rules[:, :, RULE_COHESION] = np.sqrt(np.outer(cohesion, cohesion))
        return rules


def build_grains(
    models: Sequence[BodyModel], starts: Ints, places: Floats, inverse_masses: Floats, contacts: ContactPoints
) -> Grains:
    """Find the grains of a scene that meet others.

    Args:
        models: of all bodies.
        starts: first particle of each body.
        places: where particles start [m], shape (particles, 3).
        inverse_masses: of particles [1/kg], shape (particles,).
        contacts: the points that meet colliders, of which each grain is one.

    Raises:
        XpbdError: E_OVERLAP, where too many start in one place.
    """
    rows = []
    members = [_members(model) for model in models]
    for number, (mine, start) in enumerate(zip(members, starts, strict=False)):
        row = np.zeros((len(mine), GRAIN_INTS), np.int32)
        row[:, GRAIN_PARTICLE] = start + mine
        row[:, GRAIN_BODY] = number
        rows.append(row)
    ints = np.concatenate([np.zeros((0, GRAIN_INTS), np.int32), *rows])
    point_of = np.zeros(int(starts[-1]), np.int32)
    point_of[contacts.elements[:, 0]] = np.arange(len(contacts))
    particles = ints[:, GRAIN_PARTICLE]
    ints[:, GRAIN_POINT] = point_of[particles]
    bodies = [model.body for model in models]
    radii = np.concatenate([np.zeros(0), *(model.radii[mine] for model, mine in zip(models, members, strict=True))])
    meet = np.array([[_meet(a, b) for b in bodies] for a in bodies])
    return Grains(
        models=tuple(replace(model, blocks=()) for model in models),
        ints=ints,
        radii=radii,
        grips=np.concatenate(
            [np.zeros(0), *(_grips(model)[mine] for model, mine in zip(models, members, strict=True))]
        ),
        meet=meet,
        growth=build_growth(
            places[particles],
            radii,
            ints[:, GRAIN_BODY],
            meet,
            inverse_masses[particles] > 0.0,
            [body.name for body in bodies],
        ),
        stick=any(len(model.radii) and model.body.material.cohesion > 0.0 for model in models),
    )


def _members(model: BodyModel) -> Ints:
    """Which grains of a body meet others, by their numbers; those that are left out pass through all of them."""
    return np.setdiff1d(np.arange(len(model.radii), dtype=np.int32), model.body.contact.left_out)


def _grips(model: BodyModel) -> Floats:
    factors = vertex_factors(model.body, "friction")
    return np.ones(len(model.radii)) if factors is None else np.sqrt(factors[: len(model.radii)])


def _meet(a: Body, b: Body) -> bool:
    """Whether grains of two bodies meet; those of one always do."""
    if a is b:
        return True
    both = a.contact.body_collision and b.contact.body_collision
    return both and all(
        one.contact.sees is None or other.identifier in one.contact.sees for one, other in ((a, b), (b, a))
    )
