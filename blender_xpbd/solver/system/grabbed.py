# SPDX-License-Identifier: GPL-3.0-or-later
"""The particles that a hand holds while a run is played: which, how strongly, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...constraints.grab import END, GREATEST_ACCELERATION, MOST_PARTICLES, SPRING, START, grab_compliance
from ...device.arrays import make_zeros
from ...device.runtime import real_type
from ...scene.play import Grab, grabbed_patch
from .frame_slice import FrameSlice
from .system import System

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GrabbedParticles:
    """What a hand holds through a frame.

    Attributes:
        particles: of the patch, shape (particles,), at most ``MOST_PARTICLES``.
        weights: which sum to 1, shape (particles,).
        greatest_force: [N].
        compliance: [m/N].
        damping_time: [s].
        start, end: where the hand is at the two ends of the frame, relative to the system's origin [m], shape (3,).
    """

    particles: npt.NDArray[np.int32]
    weights: Floats
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
    particles = np.flatnonzero(weights)
    if len(particles) > MOST_PARTICLES:
        particles = np.sort(particles[np.argsort(-np.abs(weights[particles]), kind="stable")[:MOST_PARTICLES]])
    found = weights[particles]
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
        GREATEST_ACCELERATION * mass,
        compliance,
        damping_time,
        np.array(before.target) - system.origin if is_same and before is not None else target,
        target,
    )


def grab_arrays(*, takes_grabs: bool) -> dict[str, Any]:
    """The arrays of a grab on the device; none is held yet."""
    count = MOST_PARTICLES if takes_grabs else 0
    return {
        "grab_particles": make_zeros((count,), ti.i32),
        "grab_weights": make_zeros((count,), real_type()),
        "grab_places": make_zeros((3, 3), real_type()),
    }


def grab_table(grab: GrabbedParticles | None, frame_slice: FrameSlice) -> dict[str, npt.NDArray[Any]]:
    """What these arrays hold through a slice of a frame."""
    particles, weights, places = np.zeros(MOST_PARTICLES, np.int32), np.zeros(MOST_PARTICLES), np.zeros((3, 3))
    if grab is not None:
        count = len(grab.particles)
        particles[:count], weights[:count] = grab.particles, grab.weights
        places[START], places[END] = frame_slice.ends(grab.start, grab.end)
        places[SPRING] = grab.greatest_force, grab.compliance, grab.damping_time
    return {"grab_particles": particles, "grab_weights": weights, "grab_places": places}
