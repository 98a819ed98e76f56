# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake tells of contact."""

from __future__ import annotations

import numpy as np
import pytest

NAMES = ("mean_strain", "contacts", "tunnelled", "crossings")
OBJECTS = ["Shirt", "Body"]


@pytest.fixture
def summary(bpy):
    from blender_xpbd.addon.baking.report import BakeSummary

    return BakeSummary(frame_start=1, frame_end=3)


def test_each_object_has_its_own(summary):
    nan = np.nan
    for frame, rows in (
        (1, [[0.0, 0, 0, 12], [0.0, 0, 0, 0]]),
        (2, [[0.0, 40, 2, nan], [0.0, 30, 0, nan]]),
        (3, [[0.0, 20, 1, 3], [0.0, 50, 0, 0]]),
    ):
        summary.add_contact(frame, OBJECTS, NAMES, np.array(rows, np.float64))
    assert summary.contact == [
        {"object": "Shirt", "crossings_start": 12, "crossings_end": 3, "tunnelled": 3, "contacts": 40},
        {"object": "Body", "crossings_start": 0, "crossings_end": 0, "tunnelled": 0, "contacts": 50},
    ]

    (told,) = summary.warnings
    assert told.startswith('W_CROSSES: object "Shirt": 3 crossings')
    assert "frame 3" in told
    assert "there were 12" in told


def test_a_bake_that_stopped_has_no_crossings_at_its_end(summary):
    summary.add_contact(1, OBJECTS, NAMES, np.zeros((2, 4)))
    assert [entry["crossings_end"] for entry in summary.contact] == [None, None]


def test_without_contact_nothing_is_told(summary):
    summary.add_contact(1, OBJECTS, ("mean_strain",), np.zeros((2, 1)))
    assert summary.contact == []


def test_any_number_of_a_strangers_frame_is_borne(summary):
    for value in (np.nan, np.inf, -np.inf, -1.0, 1e300):
        summary.add_contact(1, OBJECTS, NAMES, np.full((2, 4), value))
    assert summary.contact[0] == {
        "object": "Shirt",
        "crossings_start": None,
        "crossings_end": None,
        "tunnelled": 0,
        "contacts": 0,
    }


def test_a_new_try_forgets(summary):
    from blender_xpbd.scene.errors import Notice

    summary.add_contact(1, OBJECTS, NAMES, np.ones((2, 4)))
    summary.start_again(Notice("W_RETRIED", "again"))
    assert summary.contact == []


def test_the_panel_shows_what_crosses_and_what_passed_through(bpy):
    from blender_xpbd.addon.baking.contact_report import contact_rows

    entry = {"object": "A", "crossings_start": 12, "crossings_end": 0, "tunnelled": 0, "contacts": 9}
    assert list(contact_rows([entry, {**entry, "tunnelled": 4}])) == [
        ("Crossings", "24 → 0"),
        ("Passed Through", "4 times"),
    ]
    assert list(contact_rows([{**entry, "crossings_start": 0}])) == []


@pytest.mark.parametrize(
    "entries", [None, 3, {}, "text", [None], [[]], [{}], [{"tunnelled": "x"}], [{"tunnelled": float("inf")}]]
)
def test_a_strangers_report_shows_nothing(bpy, entries):
    from blender_xpbd.addon.baking.contact_report import contact_rows

    assert list(contact_rows(entries)) == []
