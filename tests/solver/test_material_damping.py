# SPDX-License-Identifier: GPL-3.0-or-later
"""Material damping: what rests, rests alike, and what swings decays by the time that is set."""

from dataclasses import replace

import numpy as np
import pytest
from contact_cases import shapes

from blender_xpbd.geometry.surface.topology import triangulate
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, pins, plane, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

COUNT = 10
MODELS = {
    "springs": {},
    "isotropic": {"membrane_model": "ISOTROPIC"},
    "soft under compression": {"compression_share": 0.2},
}
EVERY_MODEL = pytest.mark.parametrize("model", MODELS)


def sheet(damping_time, model, **values):
    """A sheet of 1 m, pinned along one side, that stretches by its own weight."""
    own = {"stretch_stiffness": 60.0, "area_density": 0.2, "bending_stiffness": 1e-4, **MODELS[model], **values}
    return cloth(COUNT, pinned=range(COUNT), damping_time=damping_time, **own)


def whole(body, gravity) -> Scene:
    return scene(body, frames=(1, 500), gravity=gravity, substeps=20, acceleration="NONE", precision="DOUBLE")


@EVERY_MODEL
@pytest.mark.parametrize("iterations", [1, 3])
def test_rest_is_that_without_damping(model, iterations):
    """Pulled by its weight in its own plane, as a single sweep leaves it."""
    lengths = []
    for damping_time in (0.0, 0.01, 0.1):
        body = sheet(damping_time, model, damping=12.0)
        simulation = solver(
            body, gravity=(9.81, 0.0, 0.0), substeps=20, iterations=iterations, acceleration="NONE", precision="DOUBLE"
        )
        lengths.append(run(simulation, 60)[:, 0].max() - 0.5)
    assert lengths[0] > 0.01
    np.testing.assert_allclose(lengths[1:], lengths[0], rtol=1e-3 if iterations == 1 else 0.02)


def of_triangles(body):
    """The same vertices: springs that push as they pull, which diagonals of quads do not."""
    triangles = triangulate(body.face_sizes, body.corners).astype(np.int32)
    return replace(body, face_sizes=np.full(len(triangles), 3, np.int32), corners=triangles.ravel())


@pytest.mark.parametrize("model", ["springs", "isotropic"])
@pytest.mark.parametrize("damping_time", [0.005, 0.02])
def test_a_swing_decays_by_the_time_that_is_set(model, damping_time):
    """The first mode of a sheet pulled along falls by e^(−½ τ ω² t), beyond what it loses without damping."""
    found = []
    for time in (0.0, damping_time):
        body = sheet(time, model)
        body = of_triangles(body) if model == "springs" else body
        found.append(swing(Solver(build_system(whole(body, (0.0, 0.0, 0.0)))), 0.2))
    (loss, omega), (decay, _) = found
    expected = 0.5 * damping_time * omega**2
    # without damping it loses as much as with one of h by symplectic Euler
    assert decay - loss == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("damping_time", [0.005, 0.02])
def test_a_swing_of_drawn_quads_decays_by_the_time_that_is_set(damping_time):
    """As they did when diagonals pushed as they pull: here none is ever pushed together."""
    gravity = (9.81, 0.0, 0.0)
    rest = Solver(build_system(whole(sheet(0.0, "springs", damping=12.0), gravity)))
    run(rest, 120)
    found = []
    for time in (0.0, damping_time):
        simulation = Solver(build_system(whole(sheet(time, "springs"), gravity)))
        simulation.restore(0, simulation.checkpoint() | {"positions": rest.checkpoint()["positions"]})
        found.append(swing(simulation, 0.2))
    (loss, omega), (decay, _) = found
    assert decay - loss == pytest.approx(0.5 * damping_time * omega**2, rel=0.15)


def swing(simulation, speed):
    """Decay and angular frequency [1/s] of a sheet that is pushed along [m/s] from where it is at rest."""
    state = simulation.checkpoint()
    start = state["positions"][-COUNT:, 0].mean()
    along = np.linspace(0.0, 1.0, COUNT).repeat(COUNT)
    state["velocities"][:, 0] = speed * np.sin(0.5 * np.pi * along) * (state["positions"][:, 3] > 0.0)
    simulation.restore(0, state)
    return decay_and_frequency(np.array([run(simulation, 1)[-COUNT:, 0].mean() for _ in range(36)]) - start)


@pytest.mark.parametrize("path", PATHS)
def test_it_goes_on_from_a_checkpoint(path):
    """What damping looks back to is part of it."""
    body = sheet(0.02, "springs")
    first, second = (solver(body, path=path, substeps=5) for _ in range(2))
    run(first, 5)
    second.restore(5, first.checkpoint())
    np.testing.assert_array_equal(run(first, 5), run(second, 5))


@pytest.mark.parametrize("model", ["springs", "isotropic"])
def test_the_longest_times_stay_calm(model):
    """A swing that is stopped within a substep does not grow."""
    body = cloth(COUNT, pinned=[0, COUNT - 1], damping_time=1.0, **MODELS[model])
    simulation = solver(body, substeps=10)
    run(simulation, 48)
    assert np.abs(simulation.checkpoint()["velocities"][:, :3]).max() < 3.0


