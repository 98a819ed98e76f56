# SPDX-License-Identifier: GPL-3.0-or-later
"""A jelly that hangs on a strand by a cap is told; by a vertex, by a row along it, or on a cloth it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment, Body
from blender_xpbd.scene.material import Material
from tests.solver.scenes import cloth, jelly_cube, scene


@pytest.fixture
def drawn_together(bpy):
    """The check; its package needs Blender's module."""
    from blender_xpbd.addon.checking.checks import drawn_together

    return drawn_together


def cord(start, end):
    """A strand of ten segments."""
    places = np.linspace(start, end, 11)
    none, edges = np.zeros(0, np.int32), np.column_stack([np.arange(10), np.arange(1, 11)]).astype(np.int32)
    return Body("cord", "Cord", "STRAND", places, none, none, Material.from_values({}), loose_edges=edges)


def hung(vertices, target):
    """A cube of 0.2 m on the floor, of which some vertices are attached."""
    held = Attachment(target, np.asarray(vertices, np.int32), np.ones(len(vertices), np.float32))
    return replace(jelly_cube(0.2, 0.0), attachment=held)


def top(axis=None):
    """The upper vertices of the cube, or those of one edge along an axis."""
    places = jelly_cube(0.2, 0.0).positions
    is_top = places[:, 2] > 0.1
    return np.flatnonzero(is_top if axis is None else is_top & (places[:, 1 - axis] > 0.0))


@pytest.mark.parametrize(
    ("vertices", "start", "is_told"),
    [
        (top(), [0.0, 0.0, 0.7], True),
        (top()[:1], [0.0, 0.0, 0.7], False),
        (top(0), [-0.5, 0.1, 0.2], False),
        (top(1), [-0.5, 0.0, 0.2], True),
        ([], [0.0, 0.0, 0.7], False),
    ],
    ids=["a cap at the end", "a vertex", "a row along it", "a row across it", "nothing"],
)
def test_on_a_strand(drawn_together, vertices, start, is_told):
    end = [0.0, 0.0, 0.2] if start[2] > 0.5 else [0.5, start[1], 0.2]
    found = list(drawn_together(scene(hung(vertices, "cord"), cord(start, end))))
    assert [(one.code, one.object_name) for one in found] == ([("W_GROUP", "Cube")] if is_told else [])
    assert all('"Cord"' in one.message for one in found)


def test_on_a_cloth_and_on_nothing(drawn_together):
    sheet = cloth(10, height=0.2, identifier="sheet")
    assert list(drawn_together(scene(hung(top(), "sheet"), sheet))) == []
    assert list(drawn_together(scene(jelly_cube(0.2, 0.0), sheet))) == []
