# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of scripts/contact_suite, and the scenes that must begin as they stand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ipctk")

from contact_cases import shapes
from contact_cases.case import Case, Content
from contact_cases.judge import Judge
from contact_cases.objects import cloth, mesh_collider
from contact_cases.on_each_other import CARD_GAP, STOREYS, card_house
from contact_cases.running import scene_of

GAP = 0.01


def over_ball(*, is_open: bool) -> Judge:
    """A sheet of a single quad, and a ball with its top at the origin, which it touches or not."""
    ball, quads = shapes.moved(shapes.sphere(0.5, 4), 0.0, 0.0, -0.5)
    kept = quads[(ball[quads][:, :, 2] > -0.5).all(axis=1)] if is_open else quads
    sheet = shapes.sheet(2, 2)
    case = Case(
        "none", lambda random, frames: Content((cloth("sheet", sheet),), (mesh_collider("ball", (ball, kept)),))
    )
    return Judge(scene_of(case, 0, 1))


@pytest.mark.parametrize("is_open", [False, True])
def test_faces_that_dip_over_a_closed_collider_have_a_list_of_their_own(is_open: bool) -> None:
    judge = over_ball(is_open=is_open)
    surface = judge.rest[:4] + np.array([0.0, 0.0, 0.6 * GAP])
    gaps = np.full((2, 2), GAP)
    errors, dips = judge.gap_errors(judge.places(surface, 0), gaps, np.array([False, is_open]))
    nearest, farther = (errors, dips) if is_open else (dips, errors)
    assert nearest.max() == pytest.approx(0.4)
    assert farther.max() == 0.0


def test_a_vertex_on_a_closed_collider_is_held() -> None:
    judge = over_ball(is_open=False)
    corner = judge.rest[:4] + np.array([0.5, 0.5, 0.7 * GAP])
    gaps = np.full((2, 2), GAP)
    errors, _ = judge.gap_errors(judge.places(corner, 0), gaps, np.zeros(2, np.bool_))
    assert errors.max() == pytest.approx(0.3)


def test_cards_begin_as_far_apart_as_they_want_to_be() -> None:
    case = Case("cards", card_house)
    scene = scene_of(case, 0, 1)
    judge = Judge(scene)
    assert judge.crossings(judge.rest) == 0
    gaps = np.full((len(scene.bodies),) * 2, CARD_GAP)
    errors, _ = judge.gap_errors(judge.rest, gaps, np.zeros(len(scene.bodies), np.bool_))
    # the jitter is a hundredth of an edge
    assert errors.max() < 0.3
    lowest = min(body.positions[:, 2].min() for body in scene.bodies)
    assert lowest == pytest.approx(CARD_GAP, abs=4e-4)
    # two cards for each pair, and a board between two storeys
    assert len(scene.bodies) == STOREYS * (STOREYS + 1) + STOREYS - 1
