# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be wrong with a region that was baked again: its record, its job, and the job that it goes on from."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blender_xpbd.jobs import job as job_module
from blender_xpbd.jobs.job import JOB_FILE

# gets the job of the region, that of the bake before and a folder outside
Damage = Callable[[Path, Path, Path], object]

RECORDS: dict[str, dict[str, Any] | str] = {
    "a record of many regions": {"regions": 10**9},
    "a record of fewer than no regions": {"regions": -1},
    "a record of no region": {"regions": 0},
    "a record of a job elsewhere": {"job": "../../etc"},
    "a record of no job": {"job": "0" * 24},
    "a record of a job without a name": {"job": ""},
    "a record of a folder of the system": {"folder": "/proc/self"},
    "a record of other frames": {"start": 5, "end": 9},
    "a record of frames that Blender has not": {"start": 2**40, "end": 2**40 + 59},
    "a record of frames beyond all numbers": {"start": 10**400, "end": 10**400 + 59},
    "a record of another style": {"style": "NONE"},
    "a record of keys of nobody": {"prefix": ""},
    "a record of keys of a long name": {"prefix": "x" * 10_000},
    "a record of an action elsewhere": {"created_action": "\n" * 100},
    "a record of no transforms": {"transforms": "!"},
    "a record of a tiny unit": {"unit_scale": 1e-300},
    "a record of a speed of 0": {"speed": 0.0},
    "a record of much that is cut": {"cut_start": 59, "cut_end": 0},
    "a record of another topology": {"topology": "0"},
    "a record of brackets": "[" * 50_000,
    "a record of nothing": "{}",
}


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _forge(job: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what a job says, with a digest that fits."""
    path = job / JOB_FILE
    value = json.loads(path.read_bytes())
    change(value["scene"])
    value["digest"] = job_module._digest(value["scene"], value["software"], value["solver_version"])
    path.write_text(json.dumps(value), encoding="utf-8")


def _of_region(**values: Any) -> Damage:
    return lambda region, _whole, _outside: _forge(region, lambda scene: scene["region"].update(values))


def _of_beginning(**values: Any) -> Damage:
    return lambda region, _whole, _outside: _forge(region, lambda scene: scene["beginning"].update(values))


def _of_all(name: str, spoil: Callable[[Path], None], *, is_whole: bool) -> Damage:
    """Spoil the files of a name."""

    def damage(region: Path, whole: Path, _outside: Path) -> None:
        for path in list((whole if is_whole else region).rglob(name)):
            if path.is_file():
                spoil(path)

    return damage


def _moved(region: Path, _whole: Path, outside: Path) -> None:
    """The bake before lies elsewhere, and a link leads there."""
    shutil.move(_whole, outside / "moved")
    _whole.symlink_to(outside / "moved")


FILES: dict[str, Damage] = {
    "its own beginning": lambda region, _whole, _outside: _forge(
        region, lambda scene: scene["beginning"].update(job=region.name)
    ),
    "a beginning elsewhere": _of_beginning(job="../../../etc"),
    "a beginning that is gone": _of_beginning(job="0" * 24),
    "a beginning after the end": _of_beginning(frame=10**6),
    "no beginning": lambda region, _whole, _outside: _forge(region, lambda scene: scene.update(beginning=None)),
    "a region of no body": _of_region(body="b9"),
    "a region before the beginning": _of_region(first=-5),
    "a region of a million frames": _of_region(last=10**6),
    "a region that is led back for ever": _of_region(blend=10**6),
    "a region of no arrays": _of_region(arrays={}),
    "vertices flipped": _of_all("region_vertices.npy", _flip, is_whole=False),
    "freedoms cut": _of_all("region_freedoms.npy", _cut, is_whole=False),
    "the region's job is a pipe": _of_all(JOB_FILE, _pipe, is_whole=False),
    "the region's job is cut": _of_all(JOB_FILE, _cut, is_whole=False),
    "the region's result is flipped": _of_all("result.json", _flip, is_whole=False),
    "the region's frames are flipped": _of_all("frame_*3.bin", _flip, is_whole=False),
    "the region's frames are gone": _of_all("frame_*", Path.unlink, is_whole=False),
    "the region's job is gone": lambda region, _whole, _outside: shutil.rmtree(region),
    "the bake's job is cut": _of_all(JOB_FILE, _cut, is_whole=True),
    "the bake's job is a pipe": _of_all(JOB_FILE, _pipe, is_whole=True),
    "the bake's result is flipped": _of_all("result.json", _flip, is_whole=True),
    "the bake's result is gone": _of_all("result.json", Path.unlink, is_whole=True),
    "the bake's frames are flipped": _of_all("frame_*5.bin", _flip, is_whole=True),
    "the bake's frames are cut": _of_all("frame_*7.bin", _cut, is_whole=True),
    "the bake's frames are pipes": _of_all("frame_*9.bin", _pipe, is_whole=True),
    "the bake's frames are gone": _of_all("frame_*", Path.unlink, is_whole=True),
    "the bake's states are flipped": _of_all("checkpoint*", _flip, is_whole=True),
    "the bake's states are gone": _of_all("checkpoint*", Path.unlink, is_whole=True),
    "the bake is gone": lambda _region, whole, _outside: shutil.rmtree(whole),
    "the bake is a link": _moved,
}
# who trims a bake finds it trimmed when a region of it is taken back
SHOWN_OTHERWISE = {"a record of much that is cut"}
NAMES = (*RECORDS, *FILES)
