# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that the log does not take."""

from __future__ import annotations

import io
import sys
import traceback

from blender_xpbd.jobs.log import bear_a_full_disk


class FullDisk(io.StringIO):
    """Takes nothing."""

    def write(self, _text):
        raise OSError(28, "No space left on device")

    def flush(self):
        raise OSError(28, "No space left on device")


def test_words_are_lost_and_the_work_goes_on(monkeypatch):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, FullDisk())
    bear_a_full_disk()
    print("something", flush=True)
    try:
        raise ValueError
    except ValueError:
        traceback.print_exc()


def test_what_fits_is_printed_and_no_stream_is_no_fault(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", None)
    bear_a_full_disk()
    print("something", flush=True)
    assert out.getvalue() == "something\n"
    assert sys.stderr is None
    assert not sys.stdout.isatty()
