# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from blender_xpbd.worker import stopwatch
from blender_xpbd.worker.stopwatch import Stopwatch


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the stopwatch sees, in its only entry."""
    now = [100.0]
    monkeypatch.setattr(stopwatch.time, "perf_counter", lambda: now[0])
    return now


def test_times_of_a_stage_add_up_in_the_order_of_first_use(clock: list[float]) -> None:
    watch = Stopwatch()
    for name, seconds in (("solve", 2.0), ("build", 1.0), ("solve", 0.5)):
        with watch.stage(name):
            clock[0] += seconds
    clock[0] += 50.0
    assert list(watch.seconds.items()) == [("solve", 2.5), ("build", 1.0)]


def test_a_stage_that_fails_is_counted_and_one_within_another_counts_in_both(clock: list[float]) -> None:
    watch = Stopwatch()

    def fail() -> None:
        with watch.stage("outer"):
            clock[0] += 1.0
            with watch.stage("inner"):
                clock[0] += 2.0
                raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert watch.seconds == {"inner": 2.0, "outer": 3.0}
