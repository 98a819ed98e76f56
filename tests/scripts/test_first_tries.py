# SPDX-License-Identifier: GPL-3.0-or-later
"""First tries: a tenth of them as a newcomer makes them, and the judge with what it must find."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

import numpy as np
import pytest
from first_try.__main__ import _verdict as kept_or_new
from first_try.judge import judge
from first_try.running import Tried, run_try
from first_try.table import table
from first_try.tries import TRIES, Try

CUBE = Try("cube", "JELLY", True, 1.0)
FALLING = Try("cube", "JELLY", False, 1.0)
EDGES = np.array([[0, 1]], np.int32)


def tried(motion, *told, edges=EDGES, **report):
    return Tried(told, "", report, np.asarray(motion, np.float32), edges)


def box(frames=3, height=0.0):
    """27 points in a cube of 1 m that stands still."""
    line = np.linspace(0.0, 1.0, 3)
    points = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    return np.repeat(points[None], frames, axis=0) + np.array([0.0, 0.0, height])


def falling(frames=12):
    fallen = 0.5 * 9.81 * (np.arange(frames) / 24.0) ** 2
    return box(frames) - fallen[:, None, None] * [0.0, 0.0, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["circle, cloth, floor, 1 m", "plane, cloth, floor, 1 m", "torus, jelly, floor, 1 m"])
def test_a_tenth_of_the_first_tries(bpy, name):
    what = next(one for one in TRIES if one.name == name)
    verdict = judge(what, run_try(what))
    assert verdict.explosions == verdict.silences == ()
    assert verdict.told


def test_thirty_tries_of_unlike_names():
    assert len({what.name for what in TRIES}) == len(TRIES) == 30


def test_what_falls_and_is_told_is_sound():
    verdict = judge(FALLING, tried(falling(48), "W_FALLS: it falls"))
    assert verdict.explosions == verdict.silences == ()
    assert verdict.speed == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize(
    ("what", "came", "silence"),
    [
        (FALLING, tried(falling()), "falls for ever"),
        (CUBE, tried(box(height=-0.5), "W_LIES: it lies"), "starts inside the floor"),
        (CUBE, tried(box()), "nothing moves"),
        (CUBE, tried(falling()[:, :8]), "too few vertices"),
        (CUBE, tried([*falling(), box(1)[0] * [1.0, 1.0, 0.1]]), "flat"),
        (CUBE, tried(falling(), inverted_tetrahedra=1, tetrahedra=1000), "inside out"),
        (CUBE, Tried((), "Error: E_TET_OPEN: it is open", {}, box().astype(np.float32)), "E_TET_OPEN is not found"),
    ],
)
def test_silence_is_found(what, came, silence):
    (found,) = judge(what, came).silences
    assert silence in found


@pytest.mark.parametrize(
    ("came", "explosion"),
    [
        (tried([*falling(), box(1)[0] * 30.0]), "box"),
        (tried([*falling(), box(1)[0] + [9.0, 0.0, 0.0]]), "speed"),
        (tried([*falling(), box(1)[0] * [1.0, 1.0, 5.5]]), "strain"),
        (tried([*falling(), box(1)[0] * np.nan]), "no finite"),
        (tried(falling(), inverted_tetrahedra=50, tetrahedra=1000), "share inside out 0.05"),
    ],
)
def test_an_explosion_is_found(came, explosion):
    assert any(explosion in found for found in judge(CUBE, came).explosions)


def test_the_table_counts_what_is_wrong():
    good = judge(FALLING, tried(falling(), "W_FALLS: it falls"))
    rows = [("good", good), ("silent", judge(FALLING, tried(falling())))]
    *_, last = table(rows).splitlines()
    assert "**2 tries**" in last
    assert last.endswith("| **0** | **1** |")


def test_what_falls_through_the_floor_is_not_sound():
    (found,) = judge(CUBE, tried(falling(24), "W_FALLS: it falls")).explosions
    assert "below the floor" in found


def test_a_crash_is_a_verdict():
    assert judge(CUBE, Tried(ended="the process ended with -11")).explosions == ("the process ended with -11",)


def test_a_value_that_is_no_number_is_beyond_every_bound():
    assert any(
        "share inside out" in text
        for text in judge(CUBE, tried(falling(3), inverted_tetrahedra=np.nan, tetrahedra=9)).explosions
    )


@pytest.mark.parametrize(("version", "is_kept"), [("12 a", True), ("11 a", False), (None, False)])
def test_a_verdict_of_another_version_is_none(tmp_path, version, is_kept):
    kept = {**asdict(judge(FALLING, tried(falling()))), **({} if version is None else {"version": version})}
    (tmp_path / f"{CUBE.name}.json").write_text(json.dumps(kept), encoding="utf-8")
    options = argparse.Namespace(folder=tmp_path, version="12 a", only_report=True)
    assert (kept_or_new(CUBE, options) is not None) == is_kept
