# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions that are baked again, or taken back, whose worker, Blender or both are killed by SIGKILL meanwhile."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .bakes import digests, frames_of, jobs_of
from .killing import kill_all
from .living_bake import BakingBlender
from .part import Outcome

VICTIMS = ("worker", "Blender", "both")
SCENES = ("cloth", "jelly")
FIRST, LAST = 21, 50
REGION = {"region": (FIRST, LAST)}
TAKE_BACK = {"take_back": True}
_MOST_ATTEMPTS = 12
_PAUSE = 0.001
# while Blender starts the worker, which starts Taichi and builds two solvers
_START_SECONDS = 4.0
_SLICE = 0.0005
# of what is taken back, so many have lost frames of the bake before, which the worker computes again
_LOST = 0.5

Random = np.random.Generator

_blender: BakingBlender | None = None


@dataclass(frozen=True)
class _Baked:
    """A file with its cache, from which trials begin.

    Attributes:
        folder: with ``file.blend`` and ``cache``.
        files: digests of all files of its jobs, by their paths below the cache.
        frames: digests of the frames of its newest job.
        shown: digest of what is shown.
    """

    folder: Path
    files: dict[str, str]
    frames: dict[int, str]
    shown: str


@dataclass(frozen=True)
class _Undisturbed:
    """What is undisturbed: the bake, and the same with a region."""

    whole: _Baked
    region: _Baked


def kill_a_region(number: int, folder: Path) -> Outcome:
    """Kill a region's bake, every third time the taking back of one, and do it again from the saved file."""
    random = np.random.default_rng(number)
    scene = SCENES[number % len(SCENES)]
    takes_back = number % 3 == 2
    victim = str(random.choice(VICTIMS))
    expected = undisturbed(scene)
    source, wanted = (expected.region, expected.whole) if takes_back else (expected.whole, expected.region)
    wish = TAKE_BACK if takes_back else REGION
    counts: Counter[str] = Counter()
    faults: list[str] = []
    for _ in range(_MOST_ATTEMPTS):
        copied(source, folder)
        if takes_back and (random.random() < _LOST or victim != "Blender"):
            _lose_frames(folder / "cache", expected, random)
            counts["lost frames of the bake before"] += 1
        blender = opened(folder)
        blender.begin(folder / "cache", 0.0, **wish)
        victims = _moment(blender, folder / "cache", victim, random, counts)
        if victims is not None:
            faults += kill_all(blender, folder / "cache", victims, victim, counts)
            break
        counts["bakes that ended before a kill"] += 1
        blender.end()
    else:
        faults.append("no kill met a bake that lives")
    # who has lost a Blender opens the file as it was saved; who has not goes on in it
    blender = _blender if _blender is not None and _blender.is_alive else opened(folder)
    found = bake_to_end(blender, folder / "cache", wish)
    what = "taken back" if takes_back else "baked again"
    if found["code"]:
        faults.append(f"{what} once more, it ended with {found['code']}")
    else:
        faults += _unlike(found, wanted, folder / "cache", expected)
    return Outcome(f"{what}, {victim} killed", tuple(faults), counts=dict(counts))


def _unlike(found: dict[str, Any], wanted: _Baked, cache: Path, expected: _Undisturbed) -> list[str]:
    faults = []
    if found["shown"] != wanted.shown:
        faults.append("what is shown is not as undisturbed")
    for name, baked in (("the bake", expected.whole), ("the region", expected.region)):
        job = next((job for job in jobs_of(cache) if _is_of(job, baked, expected)), None)
        frames = {} if job is None else digests(job)
        if baked is wanted and frames != baked.frames:
            faults.append(f"frames of {name} are not as undisturbed")
    now = _digests_below(cache)
    whole = {path: digest for path, digest in expected.whole.files.items() if "frame_" in path}
    if changed := [path for path, digest in whole.items() if now.get(path) != digest]:
        faults.append(f"of the bake before, {len(changed)} files have changed: {', '.join(changed[:5])}")
    return faults


def _is_of(job: Path, baked: _Baked, expected: _Undisturbed) -> bool:
    is_whole = any(path.startswith(f"{job.name}/") for path in expected.whole.files)
    return is_whole == (baked is expected.whole)


