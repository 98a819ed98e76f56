# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pieces part from hard ones as rigid bodies."""

from dataclasses import replace

import numpy as np

from blender_xpbd.contacts.pairs.tables import PIECE_HELD, PIECE_NONE
from blender_xpbd.solver.system.system import build_system
from tests.contacts.solids import HARD, RUBBER, cube, shifted, solid
from tests.solver.scenes import cloth, mesh_box, pins, scene


def struck_of(*bodies, **settings):
    system = build_system(scene(*bodies, meet=True, **settings))
    return system, system.struck


def test_a_hard_solid_is_a_piece_and_soft_ones_and_cloth_are_none():
    hard = solid(cube, **HARD)
    soft = shifted(solid(cube, identifier="b1", **RUBBER), [0.5, 0.0, 0.0])
    system, struck = struck_of(hard, soft, cloth(4, height=1.0, identifier="b2"), colliders=[mesh_box(0.1)])
    assert system.strikes
    np.testing.assert_array_equal(struck.rows[:, 2], [1])
    np.testing.assert_array_equal(struck.members, np.arange(system.starts[1]))
    np.testing.assert_array_equal(struck.of_particles[: system.starts[1]], 0)
    np.testing.assert_array_equal(struck.of_particles[system.starts[1] :], PIECE_NONE)
    assert len(struck.of_particles) == len(system.positions)


def test_what_is_held_is_no_piece_but_solid():
    held = solid(cube, identifier="b1", **RUBBER)
    held = shifted(held, [0.5, 0.0, 0.0])
    held = replace(held, pins=pins(held.positions, [7]))
    system, struck = struck_of(solid(cube, **HARD), held)
    assert len(struck) == 1
    mine = struck.of_particles[system.starts[1] : system.starts[2]]
    np.testing.assert_array_equal(mine, PIECE_HELD)


def test_nothing_hard_has_no_pieces_and_bdf2_none():
    other = shifted(solid(cube, identifier="b1", **RUBBER), [0.5, 0.0, 0.0])
    assert not struck_of(solid(cube, **RUBBER), other)[0].strikes
    assert not struck_of(solid(cube, **HARD), other, time_integration="BDF2")[0].strikes
