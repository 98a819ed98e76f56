# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes whose worker, Blender or both are killed by SIGKILL while they live, and that are baked again."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .bakes import digests, frames_of, job_of
from .baking_blender import FRAMES
from .killing import kill_all
from .living_bake import BakingBlender
from .part import Outcome
from .processes import freeze, thaw

VICTIMS = ("worker", "Blender", "both")
SCENES = ("cloth", "jelly")
TOLERANCES = (0.0, 1.0)
# a worker keeps its state after so many seconds; while it is stopped they pass at no cost
_CHECKPOINT_SECONDS = 2.1
_MOST_ATTEMPTS = 12
_PAUSE = 0.001
_SLICE = 0.0005
# of the bakes, so many have a state from which they go on, and so many are killed twice
_PAUSED = 0.4
_TWICE = 0.25

Random = np.random.Generator
Moment = Callable[[BakingBlender, Path, str, Random], list[int] | None]

_blender: BakingBlender | None = None


def kill_a_bake(number: int, folder: Path) -> Outcome:
    """Kill a bake once or twice at random moments of its life, then let it end."""
    random = np.random.default_rng(number)
    victim = VICTIMS[number % len(VICTIMS)]
    wish = _Wish(SCENES[number // len(VICTIMS) % len(SCENES)], float(random.choice(TOLERANCES)), folder / "cache")
    expected = undisturbed(wish.scene, wish.tolerance)
    counts: Counter[str] = Counter()
    faults: list[str] = []
    _ready(wish.scene).make(wish.scene)
    for _ in range(1 + (random.random() < _TWICE)):
        faults += _kill_living(wish, victim, random, counts)
    found = _bake(wish)
    if found["code"]:
        return Outcome(victim, (*faults, f"baked again, it ended with {found['code']}"), counts=dict(counts))
    counts["went on from a state"] += found["resumed_after"] is not None
    unlike = [what for what in ("frames", "shown") if found[what] != expected[what]]
    faults += [f"{what}: not as of an undisturbed bake" for what in unlike]
    return Outcome(victim, tuple(faults), counts=dict(counts))


@lru_cache(maxsize=len(SCENES) * len(TOLERANCES))
def undisturbed(scene: str, tolerance: float) -> dict[str, Any]:
    """What a bake gives that nothing disturbs: digests of its frames, and of what is shown."""
    _ready(scene).make(scene)
    with tempfile.TemporaryDirectory() as folder:
        found = _bake(_Wish(scene, tolerance, Path(folder) / "cache"))
    if found["code"] or len(found["frames"]) != FRAMES:
        raise RuntimeError(f"The undisturbed bake of {scene} ended with {found['code'] or 'too few frames'}.")
    return found


@dataclass(frozen=True)
class _Wish:
    """What is baked, with which tolerance of keys [mm], and into which cache."""

    scene: str
    tolerance: float
    cache: Path


def _ready(scene: str) -> BakingBlender:
    """A Blender that waits for orders: the one that lives, or another with the scene."""
    global _blender  # noqa: PLW0603 - one serves all trials that do not kill it
    if _blender is None or not _blender.is_alive:
        _blender = BakingBlender()
        _blender.make(scene)
    return _blender


def _bake(wish: _Wish) -> dict[str, Any]:
    """Bake to the end; what came of it, with the frames' digests."""
    blender = _ready(wish.scene)
    blender.begin(wish.cache, wish.tolerance)
    ended = blender.end() or {"code": "no end"}
    job = job_of(wish.cache)
    return {**ended, "frames": {} if job is None else digests(job)}


def _kill_living(wish: _Wish, victim: str, random: Random, counts: Counter[str]) -> list[str]:
    """Bake until a kill has met a bake that lives; what did not hold after it."""
    for _ in range(_MOST_ATTEMPTS):
        blender = _ready(wish.scene)
        blender.begin(wish.cache, wish.tolerance)
        name = str(random.choice(_names(victim, wish.tolerance)))
        if random.random() < _PAUSED and name in {"a frame", "a frame is written", "keys are written"}:
            _until_frame(blender, wish.cache, int(random.integers(1, FRAMES // 3)))
            blender.pause(_CHECKPOINT_SECONDS)
        victims = _MOMENTS[name](blender, wish.cache, victim, random)
        if victims is not None:
            counts[f"killed: {name}"] += 1
            return kill_all(blender, wish.cache, victims, victim, counts)
        # it has ended before; what it has computed would leave nothing to kill
        counts["bakes that ended before a kill"] += 1
        blender.end()
        blender.make(wish.scene)
        shutil.rmtree(wish.cache, ignore_errors=True)
    return ["no kill met a bake that lives"]


def _at_start(blender: BakingBlender, _cache: Path, victim: str, random: Random) -> list[int] | None:
    """Before the first frames are there, or soon after."""
    time.sleep(random.uniform(0.0, 1.2))
    while victim != "Blender" and blender.worker() is None and not blender.has_ended():
        time.sleep(_PAUSE)
    return blender.freeze(victim)


def _at_frame(blender: BakingBlender, cache: Path, victim: str, random: Random) -> list[int] | None:
    _until_frame(blender, cache, int(random.integers(1, FRAMES)))
    time.sleep(random.uniform(0.0, 0.02))
    return blender.freeze(victim)


def _at_file(folder: str, beginning: str) -> Moment:
    """While the worker writes a file: it is stopped again and again until half of one is there."""

    def moment(blender: BakingBlender, cache: Path, victim: str, random: Random) -> list[int] | None:
        _until_frame(blender, cache, int(random.integers(1, FRAMES // 2)))
        worker, job = blender.worker(), job_of(cache)
        if worker is None or job is None or not freeze(worker):
            return None
        if not folder:
            time.sleep(_CHECKPOINT_SECONDS)
        while not any(path.name.startswith(beginning) for path in (job / folder).glob(".*.tmp")):
            thaw(worker)
            time.sleep(random.uniform(0.0, _SLICE))
            if not freeze(worker):
                return None
        victims = blender.freeze(victim)
        if victims is None:
            thaw(worker)
        return victims

    return moment


def _at_keys(*doing: str) -> Moment:
    """While Blender does something with keys: it is stopped again and again until it does."""

    def moment(blender: BakingBlender, cache: Path, victim: str, random: Random) -> list[int] | None:
        if "keys" in doing:
            _until_frame(blender, cache, int(random.integers(1, FRAMES // 2)))
        while not blender.has_ended():
            frozen = blender.freeze(victim)
            if frozen is None or doing.count(blender.doing()):
                return frozen
            blender.thaw(frozen)
            time.sleep(random.uniform(0.0, _SLICE))
        return None

    return moment


_MOMENTS: dict[str, Moment] = {
    "start": _at_start,
    "a frame": _at_frame,
    "a frame is written": _at_file("frames", ".frame_"),
    "a state is written": _at_file("", ".checkpoint.bin"),
    "keys are written": _at_keys("keys"),
    "fewer keys are sought or written": _at_keys("fewer keys", "last keys"),
}


def _names(victim: str, tolerance: float) -> list[str]:
    """The moments at which there is something to kill: the last keys come when the worker has ended."""
    if victim != "Blender":
        return [*_MOMENTS][:5] if victim == "both" else [*_MOMENTS][:4]
    return [
        name
        for name in _MOMENTS
        if name not in {"a frame is written", "a state is written"} and (tolerance > 0.0 or "fewer" not in name)
    ]


def _until_frame(blender: BakingBlender, cache: Path, frame: int) -> None:
    """Wait until a frame is there, or the bake has ended."""
    while not blender.has_ended():
        job = job_of(cache)
        frames = frames_of(job) if job is not None else None
        if frames is not None and frame in frames.available():
            return
        time.sleep(_PAUSE)
