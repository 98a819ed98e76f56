# SPDX-License-Identifier: GPL-3.0-or-later
"""What turns by itself: a kind that only the tests have, of points that spin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies import kinds as solver_kinds
from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.bodies.kinds import SolverKind
from blender_xpbd.bodies.orientations import Orientations
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.scene import body_kinds as scene_kinds
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.body_kinds import BodyKind
from blender_xpbd.scene.errors import ExitCode, XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import colour_path
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker.job_runner import run_job
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, scene

# [rad/s] of each point, the last of which nothing turns; the second turns more than half around in a frame
SPINS = np.array([[0.0, 0.0, 3.0], [60.0, -50.0, 40.0], [0.1, 0.2, -0.3], [1.0, 1.0, 1.0]])
ABOUT = np.array([[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], [0.6, 0.0, 0.8, 0.0], [0.0, 1.0, 0.0, 0.0]])


def build_tops(body, _settings):
    """A kilogram each, with the orientations above."""
    count = body.vertex_count
    own = np.arange(count, dtype=np.int32)
    return BodyModel(
        body=body,
        positions=body.positions,
        masses=np.ones(count),
        blocks=(),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        pin_weights=np.zeros(count),
        edges=np.zeros((0, 2), np.int32),
        orientations=Orientations(ABOUT, np.array([1.0, 2.0, 3.0, 0.0]), SPINS),
    )


@pytest.fixture(autouse=True)
def _tops_kind(monkeypatch):
    kind = SolverKind("TOPS", build_tops, None, lambda _model: lambda _positions: (0.0, 0.0, 0.0, 0.0))
    monkeypatch.setattr(scene_kinds, "BODY_KINDS", (*scene_kinds.BODY_KINDS, BodyKind("TOPS", "Tops", "They spin")))
    monkeypatch.setattr(solver_kinds, "BODY_KINDS", (*solver_kinds.BODY_KINDS, kind))


def tops(identifier="b0", **material):
    nothing = np.zeros(0, np.int32)
    positions = np.arange(12.0).reshape(4, 3)
    values = Material.from_values({"internal_damping": 0.0, **material})
    return Body(identifier, "Tops", "TOPS", positions, nothing, nothing, values)


def product(a, b):
    """Of quaternions, by their matrices."""
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b


def turned(q, omega, seconds):
    angle = np.linalg.norm(omega) * seconds
    axis = omega / np.linalg.norm(omega)
    return product(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)]), q)


def expected(seconds, spins=SPINS):
    return [*(turned(q, spin, seconds) for q, spin in zip(ABOUT[:3], spins, strict=False)), ABOUT[3]]


@pytest.mark.parametrize("path", ["SERIAL", "COLOURS"])
@pytest.mark.usefixtures("taichi_cpu")
def test_what_spins_keeps_its_rate(path):
    """Beside a cloth, before and after it; for two seconds, 20 substeps each frame."""
    whole = scene(cloth(3, identifier="b1"), tops(), cloth(4, identifier="b2"), tops("b3"), substeps=20)
    simulation = Solver(build_system(whole), (path,))
    for _ in range(48):
        simulation.advance()
    found = simulation.orientations()
    assert found.shape == (8, 4)
    # single precision, of a point that has turned by 176 radians
    np.testing.assert_allclose(found, [*expected(2.0)] * 2, atol=2e-3)
    np.testing.assert_allclose(simulation.checkpoint()["angular_velocities"][:, :3], [*SPINS] * 2, rtol=2e-5)
    np.testing.assert_array_equal(found[3], ABOUT[3])


@pytest.mark.parametrize("path", ["SERIAL", "COLOURS"])
@pytest.mark.usefixtures("taichi_cpu")
def test_drag_slows_the_spin_of_its_own_body(path):
    whole = scene(tops(), tops("b1", damping=2.0), cloth(3, identifier="b2", damping=9.0), substeps=5)
    simulation = Solver(build_system(whole), (path,))
    for _ in range(24):
        simulation.advance()
    spins = simulation.checkpoint()["angular_velocities"][:, :3]
    np.testing.assert_allclose(spins[:4], SPINS, rtol=1e-5)
    # the mean over the last substep
    mean = np.exp(-2.0) * np.expm1(2.0 / 120) / (2.0 / 120)
    np.testing.assert_allclose(spins[4:7], SPINS[:3] * mean, rtol=1e-4)


@pytest.mark.usefixtures("taichi_cpu")
def test_a_correction_becomes_angular_velocity(monkeypatch):
    """What holds an orientation back takes its spin: here all are put back before velocities are updated."""
    simulation = Solver(build_system(scene(tops(), substeps=1)), ("COLOURS",))
    update = colour_path.LAUNCHES[colour_path.UPDATE_VELOCITIES]

    def put_back(plan, *arguments):
        particles = plan.state.particles
        particles.orientations.copy_from(particles.previous_orientations)
        update(plan, *arguments)

    monkeypatch.setitem(colour_path.LAUNCHES, colour_path.UPDATE_VELOCITIES, put_back)
    simulation.advance()
    spins = simulation.checkpoint()["angular_velocities"][:, :3]
    np.testing.assert_allclose(spins[[0, 2]], 0.0, atol=1e-5)
    # the second point has turned by 3.66 radians: the shorter way back goes on in its direction
    np.testing.assert_allclose(np.cross(spins[1], SPINS[1]), 0.0, atol=2e-2)
    np.testing.assert_array_equal(simulation.orientations(), np.float32(ABOUT))


@pytest.mark.parametrize("name", ["orientations", "angular_velocities"])
@pytest.mark.usefixtures("taichi_cpu")
def test_a_checkpoint_needs_its_orientations(name):
    simulation = Solver(build_system(scene(tops(), substeps=3)))
    saved = simulation.checkpoint()
    with pytest.raises(XpbdError, match=f"E_CACHE.*checkpoint's {name}"):
        simulation.restore(0, {key: values for key, values in saved.items() if key != name})


@pytest.mark.usefixtures("taichi_cpu")
def test_what_is_not_finite_is_told():
    simulation = Solver(build_system(scene(cloth(3, identifier="b1"), tops(), substeps=3)))
    simulation._state.particles.orientations.fill(np.nan)
    with pytest.raises(XpbdError, match="E_DIVERGED") as caught:
        simulation.orientations()
    assert caught.value.object_name == "Tops"


def test_second_order_integration_is_refused():
    with pytest.raises(XpbdError, match="BDF2") as caught:
        build_system(scene(cloth(3, identifier="b1"), tops(), time_integration="BDF2"))
    assert (caught.value.code, caught.value.object_name) == ("E_PARAM", "Tops")


class StopAfter(StopSignal):
    """Asks a worker to stop once it has been asked so often."""

    def __init__(self, asked):
        super().__init__()
        self.left = asked

    @property
    def is_requested(self):
        self.left -= 1
        return self.left < 0


def frames_of(folder):
    result = read_result(folder)
    counts = (result.vertex_count, len(result.bodies), len(result.statistics), result.orientation_count)
    cache = FrameCache(folder, *counts)
    return result, {frame: cache.read(frame).orientations for frame in cache.available()}


@pytest.mark.slow
def test_a_bake_that_goes_on_has_the_frames_of_one_that_does_not(tmp_path):
    """From the job to what the add-on reads."""
    whole = scene(cloth(3, identifier="b1"), tops(), frames=(1, 9), substeps=4)
    at_once, in_two = (write_job(tmp_path / name, replace(whole)) for name in ("at_once", "in_two"))
    assert run_job(at_once, StopSignal(), tmp_path / "kernels") == ExitCode.COMPLETE
    assert run_job(in_two, StopAfter(3), tmp_path / "kernels") == ExitCode.INTERRUPTED
    assert sorted(frames_of(in_two)[1]) == [1, 2, 3, 4]
    assert run_job(in_two, StopSignal(), tmp_path / "kernels") == ExitCode.COMPLETE
    result, frames = frames_of(at_once)
    assert [(body.orientation_start, body.orientation_count) for body in result.bodies] == [(0, 0), (0, 4)]
    assert sorted(frames) == list(range(1, 10))
    for frame, found in frames.items():
        np.testing.assert_allclose(found, expected((frame - 1) / 24), atol=1e-3)
        assert found.tobytes() == frames_of(in_two)[1][frame].tobytes()
