# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the very place of something else is told; what is beside it, or stacked on it, is not."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene import starts
from blender_xpbd.scene.body import Attachment
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


def test_each_of_many_copies_is_told_once():
    copies = [moved(SHEET, 0.0, 0.0, 0.0, name=f"b{number}") for number in range(4)]
    assert [one.object_name for one in in_one_place(copies)] == ["b1", "b2", "b3"]


def test_a_badge_that_is_attached_as_a_whole_is_not_told():
    count = len(SHEET.positions)
    for held, expected in ((count, 0), (count - 1, 1)):
        vertices = np.arange(held, dtype=np.int32)
        attachment = Attachment(SHEET.identifier, vertices, np.ones(held, np.float32))
        badge = replace(moved(SHEET, 0.0, 0.0, 0.0), attachment=attachment)
        assert len(list(in_one_place([SHEET, badge]))) == len(list(in_one_place([badge, SHEET]))) == expected


def test_all_vertices_are_compared_only_where_some_of_a_sample_are_alike(monkeypatch):
    """A heap of thirty bodies of 50,000 vertices took 23 s; a check is for the moment of a click."""
    monkeypatch.setattr(starts, "_shared", lambda *_: pytest.fail("all were compared"))
    heap = [moved(SHEET, 0.1 * number, 0.03 * number, 0.0, name=f"b{number}") for number in range(4)]
    assert list(in_one_place(heap)) == []
