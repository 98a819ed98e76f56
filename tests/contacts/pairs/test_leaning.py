# SPDX-License-Identifier: GPL-3.0-or-later
"""What slides over an edge of a flat surface is pushed off its plane, whatever the elastic solve did to it before."""

import numpy as np
import pytest

from tests.contacts.pairs.test_touch import GAP, VERTEX, Pair

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def test_what_slides_onto_a_triangle_is_pushed_off_its_plane():
    """The normal that it began with leans against the slide by 39°."""
    places = VERTEX.copy()
    places[0, :2] = -0.004, 0.3
    pair = Pair(0, places)
    pair.move([[0.006, 0.0, 0.0], *np.zeros((3, 3))])
    moved = pair.touch()
    np.testing.assert_allclose(moved[:, :2], 0.0, atol=1e-9)
    np.testing.assert_allclose(pair.positions[0, 2] - pair.positions[1:, 2] @ [0.698, 0.002, 0.3], GAP, rtol=1e-4)


def test_a_dent_of_the_elastic_solve_turns_no_normal():
    """Else what rests on a slope is pushed down it, for all dents lean that way."""
    pair = Pair(0, VERTEX)
    # a corner is dented by 0.3 % of the edge, and the vertex slides by 0.4 of its height
    pair.move([[0.002, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -0.003], [0.0, 0.0, 0.0]])
    moved = pair.touch()
    assert moved[0, 2] > 1e-4
    np.testing.assert_allclose(moved[:, :2], 0.0, atol=1e-9)
