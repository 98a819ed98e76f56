# SPDX-License-Identifier: GPL-3.0-or-later
"""A moving bar on a terminal, lines in a log."""

from __future__ import annotations

import io

import pytest


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def progress(bpy):
    from blender_xpbd.addon.baking.progress import Progress

    return lambda done, stage="SOLVING": Progress(stage, done, done, 10, 5.0, 75.0, "Solving")


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_the_first_and_the_last_are_shown(progress, stream):
    from blender_xpbd.addon.baking.progress_bar import ProgressBar

    output = stream()
    with ProgressBar(output) as bar:
        for done in range(1, 11):
            bar.show(progress(done))
    text = output.getvalue()
    assert "1/10 frames" in text
    assert "[##############################] 100%  10/10 frames  5.0 frames/s  1:15 left  Solving" in text
    assert text.endswith("\n")
    assert text.count("frames/s") < 6
    assert ("\r" in text) == (stream is Terminal)


def test_each_stage_is_shown(progress):
    from blender_xpbd.addon.baking.progress_bar import ProgressBar

    output = io.StringIO()
    with ProgressBar(output) as bar:
        bar.show(progress(1))
        bar.show(progress(2, "WRITING"))
    assert len(output.getvalue().splitlines()) == 2


@pytest.mark.parametrize(("seconds", "text"), [(-1, "0:00"), (59.6, "1:00"), (61, "1:01"), (3661, "1:01:01")])
def test_times(bpy, seconds, text):
    from blender_xpbd.addon.baking.progress_bar import time_text

    assert time_text(seconds) == text
