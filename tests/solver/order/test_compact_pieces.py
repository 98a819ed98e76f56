# SPDX-License-Identifier: GPL-3.0-or-later
"""What bounces as a whole, and what does not."""

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Attachment, Pins
from blender_xpbd.solver.system.system import build_system
from tests.contacts.solids import HARD, RUBBER, cube, shifted, solid, tetrahedron
from tests.geometry import surfaces
from tests.solver.scenes import cloth, plane, scene

BOUNCING = {**RUBBER, "restitution": 0.5}


def pieces_of(*bodies, restitution=0.0, **settings):
    system = build_system(scene(*bodies, colliders=[plane(restitution=restitution)], **settings))
    return system, system.pieces


def test_a_free_jelly_is_one_piece_with_all_its_points():
    system, pieces = pieces_of(solid(cube, **BOUNCING))
    assert len(pieces) == 1
    np.testing.assert_array_equal(np.sort(pieces.members), np.arange(len(system.positions)))
    np.testing.assert_array_equal(np.sort(pieces.points), np.arange(len(system.contacts)))
    np.testing.assert_array_equal(pieces.of_points, 0)
    np.testing.assert_array_equal(pieces.are_hard, 0)


def test_only_what_may_bounce_or_is_hard_has_pieces():
    assert len(pieces_of(solid(cube, **RUBBER))[1]) == 0
    assert len(pieces_of(solid(cube, **RUBBER), restitution=0.1)[1]) == 1
    np.testing.assert_array_equal(pieces_of(solid(cube, **HARD))[1].are_hard, [1])
    assert len(pieces_of(cloth(4, restitution=0.5))[1]) == 0
    assert len(build_system(scene(solid(cube, **BOUNCING))).pieces) == 0


def test_own_compliance_of_zero_is_hard_but_not_in_pbd_mode():
    rigid = {"stiffness_input": "COMPLIANCE", "stretch_compliance": 0.0}
    np.testing.assert_array_equal(pieces_of(solid(tetrahedron, **rigid))[1].are_hard, [1])
    assert len(pieces_of(solid(tetrahedron, **rigid), solver_mode="PBD")[1]) == 0
    assert len(pieces_of(solid(tetrahedron, **{**rigid, "stretch_compliance": 1e-6}))[1]) == 0


def test_pieces_of_one_mesh_are_told_apart():
    corners, triangles = surfaces.join(surfaces.cube(), surfaces.cube())
    corners = corners * 0.1
    corners[8:] += [0.5, 0.0, 0.3]
    system, pieces = pieces_of(solid(lambda: (corners, triangles), resolution=12, **BOUNCING))
    assert len(pieces) == 2
    for piece in range(2):
        members = pieces.members[pieces.starts[piece] : pieces.starts[piece + 1]]
        points = pieces.points[pieces.point_starts[piece] : pieces.point_starts[piece + 1]]
        assert np.ptp(system.positions[members, 0]) < 0.35
        assert np.isin(system.contacts.elements[points, 0], members).all()
        np.testing.assert_array_equal(pieces.of_points[points], piece)


def test_what_is_held_is_no_piece():
    free, held = solid(cube, **BOUNCING), solid(cube, identifier="b1", **BOUNCING)
    held = shifted(held, [1.0, 0.0, 0.0])
    for weight in (1.0, 0.5):
        pins = Pins(np.array([7], np.int32), np.array([weight], np.float32), held.positions[None, [7]])
        system, pieces = pieces_of(free, replace(held, pins=pins))
        assert len(pieces) == 1
        assert pieces.members.max() < system.starts[1]


def test_what_is_attached_hangs_together():
    first = solid(cube, **BOUNCING)
    attachment = Attachment("b0", np.array([0, 1], np.int32), np.ones(2, np.float32))
    second = replace(shifted(solid(cube, identifier="b1", **BOUNCING), [0.2, 0.0, 0.0]), attachment=attachment)
    system, pieces = pieces_of(first, second)
    assert len(pieces) == 1
    assert len(pieces.members) == len(system.positions)
    sheet = cloth(4, identifier="b1", height=0.2)
    attached = replace(sheet, attachment=Attachment("b0", np.array([5], np.int32), np.ones(1, np.float32)))
    assert len(pieces_of(first, attached)[1]) == 0
