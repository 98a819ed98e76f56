# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that are killed, meet a full disk, or a path that leads elsewhere: what was there before stays whole."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from .disks import LARGE, fill, run_command
from .living_bake import BakingBlender
from .part import Outcome
from .regions import copied, opened, undisturbed

ENDINGS = (".pc2", ".mdd", ".abc", ".usdc", ".glb", ".npz")
_FORMER = b"what was exported before\n"
_DONE = ("a file", "no file", "a link to a file")
_REFUSED = ("a folder", "no folder", "a long name", "a read-only disk")
# replaced or refused: that nothing hangs, and nothing elsewhere changes
_EITHER = ("a link to nothing", "a pipe", "a link to a device")
_PLACES = (*_DONE, *_REFUSED, *_EITHER)

Random = np.random.Generator
_undisturbed: dict[str, tuple[float, int]] = {}


def spoil_an_export(number: int, folder: Path) -> Outcome:
    """Disturb one export in one of three ways, then export again."""
    random = np.random.default_rng(number)
    ending = ENDINGS[number % len(ENDINGS)]
    way = (_killed, _on_a_full_disk, _to_a_strange_place)[number // len(ENDINGS) % 3]
    expected = undisturbed("cloth").whole
    copied(expected, folder)
    seconds, size = _measured(ending, folder)
    blender = opened(folder)
    place = folder / "place"
    place.mkdir()
    run_command("mount", "-t", "tmpfs", "-o", f"size={LARGE}", "tmpfs", str(place))
    try:
        kind, faults = way(blender, place, ending, (random, seconds, size))
    finally:
        run_command("umount", "-l", str(place))
    return Outcome(kind, tuple(f"{ending}, {kind}: {fault}" for fault in faults))


def _measured(ending: str, folder: Path) -> tuple[float, int]:
    """How long an undisturbed export takes [s], and its size in bytes."""
    if ending not in _undisturbed:
        blender = opened(folder)
        path, cache = folder / f"undisturbed{ending}", folder / "cache"
        began = time.perf_counter()
        if code := _code(blender, path, cache):
            raise RuntimeError(f"The undisturbed export to {ending} ended with {code}.")
        _undisturbed[ending] = time.perf_counter() - began, path.stat().st_size
    return _undisturbed[ending]


Told = tuple[Random, float, int]


def _killed(blender: BakingBlender, place: Path, ending: str, told: Told) -> tuple[str, list[str]]:
    random, seconds, size = told
    path, cache = place / f"motion{ending}", place.parent / "cache"
    path.write_bytes(_FORMER)
    blender.export(path, cache)
    time.sleep(random.uniform(0.0, seconds))
    frozen = blender.freeze("Blender")
    if frozen is None:
        return "ended before a kill", _whole(path, size)
    blender.kill()
    faults = [] if path.read_bytes() == _FORMER else _whole(path, size)
    if strange := [entry.name for entry in place.iterdir() if entry != path and not entry.name.startswith(".xpbd_")]:
        faults.append(f"left beside it: {strange}")
    again = opened(place.parent)
    if code := _code(again, path, cache):
        faults.append(f"again it ended with {code}")
    return "killed", [*faults, *_whole(path, size)]


def _on_a_full_disk(blender: BakingBlender, place: Path, ending: str, told: Told) -> tuple[str, list[str]]:
    random, _, size = told
    path, cache = place / f"motion{ending}", place.parent / "cache"
    path.write_bytes(_FORMER)
    fill(place, int(random.integers(0, max(1, size // 1024 - 4))))
    faults = []
    code = _code(blender, path, cache)
    if not code:
        faults.append(f"it was told as written, with {path.stat().st_size} of {size} bytes")
    elif code not in {"E_IO", "E_EXPORT"}:
        faults.append(f"it ended with {code}")
    if path.read_bytes() != _FORMER:
        faults.append("the file from before is gone")
    if left := [entry.name for entry in place.iterdir() if entry.name.startswith(".")]:
        faults.append(f"left beside it: {left}")
    (place / "filler").unlink()
    if not blender.is_alive:
        return "full disk", [*faults, "Blender has ended"]
    if code := _code(blender, path, cache):
        faults.append(f"with room it ended with {code}")
    return "full disk", [*faults, *_whole(path, size)]


def _to_a_strange_place(blender: BakingBlender, place: Path, ending: str, told: Told) -> tuple[str, list[str]]:
    random, _, size = told
    kind = str(random.choice(_PLACES))
    path, victim, cache = place / f"motion{ending}", place / "victim", place.parent / "cache"
    victim.write_bytes(_FORMER)
    path = _prepared(kind, path, victim)
    code = _code(blender, path, cache)
    faults = []
    if kind in _DONE and code:
        faults.append(f"it ended with {code}")
    if kind in _DONE and not code:
        faults += _whole(path, size)
    if kind in _REFUSED and not code:
        faults.append("it ended without a fault")
    if code not in {"", "E_IO", "E_EXPORT"}:
        faults.append(f"it ended with {code}")
    if victim.read_bytes() != _FORMER and kind != "a link to a file":
        faults.append("another file was changed")
    return kind, faults


def _prepared(kind: str, path: Path, victim: Path) -> Path:
    """Something in the place of a file, and the path to export to."""
    if kind == "a file":
        path.write_bytes(_FORMER)
    elif kind == "a folder":
        path.mkdir()
        (path / "inside").touch()
    elif kind == "no folder":
        path = path.parent / "nowhere" / path.name
    elif kind == "a link to a file":
        path.symlink_to(victim)
    elif kind == "a link to nothing":
        path.symlink_to(path.parent / "nothing")
    elif kind == "a link to a device":
        path.symlink_to("/dev/full")
    elif kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a long name":
        path = path.with_name("x" * 300 + path.suffix)
    elif kind == "a read-only disk":
        run_command("mount", "-o", "remount,ro", str(path.parent))
    return path


def _code(blender: BakingBlender, path: Path, cache: Path) -> str:
    """Export; the code of its fault, "" for none."""
    blender.export(path, cache)
    ended = blender.end()
    return "no end" if ended is None else str(ended["code"])


def _whole(path: Path, size: int) -> list[str]:
    """Names and times in a file may take some bytes more or less."""
    found = path.stat().st_size
    return [] if abs(found - size) <= max(200, size // 100) else [f"the file has {found} of {size} bytes"]
