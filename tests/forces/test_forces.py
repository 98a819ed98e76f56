# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of fields, noise and air by themselves; what they do to bodies is in ``tests/solver``."""

import numpy as np
import pytest
import taichi as ti

from blender_xpbd.forces import FORCES
from blender_xpbd.forces.air import air_force
from blender_xpbd.forces.noise import gradient_noise, hashed
from blender_xpbd.forces.tables import ACTS_LIFT, ACTS_WIDTH, FIELD_GREATEST_RADIUS, FIELD_WIDTH
from blender_xpbd.scene.force import FORCE_KINDS

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def test_each_kind_of_the_scene_has_a_file():
    assert sorted(kind.name for kind in FORCES) == sorted(kind.identifier for kind in FORCE_KINDS)
    assert (FIELD_WIDTH, ACTS_WIDTH) == (FIELD_GREATEST_RADIUS + 1, ACTS_LIFT + 1)


@ti.kernel
def fill_noise(
    places: ti.types.ndarray(dtype=ti.f64, ndim=2), seed: ti.i32, out: ti.types.ndarray(dtype=ti.f64, ndim=1)
):
    for n in range(out.shape[0]):
        out[n] = gradient_noise(ti.Vector([places[n, 0], places[n, 1], places[n, 2]]), seed)


def noise(places, seed=1):
    out = np.zeros(len(places))
    fill_noise(np.ascontiguousarray(places, np.float64), seed, out)
    return out


def test_noise_is_nought_at_whole_places_and_has_no_jumps_in_value_or_slope():
    whole = np.stack(np.meshgrid(*[np.arange(-3.0, 4.0)] * 3), axis=-1).reshape(-1, 3)
    np.testing.assert_array_equal(noise(whole), 0.0)
    rng = np.random.default_rng(5)
    places = rng.uniform(-5.0, 5.0, (300, 3))
    places[:, 0] = np.round(places[:, 0])
    ahead, behind = (
        [noise(places + np.array([sign * step, 0.0, 0.0])) for step in (1e-4, 2e-4)] for sign in (1.0, -1.0)
    )
    np.testing.assert_allclose(ahead[0], behind[0], atol=1e-3)
    np.testing.assert_allclose(ahead[1] - ahead[0], behind[0] - behind[1], atol=1e-5)


def test_noise_goes_both_ways_alike():
    values = noise(np.random.default_rng(2).uniform(-50.0, 50.0, (20000, 3)))
    assert abs(values.mean()) < 0.01
    assert 0.2 < values.std() < 0.32
    assert 0.7 < np.abs(values).max() < 1.05


@ti.kernel
def fill_hashes(out: ti.types.ndarray(dtype=ti.u32, ndim=2)):
    for n in range(out.shape[0]):
        found = hashed(n, 7, 3)
        for axis in ti.static(range(3)):
            out[n, axis] = found[axis]


def test_hashes_are_pcg3d():
    """The function of Jarzynski & Olano 2020, in whole numbers of Python."""
    out = np.zeros((50, 3), np.uint32)
    fill_hashes(out)
    mask = 0xFFFFFFFF
    for n in range(50):
        x, y, z = ((value * 1664525 + 1013904223) & mask for value in (n, 7, 3))
        x = (x + y * z) & mask
        y = (y + z * x) & mask
        z = (z + x * y) & mask
        x, y, z = x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16)
        x = (x + y * z) & mask
        y = (y + z * x) & mask
        z = (z + x * y) & mask
        assert out[n].tolist() == [x, y, z]


@ti.kernel
def fill_forces(
    areas: ti.types.ndarray(dtype=ti.f64, ndim=2), is_closed: ti.i32, out: ti.types.ndarray(dtype=ti.f64, ndim=2)
):
    for n in range(out.shape[0]):
        wind = ti.Vector([3.0, 0.0, 0.0])
        force = air_force(ti.Vector([areas[n, 0], areas[n, 1], areas[n, 2]]), wind, 0.7, 0.4, is_closed)
        for axis in ti.static(range(4)):
            out[n, axis] = force[axis]


@pytest.mark.parametrize("is_closed", [False, True])
def test_air_takes_no_notice_of_which_side_is_which_unless_there_is_an_inside(is_closed):
    areas = np.random.default_rng(1).normal(size=(50, 3))
    ahead, behind = np.zeros((50, 4)), np.zeros((50, 4))
    fill_forces(areas, int(is_closed), ahead)
    fill_forces(-areas, int(is_closed), behind)
    if is_closed:
        assert (np.abs(ahead[areas[:, 0] > 0.0]) == 0.0).all()
        assert (np.abs(behind[areas[:, 0] < 0.0]) == 0.0).all()
        ahead, behind = ahead + behind, ahead + behind
    np.testing.assert_allclose(ahead, behind)
    # drag by the area across the wind, never against it
    across = 0.5 * np.abs(areas[:, 0])
    np.testing.assert_allclose(ahead[:, 0] / (9.0 * across), 0.7, rtol=1e-9)