BAR = shapes.box((0.4, 0.1, 0.1), (8, 2, 2))
ARMS = {
    "bar": BAR,
    "slanted bar": shapes.turned(shapes.turned(BAR, 0, 0.8), 2, 0.5),
    "tube": shapes.tube(np.linspace([-0.2, 0.0, 0.0], [0.2, 0.0, 0.0], 9), np.full(9, 0.06), 10),
}
EVERY_ARM = pytest.mark.parametrize("mesh", ARMS)


def arm(mesh, damping_time, **values):
    """A jelly arm of 0.4 m, held at one end."""
    positions, faces = ARMS[mesh]
    own = {"youngs_modulus": 60e3, "density": 1050.0, "poissons_ratio": 0.45, "internal_damping": 0.0}
    body = Body(
        "b0", "Arm", "JELLY", positions, np.full(len(faces), faces.shape[1], np.int32), faces.ravel().astype(np.int32),
        Material.from_values({**own, "damping_time": damping_time, **values}),
        tetrahedralization=Tetrahedralization("CAGE", 6),
    )  # fmt: skip
    along = positions @ np.array([np.cos(0.5), np.sin(0.5), 0.0] if mesh == "slanted bar" else [1.0, 0.0, 0.0])
    return replace(body, pins=pins(positions, np.flatnonzero(along < along.min() + 1e-3)))


def height_of_tip(simulation, body):
    """Of the corners that are farthest from the pins."""
    held = body.positions[body.pins.vertices].mean(axis=0)
    farthest = np.argsort(np.linalg.norm(body.positions - held, axis=1))[-4:]
    return float(simulation.surface(simulation.positions())[farthest, 2].mean())


@EVERY_ARM
@pytest.mark.parametrize("damping_time", [0.03, 0.1])
def test_a_jelly_rests_as_without_damping(mesh, damping_time):
    """As a single sweep over soft tetrahedra leaves it."""
    sags = []
    for time in (0.0, damping_time):
        body = arm(mesh, time, damping=8.0)
        simulation = solver(body, substeps=10)
        start = height_of_tip(simulation, body)
        run(simulation, 96)
        sags.append(start - height_of_tip(simulation, body))
    assert sags[0] > 0.1
    assert sags[1] == pytest.approx(sags[0], rel=3e-3)


@EVERY_ARM
@pytest.mark.parametrize("model", ["NEO_HOOKEAN", "COROTATED"])
def test_a_swing_of_a_jelly_decays_by_the_time_that_is_set(mesh, model):
    """By e^(−½ τ ω² t), beyond what it loses without damping."""
    found = []
    for time in (0.0, 0.03):
        body = arm(mesh, time, solid_model=model)
        simulation = solver(body, gravity=(0.0, 0.0, 0.0), substeps=20)
        state = simulation.checkpoint()
        places = state["positions"][:, :3] + simulation.system.origin
        far = np.linalg.norm(places - body.positions[body.pins.vertices].mean(axis=0), axis=1)
        state["velocities"][:, 2] = 0.5 * far**2 * (state["positions"][:, 3] > 0.0)
        simulation.restore(0, state)
        start = height_of_tip(simulation, body)
        path = []
        for _ in range(40):
            run(simulation, 1)
            path.append(height_of_tip(simulation, body) - start)
        found.append(decay_and_frequency(np.array(path)[4:]))
    (loss, omega), (decay, _) = found
    assert decay - loss == pytest.approx(0.5 * 0.03 * omega**2, rel=0.08)


def decay_and_frequency(path):
    """Decay and angular frequency [1/s] of a path by frames that swings about 0, by linear prediction."""
    twice, square = np.linalg.lstsq(np.stack([path[1:-1], -path[:-2]], axis=1), path[2:], rcond=None)[0]
    return -12.0 * np.log(square), 24.0 * np.arccos(0.5 * twice / np.sqrt(square))


@pytest.mark.parametrize("path", PATHS)
def test_a_jelly_goes_on_from_a_checkpoint(path):
    """What damping keeps is part of it."""
    body = arm("bar", 0.02)
    first, second = (solver(body, path=path, substeps=5) for _ in range(2))
    run(first, 5)
    second.restore(5, first.checkpoint())
    np.testing.assert_array_equal(run(first, 5), run(second, 5))


@pytest.mark.parametrize("damping_time", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("youngs_modulus", [20e3, 1.5e6])
def test_a_jelly_that_falls_is_calmed_by_any_time(damping_time, youngs_modulus):
    """A bounce that is stopped within a substep does not grow, soft or stiff."""
    body = jelly_cube(0.3, 1.0, 6, youngs_modulus=youngs_modulus, poissons_ratio=0.48, damping_time=damping_time)
    simulation = solver(body, colliders=[plane()], substeps=20)
    run(simulation, 60)
    assert np.abs(simulation.checkpoint()["velocities"][:, :3]).max() < 0.1