@lru_cache(maxsize=len(SCENES))
def undisturbed(scene: str) -> _Undisturbed:
    """A bake, and one of its regions, that nothing disturbs."""
    root = Path(tempfile.mkdtemp(prefix="xpbd-regions-"))
    blender = _living()
    blender.make(scene)
    work = root / "work"
    work.mkdir()
    whole = _kept(blender, work, root / "whole", {})
    region = _kept(blender, work, root / "region", REGION)
    # what is left there would be found by the path that records have
    shutil.rmtree(work)
    if whole.shown == region.shown or len(whole.frames) != len(region.frames):
        raise RuntimeError(f"The region of {scene} moves as the bake does.")
    return _Undisturbed(whole, region)


def _kept(blender: BakingBlender, work: Path, folder: Path, wish: dict[str, Any]) -> _Baked:
    """Bake, and keep the file and the cache."""
    before = set(jobs_of(work / "cache"))
    found = bake_to_end(blender, work / "cache", wish)
    if found["code"]:
        raise RuntimeError(f"What nothing disturbs ended with {found['code']}.")
    blender.save(work / "file.blend")
    shutil.copytree(work, folder)
    (job,) = set(jobs_of(work / "cache")) - before
    return _Baked(folder, _digests_below(folder / "cache"), digests(job), found["shown"])


def _living() -> BakingBlender:
    global _blender  # noqa: PLW0603 - one serves all trials that do not kill it
    if _blender is None or not _blender.is_alive:
        _blender = BakingBlender()
    return _blender


def opened(folder: Path) -> BakingBlender:
    """A Blender with a trial's file: the one that lives, or another."""
    blender = _living()
    blender.open(folder / "file.blend")
    return blender


def copied(source: _Baked, folder: Path) -> None:
    """A copy of a file with its cache, in place of what is there."""
    shutil.rmtree(folder / "cache", ignore_errors=True)
    shutil.copytree(source.folder, folder, dirs_exist_ok=True)


def bake_to_end(blender: BakingBlender, cache: Path, wish: dict[str, Any]) -> dict[str, Any]:
    """Bake to the end; what came of it."""
    blender.begin(cache, 0.0, **wish)
    return blender.end() or {"code": "no end"}


def _lose_frames(cache: Path, expected: _Undisturbed, random: Random) -> None:
    """Delete frames of the bake before, from one on."""
    first = int(random.integers(10, 50))
    for path in expected.whole.files:
        number = Path(path).stem.removeprefix("frame_")
        if number.isdigit() and int(number) >= first:
            (cache / path).unlink()


def _moment(blender: BakingBlender, cache: Path, victim: str, random: Random, counts: Counter[str]) -> list[int] | None:
    """Let some of the bake pass, then stop the victims; None where it has ended before."""
    name = str(random.choice(["start", "a frame", "keys"] if victim == "Blender" else ["start", "a frame"]))
    if name == "start":
        time.sleep(random.uniform(0.0, _START_SECONDS))
        while victim != "Blender" and blender.worker() is None and not blender.has_ended():
            time.sleep(_PAUSE)
    elif name == "a frame":
        _until_frame(blender, cache, int(random.integers(FIRST, LAST + 1)))
    else:
        while not blender.has_ended():
            frozen = blender.freeze(victim)
            if frozen is None or blender.doing() == "keys":
                counts["killed: keys are written"] += frozen is not None
                return frozen
            blender.thaw(frozen)
            time.sleep(random.uniform(0.0, _SLICE))
        return None
    victims = blender.freeze(victim)
    counts[f"killed: {name}"] += victims is not None
    return victims


def _until_frame(blender: BakingBlender, cache: Path, frame: int) -> None:
    """Wait until each job of a cache has a frame, or the bake has ended."""
    while not blender.has_ended():
        found = [frames_of(job) for job in jobs_of(cache)]
        if len(found) > 1 and all(frames is not None and frame in frames.available() for frames in found):
            return
        time.sleep(_PAUSE)


def _digests_below(folder: Path) -> dict[str, str]:
    """Digests of all files below a folder, by their paths in it."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
