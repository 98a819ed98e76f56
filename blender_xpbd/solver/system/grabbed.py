# SPDX-License-Identifier: GPL-3.0-or-later
"""The particles that a hand holds while a run is played: which, how strongly, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...bodies.body_model import BodyModel
from ...constraints.attachments.grab import (
    END,
    GREATEST_ACCELERATION,
    MOST_PARTICLES,
    PULLED,
    SEEN,
    SPRING,
    START,
    grab_compliance,
)
from ...device.arrays import make_zeros
from ...device.runtime import real_type
from ...geometry.components import connected_components
from ...scene.play import Grab, grabbed_patch
from .frame_slice import FrameSlice
from .system import System

Floats = npt.NDArray[np.float64]

# of a patch [kg], where nothing of it moves; of the mass of a body, which a hand takes along; and how much farther it
# reaches until it does
_LEAST_MASS, _LEAST_SHARE, _WIDER = 1e-30, 0.1, 1.1


@dataclass(frozen=True)
class GrabbedParticles:
    """What a hand holds through a frame.

    Attributes:
        particles: of the patch, shape (particles,), at most ``MOST_PARTICLES``.
        weights: in what the hand sees as the middle of the patch, which sum to 1, shape (particles,).
        pulls: how far a unit of the multiplier moves each [1/kg], shape (particles,); times mass they sum to 1.
        greatest_force: [N].
        compliance: [m/N].
        damping_time: [s].
        start, end: where the hand is at the two ends of the frame, relative to the system's origin [m], shape (3,).
    """

    particles: npt.NDArray[np.int32]
    weights: Floats
    pulls: Floats
    greatest_force: float
    compliance: float
    damping_time: float
    start: Floats
    end: Floats


def grabbed_particles(system: System, grab: Grab, before: Grab | None) -> GrabbedParticles:
    """The particles of a grab.

    Args:
        system: what is simulated.
        grab: in the frame that comes.
        before: in the frame before it; where it is another one, the hand has stood still.
    """
    number = next(n for n, model in enumerate(system.models) if model.body.identifier == grab.body)
    model, start = system.models[number], int(system.starts[number])
    vertices, shares = grabbed_patch(model.body, grab)
    weights = np.zeros(len(model.positions))
    np.add.at(weights, model.elements[vertices], shares[:, None] * model.weights[vertices])
    nearness = _nearness(model, grab, weights)
    # those that are seen first, then the nearest
    order = np.lexsort((-nearness, -np.abs(weights)))[:MOST_PARTICLES]
    particles = np.sort(order[(weights[order] != 0.0) | (nearness[order] > 0.0)])
    found, pulls = weights[particles], nearness[particles]
    mass = float(model.masses.sum())
    compliance, damping_time = grab_compliance(mass, grab.frequency)
    target = np.array(grab.target) - system.origin
    is_same = before is not None and (before.body, before.corners, before.weights) == (
        grab.body,
        grab.corners,
        grab.weights,
    )
    return GrabbedParticles(
        (particles + start).astype(np.int32),
        found / found.sum(),
        pulls / max(float(pulls @ model.masses[particles]), _LEAST_MASS),
        GREATEST_ACCELERATION * mass,
        compliance,
        damping_time,
        np.array(before.target) - system.origin if is_same and before is not None else target,
        target,
    )


def _nearness(model: BodyModel, grab: Grab, weights: Floats) -> Floats:
    """How strongly each particle goes along with a hand, 0 to 1, shape (particles,).

    It falls off smoothly around the point that was hit, inside too: so flesh is moved, and no skin drawn off it. At an
    edge, a corner or an ear the hand reaches farther, for what weighs little would be torn out. It reaches what hangs
    together with what is held alone: another piece of the body, or another grain, is not taken along.

    Args:
        model: of the body.
        grab: what holds it.
        weights: of each particle in the middle of the patch, shape (particles,).
    """
    nearness = np.maximum(weights, 0.0)
    if grab.radius > 0.0:
        corners = list(grab.corners)
        corner_places = np.einsum("vk,vkd->vd", model.weights[corners], model.positions[model.elements[corners]])
        squares = np.sum((model.positions - np.array(grab.weights) @ corner_places) ** 2, axis=1)
        pieces = _pieces(model)
        own = np.isin(pieces, pieces[np.flatnonzero(weights)])
        radius, least = grab.radius, _LEAST_SHARE * model.masses[own].sum()
        around = own * np.maximum(1.0 - squares / radius**2, 0.0) ** 2
        while around @ model.masses < least:
            radius *= _WIDER
            around = own * np.maximum(1.0 - squares / radius**2, 0.0) ** 2
        nearness = np.maximum(nearness, around)
    return np.where(model.masses > 0.0, nearness, 0.0)


def _pieces(model: BodyModel) -> npt.NDArray[np.int32]:
    """Label every particle with its piece, by edges and tetrahedra: constraints are no longer at hand."""
    count = len(model.positions)
    labels = connected_components(count, model.edges)
    for corner in range(1, 4):
        labels = connected_components(count, model.tetrahedra[:, [0, corner]], labels)
    return labels


def grab_arrays(*, takes_grabs: bool) -> dict[str, Any]:
    """The arrays of a grab on the device; none is held yet."""
    count = MOST_PARTICLES if takes_grabs else 0
    return {
        "grab_particles": make_zeros((count,), ti.i32),
        "grab_weights": make_zeros((count, 2), real_type()),
        "grab_places": make_zeros((3, 3), real_type()),
    }


def grab_table(grab: GrabbedParticles | None, frame_slice: FrameSlice) -> dict[str, npt.NDArray[Any]]:
    """What these arrays hold through a slice of a frame."""
    particles, weights, places = np.zeros(MOST_PARTICLES, np.int32), np.zeros((MOST_PARTICLES, 2)), np.zeros((3, 3))
    if grab is not None:
        count = len(grab.particles)
        particles[:count], weights[:count, SEEN], weights[:count, PULLED] = grab.particles, grab.weights, grab.pulls
        places[START], places[END] = frame_slice.ends(grab.start, grab.end)
        places[SPRING] = grab.greatest_force, grab.compliance, grab.damping_time
    return {"grab_particles": particles, "grab_weights": weights, "grab_places": places}
