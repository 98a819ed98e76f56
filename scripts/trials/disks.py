# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks that take no more: full, read-only, or with a limit of size."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
from contact_cases import shapes
from contact_cases.objects import floor

from blender_xpbd.jobs.job import write_job
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.errors import ExitCode, XpbdError
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

from .bakes import digests, start_worker, torn_frames
from .part import Outcome

_KINDS = ("full from the beginning", "becomes full", "read-only", "limit of size")
_FRAMES = 60
LARGE = "64m"
_expected: dict[int, str] = {}


def spoil_a_disk(number: int, folder: Path) -> Outcome:
    """Simulate a job on a disk that refuses at some moment, then with room."""
    random = np.random.default_rng(number)
    kind = _KINDS[number % len(_KINDS)]
    if not _expected:
        _expected.update(_undisturbed(folder / "undisturbed"))
    faults: list[str] = []
    disk = folder / "disk"
    disk.mkdir()
    run_command("mount", "-t", "tmpfs", "-o", f"size={LARGE}", "tmpfs", str(disk))
    try:
        job = write_job(disk, _scene())
        before = _spoil(kind, disk, random)
        status = start_worker(job, *before).wait()
        if status == 0 and kind == _KINDS[3]:
            kind = "limit of size that nothing met"
        elif status != ExitCode.IO:
            faults.append(f"{kind}: the exit status was {status}, not that of E_IO")
        faults += _told(kind, job)
        torn = torn_frames(job)
        if torn:
            faults.append(f"{kind}: frames {torn} are torn")
        kept = len(digests(job))
        _mend(disk)
        status = start_worker(job).wait()
        if status != 0:
            faults.append(f"{kind}: with room it ended with status {status}")
        if digests(job) != _expected:
            faults.append(f"{kind}: frames differ from those of an undisturbed run")
    finally:
        run_command("umount", "-l", str(disk))
    return Outcome(f"{kind}, {'some' if kept else 'no'} frames before", tuple(faults))


def _scene() -> Scene:
    positions, quads = shapes.sheet(15, 15)
    sizes = np.full(len(quads), 4, np.int32)
    body = Body("sheet", "sheet", "CLOTH", positions, sizes, np.array(quads, np.int32).ravel())
    return Scene((body,), (floor(-0.3),), FrameRange(1, _FRAMES), SolverSettings(substeps=5, device="CPU"))


def _undisturbed(folder: Path) -> dict[int, str]:
    job = write_job(folder, _scene())
    if start_worker(job).wait() != 0:
        raise RuntimeError("The undisturbed run did not end.")
    found = digests(job)
    shutil.rmtree(folder)
    return found


def _spoil(kind: str, disk: Path, random: np.random.Generator) -> tuple[str, ...]:
    """Make the disk refuse; what stands before the worker's command."""
    if kind == "full from the beginning":
        fill(disk, 0)
    elif kind == "becomes full":
        fill(disk, int(random.integers(8, 200)))
    elif kind == "read-only":
        run_command("mount", "-o", "remount,ro", str(disk))
    else:
        # of any file [blocks of 512 bytes]; a frame has more than six
        blocks = int(random.integers(0, 7))
        return "/bin/sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh"
    return ()


def fill(disk: Path, left: int) -> None:
    """Leave some kilobytes."""
    free = shutil.disk_usage(disk).free - 1024 * left
    with (disk / "filler").open("wb") as filler:
        for _ in range(free // 4096):
            os.write(filler.fileno(), bytes(4096))


def _told(kind: str, job: Path) -> list[str]:
    """A status that could be written says why."""
    try:
        status = read_status(job)
    except XpbdError as fault:
        return [] if fault.code == "E_IO" else [f"{kind}: the status cannot be read: {fault}"]
    if status is None or status.error is None:
        return []
    return [] if status.error.code == "E_IO" else [f"{kind}: the status says {status.error.code}"]


def _mend(disk: Path) -> None:
    run_command("mount", "-o", "remount,rw", str(disk))
    (disk / "filler").unlink(missing_ok=True)


def run_command(*command: str) -> None:
    """Run a command of the system, which must succeed."""
    subprocess.run(command, check=True)
