# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly at rest has no reason to move; symmetric jelly on a level floor has none to roll or to tilt to any side."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.constraints.constraint import WARM
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.solver.system.mode import static_mode
from tests.geometry.surfaces import cube, sphere
from tests.solver.scenes import jelly_of, pins, plane, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def on_the_floor(surface, preset, height, frames, **settings):
    """Masses of the particles of a jelly so far above a floor, where they were, and where they are after some frames.

    Args:
        surface: positions [m] and triangles.
        preset: of the material.
        height: of the lowest point at the start [m].
        frames: of a 24th of a second.
        settings: of the solver.
    """
    positions, triangles = surface
    positions = positions + np.array([0.0, 0.0, height - positions[:, 2].min()])
    body = jelly_of((positions, triangles), Material.from_values(preset_values(preset, "JELLY")))
    simulation = solver(body, colliders=[plane()], frames=(1, frames + 1), **settings)
    before = simulation.positions() + simulation.system.origin
    return 1.0 / simulation.system.inverse_masses, before, run(simulation, frames)


def ellipsoid(radii):
    points, triangles = sphere(24, 12)
    return points * radii, triangles


def turned_box(sizes):
    corners, triangles = cube()
    turn = np.linalg.qr(np.array([[0.9, 0.2, -0.1], [0.3, 0.8, 0.4], [0.0, -0.3, 0.9]]))[0]
    return (corners * sizes) @ turn.T, triangles


@pytest.mark.parametrize("poissons_ratio", [0.3, 0.45])
@pytest.mark.parametrize("substeps", [12, 20, 28])
@pytest.mark.parametrize(
    "surface",
    [ellipsoid([0.035, 0.03, 0.11]), ellipsoid([0.16, 0.09, 0.15]), turned_box([0.08, 0.1, 0.13])],
    ids=["ear", "belly", "box"],
)
def test_nothing_flutters_where_nothing_acts(surface, substeps, poissons_ratio):
    """A corner that a single cut cell holds is light, and pulls along the shape and the volume move it the same way."""
    body = jelly_of(surface, Material(youngs_modulus=2e5, poissons_ratio=poissons_ratio))
    simulation = solver(body, frames=(1, 9), substeps=substeps, gravity=(0.0, 0.0, 0.0))
    assert static_mode(simulation.system) & WARM
    before = simulation.positions() + simulation.system.origin
    after = run(simulation, 8)
    assert np.abs(after - before).max() < 1e-6 * np.ptp(surface[0], axis=0).max()


@pytest.mark.parametrize("substeps", [20, 40])
def test_nothing_flutters_beside_what_is_held(substeps):
    """Cells beside a clamp may be softer than others."""
    positions, triangles = ellipsoid([0.16, 0.09, 0.25])
    held = np.flatnonzero(positions[:, 2] < -0.12)
    body = jelly_of((positions, triangles), Material(youngs_modulus=3e5, poissons_ratio=0.45))
    body = replace(body, pins=pins(positions, held))
    simulation = solver(body, frames=(1, 25), substeps=substeps, gravity=(0.0, 0.0, 0.0))
    before = simulation.positions() + simulation.system.origin
    assert np.abs(run(simulation, 24) - before).max() < 1e-6 * np.ptp(positions, axis=0).max()


@pytest.mark.parametrize("preset", ["JELLY_SOFT", "JELLY_MEDIUM", "JELLY_FIRM"])
def test_a_ball_at_rest_stays(preset):
    points, triangles = sphere(32, 16)
    masses, before, after = on_the_floor((0.5 * points, triangles), preset, 0.0, 24)
    rolled = masses @ (after - before) / masses.sum()
    assert np.linalg.norm(rolled[:2]) < 0.003


@pytest.mark.parametrize("preset", ["JELLY_SOFT", "JELLY_FIRM"])
def test_a_cube_that_falls_flat_lies_flat(preset):
    masses, before, after = on_the_floor(cube(), preset, 1.0, 72)
    own, rest = (points - masses @ points / masses.sum() for points in (after, before))
    left, _, right = np.linalg.svd((own * masses[:, None]).T @ rest)
    upright = (left @ right)[2, 2]
    assert np.degrees(np.arccos(min(upright, 1.0))) < 1.0
