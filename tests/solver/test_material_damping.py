# SPDX-License-Identifier: GPL-3.0-or-later
"""Material damping of cloth: what rests, rests alike, and what swings decays by the time that is set."""

import numpy as np
import pytest

from blender_xpbd.scene.scene import Scene
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, run, scene, solver

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


@pytest.mark.parametrize("model", ["springs", "isotropic"])
@pytest.mark.parametrize("damping_time", [0.005, 0.02])
def test_a_swing_decays_by_the_time_that_is_set(model, damping_time):
    """The first mode of a sheet pulled along falls by e^(−½ τ ω² t), beyond what it loses without damping."""
    found = []
    for time in (0.0, damping_time):
        simulation = Solver(build_system(whole(sheet(time, model), (0.0, 0.0, 0.0))))
        state = simulation.checkpoint()
        along = state["positions"][:, 0] + 0.5
        state["velocities"][:, 0] = 0.2 * np.sin(0.5 * np.pi * along) * (state["positions"][:, 3] > 0.0)
        simulation.restore(0, state)
        path = np.array([run(simulation, 1)[-COUNT:, 0].mean() - 0.5 for _ in range(36)])
        twice, square = np.linalg.lstsq(np.stack([path[1:-1], -path[:-2]], axis=1), path[2:], rcond=None)[0]
        found.append((-12.0 * np.log(square), 24.0 * np.arccos(0.5 * twice / np.sqrt(square))))
    (loss, omega), (decay, _) = found
    expected = 0.5 * damping_time * omega**2
    # without damping it loses as much as with one of h by symplectic Euler
    assert decay - loss == pytest.approx(expected, rel=0.15)


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
