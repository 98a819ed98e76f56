# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping of the velocities of elastic tetrahedra, against the implicit step of a Kelvin-Voigt solid in matrices."""

import numpy as np
import pytest
import taichi as ti
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.constraints.constraint import DAMPED, RATES
from blender_xpbd.constraints.corotated import build_corotated
from blender_xpbd.constraints.neo_hookean import build_neo_hookean
from blender_xpbd.constraints.tetrahedron_element import lame_parameters
from blender_xpbd.device.packs import pack_type
from blender_xpbd.solver.acts.functions import project_constraint
from blender_xpbd.solver.step.packs import VECTORS
from tests.constraints.projection_kernel import ProjectedConstraints

pytestmark = pytest.mark.usefixtures("taichi_cpu")

MovingParticles = pack_type(positions=VECTORS, previous_positions=VECTORS, velocities=VECTORS)
REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.1, 1.1, 0.0], [0.2, 0.1, 0.9]])
TETRAHEDRON = np.array([[0, 1, 2, 3]], np.int32)
INVERSE_MASSES = np.array([0.5, 2.0, 1.0, 0.7])
MODULUS, RATIO = 100.0, 0.3
BUILD = {"neo_hookean": build_neo_hookean, "corotated": build_corotated}

both = pytest.mark.parametrize("name", BUILD)


@ti.kernel
def sweep(particles: MovingParticles, constraints: ProjectedConstraints, h: ti.f64, phase: ti.f64, kind: ti.template()):
    ti.loop_config(serialize=True)
    for _ in range(1):
        step = ti.Vector([h, phase, 0.0, 0.0])
        mode = ti.static(RATES | DAMPED)
        project_constraint(particles, constraints, 0, 0, 0, step, mode, kind)


def damped(name, x, v, h, time, substeps=1, weights=INVERSE_MASSES):
    """Velocities after the sweeps of the last of some substeps, in each of which they begin as given."""
    block = BUILD[name](REST, TETRAHEDRON, MODULUS, RATIO).prepared(INVERSE_MASSES)
    vector = ti.types.vector(4, ti.f64)
    vectors = []
    for values, last in ((x, weights), (x, np.full(4, time)), (v, np.zeros(4))):
        vectors.append(ti.ndarray(vector, 4))
        vectors[-1].from_numpy(np.concatenate([values, last[:, None]], axis=1))
    arrays = []
    slots = np.zeros(block.type.slots(DAMPED))
    for values, kind in ((block.indices, ti.i32), (block.parameters, ti.f32), (slots, ti.f64)):
        arrays.append(ti.ndarray(kind, values.size))
        arrays[-1].from_numpy(values.ravel().astype({ti.i32: np.int32, ti.f32: np.float32, ti.f64: np.float64}[kind]))
    packs = MovingParticles(*vectors), ProjectedConstraints(*arrays)
    for _ in range(substeps):
        vectors[2].from_numpy(np.concatenate([v, np.zeros((4, 1))], axis=1))
        for phase in (0.0, 1.0):
            sweep(*packs, h, phase, CONSTRAINTS.index(block.type))
    return vectors[2].to_numpy()[:, :3]


def viscosity(x):
    """The matrix of forces per velocity over τ [kg/s²], shape (12, 12): V (2μ D : D + λ tr²D), D = sym(Fᵀ Ḟ)."""
    edges = (REST[1:] - REST[0]).T
    q = np.linalg.inv(edges)
    q = np.vstack([-q.sum(axis=0), q])
    f, volume = x.T @ q, abs(np.linalg.det(edges)) / 6.0
    mu, lame = lame_parameters(MODULUS, RATIO)
    rates = [f.T @ unit.reshape(4, 3).T @ q for unit in np.eye(12)]
    rates = np.stack([0.5 * (rate + rate.T) for rate in rates])
    traces = np.trace(rates, axis1=1, axis2=2)
    return volume * (2.0 * mu * np.einsum("aij,bij->ab", rates, rates) + lame * np.outer(traces, traces))


def moving(size, seed=0):
    random = np.random.default_rng(seed)
    return REST + random.normal(0.0, size, REST.shape), random.normal(0.0, 1.0, REST.shape)


@both
@pytest.mark.parametrize("size", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("time", [1e-4, 0.02, 3.0])
def test_kept_impulses_come_to_the_implicit_step(name, size, time):
    """As long as velocities begin alike: (M + h τ K) v = M v₀."""
    (x, v), h = moving(size), 0.01
    masses = np.repeat(1.0 / INVERSE_MASSES, 3)
    expected = np.linalg.solve(np.diag(masses) + h * time * viscosity(x), masses * v.ravel()).reshape(4, 3)
    assert np.abs(expected - v).max() > 1e-5
    np.testing.assert_allclose(damped(name, x, v, h, time, substeps=400), expected, atol=2e-5)


@both
def test_little_damping_is_right_at_once(name):
    (x, v), h, time = moving(0.1), 0.01, 1e-3
    change = -h * time * np.repeat(INVERSE_MASSES, 3) * (viscosity(x) @ v.ravel())
    found = damped(name, x, v, h, time) - v
    np.testing.assert_allclose(found, change.reshape(4, 3), atol=0.02 * np.abs(change).max())


@both
@given(st.integers(0, 10**6), st.floats(0.0, 3.0), st.floats(1e-4, 1e3))
def test_it_takes_energy_and_keeps_momentum(name, seed, size, time):
    """Whatever the shape, also inside out."""
    x, v = moving(size, seed)
    end = damped(name, x, v, 0.01, time)
    energies = [((values**2).sum(axis=1) / INVERSE_MASSES).sum() for values in (v, end)]
    assert energies[1] <= energies[0] * (1.0 + 1e-9)
    impulse = (end - v) / INVERSE_MASSES[:, None]
    scale = 1e-5 * (1.0 + np.abs(x).max()) * (1.0 + np.abs(impulse).max())
    np.testing.assert_allclose(impulse.sum(axis=0), 0.0, atol=scale)
    np.testing.assert_allclose(np.cross(x, impulse).sum(axis=0), 0.0, atol=scale)


@both
def test_rigid_motion_is_left_alone(name):
    (x, _), omega = moving(0.2), np.array([3.0, -2.0, 1.0])
    v = np.array([1.0, 2.0, 3.0]) + np.cross(omega, x)
    # of a shape that does not change, F turns: Ḟ = ω × F
    np.testing.assert_allclose(damped(name, x, v, 0.01, 10.0), v, atol=1e-4)


@both
def test_fixed_corners_stay(name):
    x, v = moving(0.1)
    end = damped(name, x, v, 0.01, 1.0, weights=INVERSE_MASSES * [0.0, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(end[0], v[0])
    assert np.abs(end - v)[1:].max() > 0.1


@both
def test_without_a_damping_time_nothing_happens(name):
    x, v = moving(0.3)
    np.testing.assert_array_equal(damped(name, x, v, 0.01, 0.0, substeps=2), v)
