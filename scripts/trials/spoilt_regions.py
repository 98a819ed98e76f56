# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions whose record or job is damaged, baked again or taken back: right, or refused with a code."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.addon.test_hostile_jobs import contents

from .bakes import jobs_of
from .part import Outcome
from .region_damages import FILES, NAMES, RECORDS, SHOWN_OTHERWISE
from .regions import REGION, TAKE_BACK, bake_to_end, copied, opened, undisturbed

# what a fault must not end with: a worker that nobody understands
_UNEXPLAINED = {"E_WORKER", "no end"}


def damage_a_region(number: int, folder: Path) -> Outcome:
    """Damage a region in one of the ways, then take it back or bake one of it again."""
    expected = undisturbed("cloth")
    name = NAMES[number % len(NAMES)]
    takes_back = bool(number // len(NAMES) % 2)
    home, outside = folder / "home", folder / "outside"
    outside.mkdir()
    (outside / "victim").write_bytes(b"precious\n")
    copied(expected.region, home)
    whole = next(job for job in jobs_of(home / "cache") if f"{job.name}/job.json" in expected.whole.files)
    region = next(job for job in jobs_of(home / "cache") if job != whole)
    blender = opened(home)
    if name in RECORDS:
        blender.spoil_record(RECORDS[name])
    else:
        FILES[name](region, whole, outside)
    before = contents(outside)
    found = bake_to_end(blender, home / "cache", TAKE_BACK if takes_back else REGION)
    what = "taken back" if takes_back else "baked again"
    faults = []
    if found["code"] in _UNEXPLAINED:
        faults.append(f"{what}: {found['code']}")
        blender.kill()
    if contents(outside) != before:
        faults.append(f"{what}: something outside was changed")
    is_as_before = found.get("shown") == expected.whole.shown or name in SHOWN_OTHERWISE
    if takes_back and not found["code"] and not is_as_before:
        faults.append("taken back, but what is shown is not the bake before")
    shutil.rmtree(home)
    return Outcome(
        f"{what}, {'refused' if found['code'] else 'done'}",
        tuple(f"{name}: {fault}" for fault in faults),
        counts={found["code"]: 1} if found["code"] else {},
    )
