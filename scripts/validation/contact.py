# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction and restitution on planes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.scene.collider import Collider

from .case import Case, Curve, Plot, Result, absolute, relative
from .meshes import cloth, grid
from .simulation import GRAVITY, positions_of, run, start


def plane(angle: float = 0.0, friction: float = 0.5, restitution: float = 0.0) -> Collider:
    """A plane through the origin, tilted about the Y axis so that it falls towards +X [rad]."""
    matrix = np.eye(4)
    matrix[:3, :3] = tilt(angle)
    return Collider("c0", "Plane", "PLANE", matrix[None], friction=friction, restitution=restitution)


def tilt(angle: float) -> np.ndarray:
    """Rotation about Y [rad]."""
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


def plate(angle: float, height: float, velocity: tuple[float, float, float], **values: float) -> BodyModel:
    """A stiff square that lies on the plane, or above it."""
    positions, sizes, corners = grid(0.3, 0.3, 3, 3, "quads")
    positions = (positions + np.array([0.0, 0.0, height])) @ tilt(angle).T
    model = cloth(
        (positions, sizes, corners), stiffness_input="COMPLIANCE", bending_compliance=0.0, contact_offset=0.0, **values
    )
    return replace(model, body=replace(model.body, velocity=np.array(velocity)))


def incline() -> Result:
    """Slips iff tan θ > μ."""
    angle, rows, curves = np.radians(30.0), [], []
    for friction in (0.3, 0.5, 0.65, 0.9):
        solver = start(plate(angle, 0.0, (0, 0, 0), friction=friction), colliders=[plane(angle, friction)])
        origin = positions_of(solver).mean(axis=0)
        path = [0.0, *(float(np.linalg.norm(run(solver, 1).mean(axis=0) - origin)) for _ in range(24))]
        expected = 0.5 * GRAVITY * max(np.sin(angle) - friction * np.cos(angle), 0.0)
        label = f"path after 1 s, μ = {friction} [m]"
        rows.append(relative(label, expected, path[-1], 0.02) if expected else absolute(label, 0.0, path[-1], 1e-3))
        curves.append(Curve(f"μ = {friction}", np.arange(25) / 24, path))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves)), "tan 30° = 0.577.")


def stopping() -> Result:
    """v²/(2 μ g)."""
    rows, curves = [], []
    for friction in (0.2, 0.5, 0.8):
        solver = start(plate(0.0, 0.0, (2.0, 0, 0), friction=friction), 40, colliders=[plane(friction=friction)])
        origin = positions_of(solver)[:, 0].mean()
        path = [0.0, *(float(run(solver, 1)[:, 0].mean() - origin) for _ in range(36))]
        rows.append(relative(f"stopping distance, μ = {friction} [m]", 4.0 / (2 * friction * GRAVITY), path[-1], 0.02))
        curves.append(Curve(f"μ = {friction}", np.arange(37) / 24, path))
    return Result(tuple(rows), Plot("time [s]", "path [m]", tuple(curves)))


def rebound() -> Result:
    """e² h."""
    rows, curves = [], []
    for restitution in (0.3, 0.6, 0.9):
        solver = start(plate(0.0, 0.5, (0, 0, 0), restitution=restitution), 20, 1, 1 / 240, colliders=[plane()])
        heights = np.array([0.5, *(run(solver, 1)[:, 2].mean() for _ in range(200))])
        landed = int(np.argmax(heights < 0.01))
        rows.append(
            relative(f"rebound from 0.5 m, e = {restitution} [m]", restitution**2 * 0.5, heights[landed:].max(), 0.02)
        )
        curves.append(Curve(f"e = {restitution}", np.arange(201) / 240, heights))
    return Result(tuple(rows), Plot("time [s]", "height [m]", tuple(curves)))


CASES = (
    Case(
        "incline",
        "Block on an incline",
        "A plate on a slope of 30° slips if and only if tan θ > μ, with g (sin θ − μ cos θ).",
        incline,
        quick=True,
    ),
    Case("stopping", "Stopping distance", "A plate that slides at 2 m/s stops after v²/(2 μ g).", stopping, quick=True),
    Case("rebound", "Rebound", "A plate dropped from 0.5 m rises to e² h.", rebound, quick=True),
)
