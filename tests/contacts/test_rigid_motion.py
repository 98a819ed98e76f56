# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid part of a motion against NumPy's float64."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.contacts.rigid_motion import kinetic_energy, response, rigid_motion, velocity_at

pytestmark = pytest.mark.usefixtures("taichi_cpu")

VECTORS = ti.types.ndarray(dtype=ti.types.vector(4, ti.f64), ndim=1)
ARM, DIRECTION = np.array([0.1, -0.2, 0.3]), np.array([0.6, 0.0, 0.8])


class Particles(NamedTuple):
    positions: Any
    velocities: Any


@ti.kernel
def describe(
    positions: VECTORS,
    velocities: VECTORS,
    members: ti.types.ndarray(dtype=ti.i32, ndim=1),
    vectors: ti.types.ndarray(dtype=ti.f64, ndim=2),
):
    """Of all but the first and last members; ``vectors`` begins with arm and direction."""
    particles = ti.static(Particles(positions, velocities))
    motion = rigid_motion(particles.positions, particles.velocities, members, 1, members.shape[0] - 1)
    arm = ti.Vector([vectors[0, k] for k in ti.static(range(3))])
    direction = ti.Vector([vectors[1, k] for k in ti.static(range(3))])
    speed = velocity_at(motion, arm)
    for k in ti.static(range(3)):
        vectors[2, k] = motion.centre[k]
        vectors[3, k] = motion.velocity[k]
        vectors[4, k] = motion.omega[k]
        vectors[5, k] = speed[k]
    vectors[6, 0] = motion.mass
    vectors[6, 1] = response(motion, arm, direction)
    vectors[6, 2] = kinetic_energy(motion, motion.velocity, motion.omega)


def described(points, velocities, masses):
    count = len(points)
    members = np.concatenate([[count], np.arange(count)[::-1], [count]]).astype(np.int32)
    outsider = [[9.0, 9.0, 9.0]]
    particles = np.zeros((2, count + 1, 4))
    particles[0, :, :3], particles[0, :, 3] = np.concatenate([points, outsider]), [*(1.0 / masses), 1.0]
    particles[1, :, :3] = np.concatenate([velocities, outsider])
    arrays = [ti.ndarray(ti.types.vector(4, ti.f64), count + 1) for _ in range(2)]
    for array, values in zip(arrays, particles, strict=True):
        array.from_numpy(values)
    vectors = np.zeros((7, 3))
    vectors[0], vectors[1] = ARM, DIRECTION
    describe(*arrays, members, vectors)
    return vectors


def test_a_rigid_motion_is_found_again():
    random = np.random.default_rng(0)
    points, masses = random.normal(size=(20, 3)), random.uniform(0.5, 2.0, 20)
    centre = masses @ points / masses.sum()
    velocity, omega = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.7, -1.1])
    velocities = velocity + np.cross(omega, points - centre)
    found = described(points, velocities, masses)
    arms = points - centre
    inertia = (masses * (arms**2).sum(axis=1)).sum() * np.eye(3) - (masses[:, None] * arms).T @ arms
    np.testing.assert_allclose(found[2:5], [centre, velocity, omega], atol=1e-12)
    np.testing.assert_allclose(found[5], velocity + np.cross(omega, ARM), atol=1e-12)
    assert found[6, 0] == pytest.approx(masses.sum())
    turned = np.linalg.solve(inertia, np.cross(ARM, DIRECTION))
    assert found[6, 1] == pytest.approx(1.0 / masses.sum() + DIRECTION @ np.cross(turned, ARM))
    assert found[6, 2] == pytest.approx(0.5 * (masses * (velocities**2).sum(axis=1)).sum())


def test_a_line_of_particles_does_not_turn():
    points = np.outer(np.arange(4.0), [1.0, 2.0, 3.0])
    found = described(points, np.cross([0.0, 0.0, 1.0], points), np.ones(4))
    np.testing.assert_array_equal(found[4], 0.0)
    assert found[6, 1] == pytest.approx(0.25)
