# SPDX-License-Identifier: GPL-3.0-or-later
"""What the header and the status bar say of a run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from blender_xpbd.scene.errors import XpbdError

FAULT = XpbdError("E_WORKER", "The worker was killed.")


@pytest.fixture
def run(bpy):
    """A function that makes a run as far as the header looks at it: at frame 7, 20 frames a second."""

    def make(*, substeps=20, **values):
        given = {
            "state": "PLAYING",
            "frame": 7,
            "shown_times": [0.0, 0.05, 0.1],
            "fault": None,
            "is_at_end": False,
            "is_paused": False,
            "pace": SimpleNamespace(is_coarser=substeps < 20, substeps=substeps, full_substeps=20),
            "refusal": "",
            "unshown": [],
        }
        return SimpleNamespace(**{**given, **values})

    return make


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"state": "READING"}, "reading the scene"),
        ({"state": "STARTING"}, "building the simulation, which takes longer the first time"),
        ({}, "frame 7 · 20 fps"),
        ({"shown_times": [0.0, 0.4]}, "frame 7 · 2.5 fps"),
        ({"shown_times": [0.0]}, "frame 7"),
        ({"is_paused": True}, "frame 7 · paused"),
        ({"is_paused": True, "is_at_end": True}, "frame 7 · the last one: R begins again, Enter keeps"),
        ({"fault": FAULT, "is_at_end": True}, "frame 7 · stopped (E_WORKER): Enter keeps it until here"),
        ({"substeps": 8}, "frame 7 · 20 fps · softer than baked: 8 of 20 substeps"),
        ({"refusal": "Nobody there."}, "frame 7 · 20 fps · goes on: Nobody there."),
        (
            {"refusal": "Nobody there.", "fault": FAULT},
            "frame 7 · stopped (E_WORKER): Enter keeps it until here · not kept: Nobody there.",
        ),
        ({"unshown": ["Hair", "Rope"]}, "frame 7 · 20 fps · shown when kept: Hair, Rope"),
    ],
)
def test_the_header_tells_how_a_run_goes_on(run, values, told):
    from blender_xpbd.addon.ui.play_header import header_text

    assert header_text(run(**values)) == f"XPBD Play: {told}"


def test_only_keys_that_do_something_are_named(run):
    from blender_xpbd.addon.ui.play_header import keys_text

    assert keys_text(run(state="STARTING")) == "XPBD Play      Esc: stop"
    keys = [part.partition(":")[0].strip() for part in keys_text(run()).split("    ")]
    assert keys == ["Esc", "Enter", "Drag", "Space", "R", "Right", "U", "W", "C", "S", "B", "D"]
    # without a worker
    keys = [part.partition(":")[0].strip() for part in keys_text(run(fault=FAULT)).split("    ")]
    assert keys == ["Esc", "Enter", "S", "B"]


def test_a_fault_is_reported_once(bpy, run):
    from blender_xpbd.addon.data.bake_status import STATUS
    from blender_xpbd.addon.ui.operators.play import XPBD_OT_play

    told = []
    operator = SimpleNamespace(_shown="", report=lambda kind, text: told.append((kind, text)))
    player = run(fault=FAULT, advance=lambda: False)
    context = SimpleNamespace(
        window_manager=bpy.context.window_manager, workspace=SimpleNamespace(status_text_set=lambda _text: None)
    )
    try:
        for _ in range(3):
            XPBD_OT_play._tick(operator, context, player)
        assert STATUS.message == "E_WORKER: The worker was killed."
    finally:
        STATUS.reset()
    assert told == [({"ERROR"}, "The worker was killed. (E_WORKER)")]
