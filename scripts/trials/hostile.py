# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile job folders, of the tests' table, before a real worker."""

from __future__ import annotations

import time
from pathlib import Path

from tests.addon.test_hostile_jobs import contents, memory_peak
from tests.jobs.hostile_folders import ATTACKS, baked_job

from .bakes import start_worker
from .part import Outcome

_SECONDS = 60.0
# above a worker with nothing hostile
_MOST_KILOBYTES = 500_000
_NAMES = tuple(ATTACKS)
_baseline: list[int] = []


def open_hostile_folder(number: int, folder: Path) -> Outcome:
    """Plant an attack and run a worker on it."""
    if not _baseline:
        _baseline.append(_run(baked_job(folder / "harmless"))[1])
    name = _NAMES[number % len(_NAMES)]
    outside = folder / "outside"
    outside.mkdir()
    (outside / "victim").write_bytes(b"precious\n")
    job = baked_job(folder / "cache")
    ATTACKS[name].plant(job, outside)
    before = contents(outside)
    status, peak = _run(job)
    faults = []
    if status is None:
        faults.append(f"{name}: the worker hangs")
    elif status < 0:
        faults.append(f"{name}: the worker was ended by signal {-status}")
    if contents(outside) != before:
        faults.append(f"{name}: something outside was changed")
    more = peak - _baseline[0]
    if more > _MOST_KILOBYTES:
        faults.append(f"{name}: {more / 1e3:.0f} MB more than without it")
    return Outcome(f"{ATTACKS[name].kind}", tuple(faults), {"MB above the baseline": max(more, 0) / 1e3})


def _run(job: Path) -> tuple[int | None, int]:
    """Exit status of a worker, None where it hangs, and its peak of memory [kB]."""
    worker = start_worker(job)
    limit, peak = time.monotonic() + _SECONDS, 0
    while worker.poll() is None and time.monotonic() < limit:
        peak = max(peak, _peak_of(worker.pid))
        time.sleep(0.02)
    if worker.poll() is None:
        worker.kill()
        worker.wait()
        return None, peak
    return worker.returncode, peak


def _peak_of(pid: int) -> int:
    try:
        return memory_peak(pid)
    except OSError:
        return 0
