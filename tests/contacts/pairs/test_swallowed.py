# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids inside solids are found; what is in a cavity, beside or unseen is not inside."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts.pairs.swallowed import enclosed, swallowed
from tests.contacts.pairs.tangled_sheets import surfaces_of
from tests.geometry.triangle_shapes import icosphere


def ball(radius, *centre, turned_inside_out=False):
    positions, triangles = icosphere(1)
    triangles = triangles.astype(np.int32)
    return radius * positions + np.array(centre), triangles[:, ::-1] if turned_inside_out else triangles


def joined(one, other):
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1] + len(one[0])])


SMALL, LARGE = ball(0.1, 0.2, 0.0, 0.0), ball(0.5, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("meshes", "expected"),
    [
        ([SMALL, LARGE], [(0, 1)]),
        ([LARGE, SMALL], [(0, 1)]),
        ([LARGE, ball(0.5, 2.0, 0.0, 0.0), SMALL], [(0, 2)]),
        ([LARGE, ball(0.05, 0.43, 0.43, 0.43)], []),
        ([SMALL, joined(LARGE, ball(0.4, 0.0, 0.0, 0.0, turned_inside_out=True))], []),
        ([SMALL], []),
    ],
    ids=["in", "the other way round", "of three", "in the box alone", "in a cavity", "alone"],
)
def test_which_lie_in_another(meshes, expected):
    surfaces, positions = surfaces_of(meshes)
    assert swallowed(surfaces, positions, np.ones(len(meshes), np.bool_)) == expected


def test_only_solids_that_see_each_other_count():
    surfaces, positions = surfaces_of([SMALL, LARGE])
    assert swallowed(surfaces, positions, np.array([False, True])) == []
    apart = replace(surfaces, sees=np.eye(2, dtype=np.bool_))
    assert swallowed(apart, positions, np.ones(2, np.bool_)) == []


def test_a_sheet_in_a_solid_is_enclosed_by_it():
    surfaces, positions = surfaces_of([SMALL, LARGE, ball(0.1, 2.0, 0.0, 0.0)])
    solids = np.array([False, True, False])
    assert enclosed(surfaces, positions, solids, np.arange(3)) == [(0, 1)]


def test_what_takes_no_part_is_inside_nothing():
    """As what is attached as a whole: it is to stay where it is."""
    surfaces, positions = surfaces_of([SMALL, LARGE])
    held = replace(surfaces, takes_part=np.arange(len(positions)) >= surfaces.point_starts[1])
    assert swallowed(held, positions, np.ones(2, np.bool_)) == []
