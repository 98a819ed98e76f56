# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cloths are tubes that have to fall into creases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.cloth import build_cloth
from blender_xpbd.bodies.tubes import collapses
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.system.advice import stretch_advice
from blender_xpbd.solver.system.substeps import substeps_for_material
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, pins, scene

DOWN = np.array([0.0, 0.0, -9.81])
AROUND, ALONG = 16, 12


def tube(turn: float, spread: float = 0.0, angle: float = 2.0 * np.pi, pinned: bool = True):
    """A tube of 10 cm and 60 cm, held at one end; its axis is level, or turned down.

    Args:
        turn: of the axis, down from the X axis [rad].
        spread: how much wider the free end is [m].
        angle: how far it goes around [rad].
        pinned: whether it is held.
    """
    around = np.linspace(0.0, angle, AROUND + 1)[: None if angle < 2.0 * np.pi else -1]
    place = np.linspace(0.0, 0.6, ALONG)
    radius = 0.1 + spread * place[:, None] / 0.6
    level = np.stack([place[:, None] + 0.0 * around, radius * np.cos(around), radius * np.sin(around)], axis=-1)
    c, s = np.cos(turn), np.sin(turn)
    positions = level.reshape(-1, 3) @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T
    index = np.arange(len(positions), dtype=np.int32).reshape(ALONG, len(around))
    after = np.roll(index, -1, axis=1) if angle >= 2.0 * np.pi else index[:, 1:]
    before = index if angle >= 2.0 * np.pi else index[:, :-1]
    quads = np.stack([before[:-1], after[:-1], after[1:], before[1:]], axis=-1).reshape(-1, 4)
    sheet = replace(
        cloth(4),
        positions=positions,
        face_sizes=np.full(len(quads), 4, np.int32),
        corners=quads.ravel().astype(np.int32),
    )
    return replace(sheet, pins=pins(positions, index[0])) if pinned else sheet


def towel_with_a_hole():
    """A level towel without its middle, held at two corners."""
    sheet = cloth(9, pinned=(0, 8))
    quads = sheet.corners.reshape(-1, 4)
    kept = quads[np.linalg.norm(sheet.positions[quads].mean(axis=1), axis=1) > 0.25]
    return replace(sheet, face_sizes=np.full(len(kept), 4, np.int32), corners=kept.ravel().astype(np.int32))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (tube(0.0), True),
        (tube(0.3, spread=0.05), True),
        # a chimney stands on its pins
        (tube(-0.5 * np.pi), True),
        (tube(0.5 * np.pi), False),
        (tube(0.5 * np.pi, spread=0.1), False),
        (tube(0.0, angle=np.pi), False),
        (tube(0.0, pinned=False), False),
        (cloth(9, pinned=(0, 8)), False),
        (towel_with_a_hole(), False),
    ],
    ids=["level", "nearly", "stands", "hangs", "skirt", "half", "free", "sheet", "hole"],
)
def test_tubes_collapse_where_they_do_not_hang_from_their_pins(body, expected):
    assert collapses(build_cloth(body, SolverSettings()), DOWN) is expected


def test_nothing_collapses_without_weight_and_gravity_tells_what_hangs():
    model = build_cloth(tube(0.0), SolverSettings())
    assert not collapses(model, np.zeros(3))
    assert not collapses(model, np.array([9.81, 0.0, 0.0]))


def test_closed_cloth_is_no_tube():
    """Its shape is held by its surface, and it has no levels either."""
    body = tube(0.0)
    ends = [range(AROUND)[::-1], range(AROUND * (ALONG - 1), AROUND * ALONG)]
    sizes = np.concatenate([body.face_sizes, [AROUND, AROUND]]).astype(np.int32)
    corners = np.concatenate([body.corners, *map(np.array, ends)]).astype(np.int32)
    closed = replace(body, face_sizes=sizes, corners=corners)
    assert not collapses(build_cloth(closed, SolverSettings()), DOWN)


def test_what_collapses_gets_more_substeps_within_the_limit():
    def substeps(turn: float, **settings) -> int:
        return substeps_for_material(build_system(scene(tube(turn), **settings)))

    assert substeps(0.5 * np.pi) == 40
    assert substeps(0.0) == 100
    assert substeps(0.0, maximum_substeps=70) == 70
    assert stretch_advice(build_system(scene(tube(0.0), maximum_substeps=70))) == ""
