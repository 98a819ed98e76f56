# SPDX-License-Identifier: GPL-3.0-or-later
"""The loose pieces of bodies whose internal motion is damped."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.order.damped_pieces import BODY, FIXED, FREE, HOLD, HOLDERS, LINE, MOVABLE, POINT
from blender_xpbd.solver.order.linked_particles import linked_particles
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, grid, jelly_cube, pins, scene


def pieces_of(*bodies):
    """Movable particles, holders, body and hold of each piece."""
    damped = build_system(scene(*bodies)).damped
    ends = damped.rows[1:, MOVABLE]
    return [
        (
            damped.members[row[MOVABLE] : row[HOLDERS]].tolist(),
            damped.members[row[HOLDERS] : end].tolist(),
            int(row[BODY]),
            int(row[HOLD]),
        )
        for row, end in zip(damped.rows[:-1], ends, strict=True)
    ]


def held(vertices, weights=1.0):
    body = cloth(4, internal_damping=1.0)
    return replace(body, pins=pins(body.positions, vertices, weights))


@pytest.mark.parametrize(
    ("vertices", "hold"),
    [([], FREE), ([5], POINT), ([0, 15], LINE), ([0, 4, 8, 12], LINE), ([0, 3, 12], FIXED), ([0, 1, 4], FIXED)],
)
def test_how_pins_hold_a_sheet(vertices, hold):
    ((movable, holders, body, found),) = pieces_of(held(vertices))
    assert (holders, body, found) == (vertices, 0, hold)
    assert movable == [vertex for vertex in range(16) if vertex not in vertices]


def test_anchors_of_soft_pins_hold_too():
    ((movable, holders, _, hold),) = pieces_of(held([0, 3, 12], np.float32([1.0, 0.5, 0.5])))
    assert (movable, holders, hold) == (list(range(1, 16)), [0, 16, 17], FIXED)


def test_pins_within_a_hundredth_of_a_piece_are_a_point():
    body = held([0, 1, 4])
    places = body.positions.copy()
    places[[1, 4]] = places[0] + [[0.004, 0.0, 0.0], [0.0, 0.004, 0.0]]
    ((_, _, _, hold),) = pieces_of(replace(body, positions=places))
    assert hold == POINT


def test_one_pinned_vertex_of_jelly_holds_it_at_a_point():
    """Though all corners of its cell stand still."""
    body = jelly_cube(1.0, 0.0, 4, internal_damping=1.0)
    ((_, holders, _, hold),) = pieces_of(replace(body, pins=pins(body.positions, [0])))
    assert len(holders) > 1
    assert hold == POINT


def test_only_bodies_with_damping_have_pieces():
    still = cloth(3, identifier="b0")
    damped = cloth(3, identifier="b1", internal_damping=1.0)
    assert pieces_of(still) == []
    assert pieces_of(still, damped) == [(list(range(9, 18)), [], 1, FREE)]


def islands(stitched, edges=((0, 4),)):
    """Two sheets of one object, loose edges between them, and a vertex alone."""
    positions, sizes, corners = grid(2)
    places = np.concatenate([positions, positions + np.array([0.0, 0.0, 1.0]), [[5.0, 0.0, 0.0]]])
    return replace(
        cloth(2, internal_damping=1.0, use_stitches=stitched),
        positions=places,
        face_sizes=np.tile(sizes, 2),
        corners=np.concatenate([corners, corners + 4]).astype(np.int32),
        loose_edges=np.array(edges, np.int32).reshape(-1, 2),
    )


@pytest.mark.parametrize("stitched", [False, True], ids=["thread", "seam"])
def test_sheets_are_pieces_until_a_thread_or_a_seam_joins_them(stitched):
    apart, joined = islands(stitched, edges=()), islands(stitched)
    assert [movable for movable, *_ in pieces_of(apart)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [movable for movable, *_ in pieces_of(joined)] == [list(range(8))]


def test_all_particles_of_a_pool_hang_together():
    """Shape matching has its particles in a pool."""
    body = cloth(3, shape_matching="WHOLE")
    blocks = [block for block in build_body(body, SolverSettings()).blocks if block.pools is not None]
    assert blocks
    assert linked_particles(9, blocks).tolist() == [0] * 9
    assert linked_particles(3, []).tolist() == [0, 1, 2]
