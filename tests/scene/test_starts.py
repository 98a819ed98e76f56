# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the very place of something else is told; what is beside it, or stacked on it, is not."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.starts import bodies_meet, in_one_place
from tests.solver.scenes import cloth, jelly_cube

SHEET = cloth(6)


def moved(body, *way, name="Other"):
    return replace(body, identifier=name, name=name, positions=body.positions + np.array(way))


@pytest.mark.parametrize("body", [SHEET, jelly_cube(1.0)], ids=["cloth", "jelly"])
def test_a_copy_that_was_not_moved(body):
    (notice,) = in_one_place([body, moved(body, 0.0, 0.0, 0.0)])
    assert (notice.code, notice.object_name) == ("W_TANGLED", "Other")
    count = len(body.positions)
    assert notice.message.startswith(f'{count} of its {count} vertices are where "{body.name}" has some')


@pytest.mark.parametrize(
    ("body", "way"),
    [(SHEET, (0.0, 0.0, 1e-4)), (SHEET, (1.0, 0.0, 0.0)), (SHEET, (9.0, 0.0, 0.0)), (jelly_cube(1.0), (0.0, 0.0, 1.0))],
    ids=["above", "border on border", "apart", "face on face"],
)
def test_a_copy_that_was_moved(body, way):
    assert list(in_one_place([body, moved(body, *way)])) == []


def test_what_does_not_meet():
    copy = moved(SHEET, 0.0, 0.0, 0.0)
    assert bodies_meet(SHEET, copy)
    for contact in (BodyContact(body_collision=False), BodyContact(sees=("b9",))):
        assert list(in_one_place([SHEET, replace(copy, contact=contact)])) == []
    assert list(in_one_place([SHEET, replace(copy, contact=BodyContact(sees=(SHEET.identifier,)))]))
