# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets whose faces have vertices of their own where they meet are found, as text and many imports have them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment
from tests.geometry.surfaces import sphere
from tests.solver.scenes import cloth, jelly_of, pins, scene


@pytest.fixture
def found(bpy):
    from blender_xpbd.addon.checking.doubled import doubled

    return lambda body: [int(notice.message.split()[4]) for notice in doubled(scene(body))]


def soup(body):
    """Each face with vertices of its own."""
    return replace(body, positions=body.positions[body.corners], corners=np.arange(len(body.corners), dtype=np.int32))


def halves(body, shift=0.0):
    """A sheet of two halves that are not joined along its middle."""
    line = np.flatnonzero(np.abs(body.positions[:, 0]) < 1e-9)
    copies = len(body.positions) + np.arange(len(line))
    right = np.repeat(body.positions[body.corners].reshape(-1, 4, 3)[:, :, 0].mean(axis=1) > 0.0, 4)
    swaps = np.arange(len(body.positions))
    swaps[line] = copies
    corners = np.where(right, swaps[body.corners], body.corners).astype(np.int32)
    return replace(body, positions=np.concatenate([body.positions, body.positions[line] + shift]), corners=corners)


SHEET = cloth(5)


def test_a_sound_sheet(found):
    assert found(SHEET) == []


def test_triangles_of_their_own(found):
    # 24 edges inside of 4 × 4 quads, each of them of two faces
    assert found(soup(SHEET)) == [48]


@pytest.mark.parametrize(("shift", "expected"), [(0.0, [8]), (1e-8, [8]), (1e-3, [])])
def test_two_halves(found, shift, expected):
    assert found(halves(SHEET, shift)) == expected


def test_a_turned_soup_of_a_ball(found):
    positions, triangles = sphere()
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    sizes, corners = np.full(len(triangles), 3, np.int32), triangles.ravel().astype(np.int32)
    ball = replace(SHEET, positions=positions, face_sizes=sizes, corners=corners)
    turned = soup(ball)
    assert found(replace(turned, positions=turned.positions @ turn.T + 5.0)) == [3 * len(triangles)]


def test_what_threads_join_holds(found):
    sheet = halves(SHEET)
    line = np.flatnonzero(np.abs(SHEET.positions[:, 0]) < 1e-9)
    threads = np.stack([line, 25 + np.arange(5)], axis=1).astype(np.int32)
    assert found(replace(sheet, loose_edges=threads)) == []


def test_jelly_holds_together(found):
    assert found(soup(jelly_of(sphere(), SHEET.material))) == []


def test_what_was_made_tearable_holds_together(found):
    sheet = soup(SHEET)
    assert found(replace(sheet, seams=np.ones(len(sheet.positions), np.int32))) == []


@pytest.mark.parametrize("by", ["pins", "attachment"])
def test_what_is_held_on_both_sides_does_not_fall_apart(found, by):
    """As pages that are pinned at their spine."""
    sheet = halves(SHEET)
    line = np.flatnonzero(np.abs(SHEET.positions[:, 0]) < 1e-9)
    for vertices, expected in ((line, [8]), (np.concatenate([line, 25 + np.arange(5)]), [])):
        held = pins(sheet.positions, vertices)
        if by == "attachment":
            held = Attachment("b1", vertices.astype(np.int32), np.ones(len(vertices), np.float32))
        assert found(replace(sheet, **{by: held})) == expected


def test_a_sheet_in_one_point(found):
    assert found(replace(SHEET, positions=np.ones_like(SHEET.positions))) == []
