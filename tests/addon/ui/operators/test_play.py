# SPDX-License-Identifier: GPL-3.0-or-later
"""Which events a run takes, and which it leaves to Blender."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

OURS, BLENDERS = {"RUNNING_MODAL"}, {"PASS_THROUGH"}


class Hand:
    """A player as far as the mouse needs one."""

    def __init__(self):
        self.is_held = False
        self.unit_scale = 1.0

    def take_hold(self, _origin, _direction):
        self.is_held = True
        return (0.0, 0.0, 0.0)

    def let_go(self):
        self.is_held = False


@pytest.fixture
def send(bpy, monkeypatch):
    """A function that tells a run of an event, over a viewport, over its panels or elsewhere; and its player."""
    from blender_xpbd.addon.ui import play_mouse
    from blender_xpbd.addon.ui.operators import play

    monkeypatch.setattr(play_mouse, "_ray", lambda *_given: ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)))
    operator, player = SimpleNamespace(_mouse=play_mouse.PlayMouse()), Hand()

    def send(kind, value, *, is_over=True, is_over_panels=False, **given):
        monkeypatch.setattr(play, "viewport_under", lambda *_given: SimpleNamespace() if is_over else None)
        monkeypatch.setattr(play, "is_over_viewport", lambda *_given: is_over or is_over_panels)
        event = SimpleNamespace(**{"type": kind, "value": value, "ctrl": False, "alt": False, "oskey": False, **given})
        return play.XPBD_OT_play._on_event(operator, bpy.context, event, player)

    return send, player


def test_a_click_elsewhere_is_left_whole(send):
    """Blender makes a click of a press and a release, and the outliner chooses objects by clicks."""
    send, player = send
    assert send("LEFTMOUSE", "PRESS", is_over=False) == BLENDERS
    assert send("LEFTMOUSE", "RELEASE", is_over=False) == BLENDERS
    assert not player.is_held


@pytest.mark.parametrize(("given", "taken"), [({"is_over": False}, OURS), ({"ctrl": True}, BLENDERS)])
def test_what_is_held_ends_wherever_and_however_it_is_let_go(send, given, taken):
    send, player = send
    assert send("LEFTMOUSE", "PRESS") == OURS
    assert player.is_held
    assert send("LEFTMOUSE", "RELEASE", **given) == taken
    assert not player.is_held


def test_a_key_that_is_let_go_elsewhere_pushes_no_more(send):
    send, player = send
    assert send("U", "PRESS") == OURS
    assert player.acceleration[2] > 0.0
    assert send("U", "RELEASE", is_over=False) == BLENDERS
    assert player.acceleration[2] == 0.0


def test_shortcuts_of_blender_are_left_to_it(send):
    send, _ = send
    assert send("Z", "PRESS", ctrl=True) == BLENDERS
    assert send("MIDDLEMOUSE", "PRESS") == BLENDERS
    assert send("R", "PRESS", is_over=False) == BLENDERS


def test_keys_count_over_the_panels_where_play_was_pressed(send, monkeypatch):
    from blender_xpbd.addon.data.bake_status import STATUS

    send, player = send
    monkeypatch.setattr(STATUS, "play_wish", "")
    over_panels = {"is_over": False, "is_over_panels": True}
    assert send("ESC", "PRESS", **over_panels) == OURS
    assert STATUS.play_wish == "CANCEL"
    player.is_paused = False
    assert send("SPACE", "PRESS", **over_panels) == OURS
    assert player.is_paused
    # what changes settings is left to the panels
    for kind in ("LEFTMOUSE", "MOUSEMOVE", "BACK_SPACE", "TAB"):
        assert send(kind, "PRESS", **over_panels) == BLENDERS
    assert send("SPACE", "PRESS", ctrl=True, **over_panels) == BLENDERS
