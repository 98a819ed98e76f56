# SPDX-License-Identifier: GPL-3.0-or-later
"""What has run away in a place is told, once, and of solids alone."""

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.errors import Notice
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.worker.shape_notices import RUN_AWAY, shape_notices
from tests.solver.scenes import cloth, jelly_cube

JELLY, SHEET = (build_body(body, SolverSettings()) for body in (jelly_cube(0.5, resolution=2), cloth(3)))


def seen(model, stretch=6.0):
    """Where the vertices of all bodies are, of which its own come last, spread from their middle; and which are its."""
    middle = model.body.positions.mean(axis=0)
    own = middle + stretch * (model.body.positions - middle)
    return lambda: np.concatenate([np.zeros((5, 3)), own]).astype(np.float32), slice(5, 5 + len(own))


def row(strain=0.0, inverted=0.0):
    return np.array([strain, 0.1, 0.0, inverted])


@pytest.mark.parametrize(
    ("statistics", "codes"),
    [
        (row(), []),
        (row(0.9 * RUN_AWAY), []),
        (row(1.1 * RUN_AWAY), ["W_QUALITY"]),
        (row(np.inf, np.inf), []),
        (row(np.nan, np.nan), []),
        (row(inverted=3.0), ["W_INVERTED"]),
        (row(1e4, 3.0), ["W_INVERTED", "W_QUALITY"]),
    ],
)
def test_a_jelly(statistics, codes):
    found = shape_notices(statistics, JELLY, 7, (), *seen(JELLY))
    assert [one.code for one in found] == codes
    assert all(one.object_name == "Cube" and "frame 7" in one.message for one in found)
    assert shape_notices(statistics, JELLY, 8, found, *seen(JELLY)) == []


def test_too_few_substeps_do_not_hide_it():
    told = [Notice("W_QUALITY", "Too stiff for so few substeps.", "Cube")]
    assert [one.code for one in shape_notices(row(1e4), JELLY, 7, told, *seen(JELLY))] == ["W_QUALITY"]


def test_a_cloth_may_be_drawn_as_long_as_its_material_lets_it():
    assert shape_notices(row(1e4), SHEET, 7, (), *seen(SHEET)) == []


def test_how_long_is_that_of_the_mesh_and_what_is_not_seen_is_not_told():
    (notice,) = shape_notices(row(1e4), JELLY, 7, (), *seen(JELLY))
    assert "6 times as long" in notice.message
    assert shape_notices(row(1e4), JELLY, 7, (), *seen(JELLY, 2.0)) == []
