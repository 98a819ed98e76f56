# SPDX-License-Identifier: GPL-3.0-or-later
"""The wish to stop: asked for, or because whoever asked for the bake is gone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

from blender_xpbd.worker.stop_signal import StopSignal


def comes_true(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return condition()


@pytest.fixture
def pipe() -> Iterator[tuple[int, list[int]]]:
    """The reading end of a pipe, and the writing end in a list as long as it is open."""
    reading, writing = os.pipe()
    still_open = [writing]
    yield reading, still_open
    for descriptor in still_open:
        os.close(descriptor)


def test_a_request_stays() -> None:
    stop = StopSignal()
    assert not stop.is_requested
    stop.request()
    stop.request()
    assert stop.is_requested


def test_the_end_of_the_input_is_a_request(pipe: tuple[int, list[int]]) -> None:
    reading, still_open = pipe
    stop = StopSignal()
    stop.watch(reading)
    os.write(still_open[0], b"what is written is no matter" * 1000)
    time.sleep(0.05)
    assert not stop.is_requested
    os.close(still_open.pop())
    assert comes_true(lambda: stop.is_requested)
