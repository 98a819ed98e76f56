# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrapping."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.addon.recorded_layout import RecordedLayout


@pytest.fixture(autouse=True)
def _needs_blender(bpy):
    pass


def test_lines_are_short_and_nothing_is_lost():
    from blender_xpbd.addon.ui.wrapped_text import wrap

    text = "The worker crashed.\n\nIts log is /a/very/long/path/without/any/blank/in/it/worker.log"
    lines = wrap(text, 20)
    assert all(len(line) <= 20 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    assert "" in lines


def test_labels():
    from blender_xpbd.addon.ui.wrapped_text import draw_wrapped

    layout = RecordedLayout()
    draw_wrapped(layout, "one two three", icon="ERROR", width=8)
    assert layout.words == ["one two", "three"]


def test_the_width_of_a_region():
    from blender_xpbd.addon.ui.wrapped_text import letters_across

    def context(width, scale):
        return SimpleNamespace(
            region=SimpleNamespace(width=width), preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=scale))
        )

    assert letters_across(context(400, 1.0)) == letters_across(context(800, 2.0)) > letters_across(context(260, 1.0))
    assert letters_across(context(1, 1.0)) > 0
    assert letters_across(SimpleNamespace(region=None, preferences=context(1, 1.0).preferences)) > 0


@pytest.mark.parametrize(("width", "scale", "longest"), [(1600, 1.0, 100), (640, 1.0, 88), (640, 2.0, 38)])
def test_a_pop_up_fits_its_window(width, scale, longest):
    from blender_xpbd.addon.ui.wrapped_text import popup_text_in

    context = SimpleNamespace(
        window=SimpleNamespace(width=width),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=scale)),
    )
    lines = popup_text_in("word " * 100, context).split(" \n")
    assert longest - 5 < max(map(len, lines)) <= longest
