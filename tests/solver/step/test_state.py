# SPDX-License-Identifier: GPL-3.0-or-later
"""What is on the device when a solver begins."""

import numpy as np
import pytest

from blender_xpbd.contacts.slots import FIRST_SLOTS
from blender_xpbd.contacts.tables import BODY_INTERNAL_DAMPING, BODY_OFFSET, BODY_RESTITUTION, MOTION_WIDTH
from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.step.state import body_table, build_state, padded, with_more_slots
from blender_xpbd.solver.system.colliders import build_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def built(*bodies, **keywords):
    system = build_system(scene(*bodies, **keywords))
    return system, build_state(system, build_colliders(system.scene.colliders, system.origin, 0.01, 1.0))


def test_particles_are_those_of_the_system():
    system, state = built(cloth(4, height=2.0, pinned=[0], internal_damping=3.0), jelly_cube(0.5, resolution=2))
    places = read_array(state.particles.positions)
    np.testing.assert_allclose(places[:, :3], system.positions, atol=1e-6)
    np.testing.assert_allclose(places[:, 3], system.inverse_masses, rtol=1e-6)
    before = read_array(state.particles.previous_positions)
    np.testing.assert_allclose(before[:, 3], system.damping_times, rtol=1e-6)
    np.testing.assert_array_equal(read_array(state.targets.particles), system.moved_particles)
    owners = read_array(state.body_of)
    assert owners[: system.starts[1]].tolist() == [0] * system.starts[1]
    assert set(owners[system.starts[1] : system.starts[2]].tolist()) == {1}


def test_only_bdf2_looks_back():
    thrown = cloth(3)
    object.__setattr__(thrown, "velocity", np.array([2.0, 0.0, -1.0]))
    for integration, count in (("BDF2", 9), ("SYMPLECTIC_EULER", 0)):
        system, state = built(thrown, time_integration=integration, substeps=5)
        older = read_array(state.particles.older_positions)[:count]
        assert len(read_array(state.particles.older_positions)) in {count, 1}
        if count:
            # flight so far
            h = system.scene.frames.frame_duration / 5
            way = h * np.array([2.0, 0.0, -1.0]) - 0.5 * h**2 * system.scene.gravity
            np.testing.assert_allclose(older[:, :3], system.positions - way, atol=1e-6)


@pytest.mark.parametrize(
    ("colliders", "slots"),
    [((), 0), ((plane(),), 1), ((plane(), plane()), 2), ((mesh_box(0.5),), 3), ((mesh_box(0.5), plane()), 4)],
)
def test_a_point_has_as_many_slots_as_it_can_fill_but_few_at_first(colliders, slots):
    _, state = built(cloth(4), colliders=colliders)
    assert state.most_slots == slots
    # an array on the device has at least one column
    assert state.contacts.slots.shape[1] == max(min(FIRST_SLOTS, slots), 1)
    assert state.may_lack_slots == (slots > FIRST_SLOTS)
    assert not state.lacks_slots


def test_a_point_that_lacks_slots_is_told_and_gets_more():
    system, state = built(cloth(4), colliders=[mesh_box(0.5), plane()])
    touches = read_array(state.contacts.touches)
    touches[-1] = 1
    write_array(state.contacts.touches, touches)
    assert state.lacks_slots
    more = with_more_slots(state, system)
    assert more.contacts.slots.shape[1] == 4
    assert not more.may_lack_slots
    assert not more.lacks_slots
    # all else is the same
    assert more.particles.positions is state.particles.positions
    assert more.constraints.parameters is state.constraints.parameters


def test_colliders_have_a_motion_for_each_boundary_of_the_substeps():
    ball = Collider("c1", "Ball", "SPHERE", np.eye(4)[None], radius=0.5, friction=0.25, restitution=0.75)
    _, state = built(cloth(4), colliders=[plane(friction=0.5), ball], substeps=7)
    assert tuple(state.colliders.motion.shape) == (8, 2, MOTION_WIDTH)
    np.testing.assert_array_equal(read_array(state.colliders.floats), [[0.5, 0.0], [0.25, 0.75]])


def test_a_row_for_each_body():
    system, _ = built(
        cloth(4, damping=2.0, internal_damping=0.5, restitution=0.25, contact_offset=0.01), cloth(3, identifier="b1")
    )
    table = body_table(system)
    assert table.shape[0] == 2
    assert table[0, BODY_INTERNAL_DAMPING] == 0.5
    assert table[0, BODY_RESTITUTION] == 0.25
    assert table[0, BODY_OFFSET] == pytest.approx(system.models[0].contact_offset)
    assert table[1, BODY_INTERNAL_DAMPING] == 0.0


def test_padded_vectors_end_in_nothing():
    np.testing.assert_array_equal(padded(np.array([[1.0, 2.0, 3.0]])), [[1.0, 2.0, 3.0, 0.0]])
    assert padded(np.zeros((0, 3))).shape == (0, 4)
