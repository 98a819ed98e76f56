# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs cases in processes of their own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .case import Case, Result
from .cases import CASES
from .missed_goals import judged

ROOT = Path(__file__).resolve().parent.parent.parent


def prepare() -> None:
    """Start Taichi in a process, once."""
    from blender_xpbd.device.runtime import start_taichi

    start_taichi("CPU", 0, ROOT / ".cache" / "taichi")


def run_case(name: str) -> tuple[Result, float]:
    """Run one case; answer its result and its seconds."""
    began = time.perf_counter()
    result = judged(next(case for case in CASES if case.name == name))
    return result, time.perf_counter() - began


def results(chosen: Sequence[Case], jobs: int) -> Iterator[tuple[Case, Result, float]]:
    """Run cases, some at a time; in their order, with the seconds of each."""
    # Taichi does not survive a fork
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=prepare) as pool:
        futures = [(case, pool.submit(run_case, case.name)) for case in chosen]
        for case, future in futures:
            yield case, *future.result()
