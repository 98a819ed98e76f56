# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may do between the ticks of a running bake, at random."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.addon.strands import make_curve, make_hair

from .acts import ACTS, UNDOING, Act, operate, set_mode
from .blender import make_grid, reset, slow_down
from .part import Outcome
from .processes import children

ACTIONS = 10
FRAMES = 60
_SECONDS = 240.0
_MOST_TICKS_BETWEEN = 12

Steps = Any


class RunningBakes:
    """A running bake, and those that were begun beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[Steps] = []
        self.codes: list[str] = []
        self.told = ""

    def begin(self, **wishes: Any) -> None:
        """Begin one, whether or not another goes on."""
        import bpy

        from blender_xpbd.addon.baking.bake import bake
        from blender_xpbd.addon.data.bake_options import BakeOptions

        common = {"cache": self.folder / "cache", "frame_start": 1, "frame_end": FRAMES, "substeps": 2}
        self.running.append(bake(bpy.context, BakeOptions(**common, **wishes)))

    def tick(self) -> None:
        """Advance each bake by a step; faults with a code are answers."""
        from blender_xpbd.scene.errors import XpbdError

        for steps in list(self.running):
            try:
                self.told = str(next(steps))
            except StopIteration:
                self.running.remove(steps)
                self.codes.append("complete")
            except XpbdError as fault:
                self.running.remove(steps)
                self.codes.append(fault.code)
        time.sleep(0.002)

    def quit(self) -> None:
        """End them as a user does."""
        for steps in self.running:
            steps.close()
        self.codes += ["closed"] * len(self.running)
        self.running = []


def act_during_a_bake(number: int, folder: Path) -> Outcome:
    """Bake a few objects, and do ten random things meanwhile."""
    return _disturbed(number, folder, ACTS, has_hair=False)


def undo_hair(number: int, folder: Path) -> Outcome:
    """Bake hair and curves, and undo and redo meanwhile."""
    return _disturbed(number, folder, UNDOING, has_hair=True)


def _disturbed(number: int, folder: Path, acts: Sequence[Act], *, has_hair: bool) -> Outcome:
    random = np.random.default_rng(number)
    reset()
    slow_down(0.004)
    before = children()
    make_grid("First")
    make_grid("Second", "JELLY")
    if has_hair:
        make_hair((4, 3, 5), surface=make_grid("Head", "COLLIDER"))
        make_curve()
    for message in ("made", "begun"):
        operate("ed.undo_push", message=message)
    bake = RunningBakes(folder)
    bake.begin()
    return disturbed(bake, random, acts, before)


def disturbed(bake: RunningBakes, random: np.random.Generator, acts: Sequence[Act], before: set[int]) -> Outcome:
    """Do ten random things during bakes, and let them end.

    Args:
        bake: goes on.
        random: chooses.
        acts: from which it chooses.
        before: processes that there were before the bake.
    """
    names: list[str] = []
    try:
        for _ in range(ACTIONS):
            for _ in range(int(random.integers(1, _MOST_TICKS_BETWEEN))):
                bake.tick()
            if not bake.running:
                bake.begin()
                bake.tick()
            act = acts[random.integers(len(acts))]
            names.append(act.__name__.strip("_"))
            act(bake, random)
    except Exception as fault:
        fault.add_note(f"after {', '.join(names)}")
        raise
    faults = end_bakes(bake, before)
    codes = bake.codes or ["none"]
    return Outcome(f"last bake: {codes[-1]}", tuple(f"{fault} (after {', '.join(names)})" for fault in faults))


def end_bakes(bake: RunningBakes, before: set[int]) -> list[str]:
    """Let the bakes end; what is left of them that should not be."""
    import bpy

    from blender_xpbd.addon.baking import bake as bake_module

    faults = []
    limit = time.monotonic() + _SECONDS
    for obj in bpy.data.objects:
        set_mode(obj, "OBJECT")
    while bake.running and "Waiting: leave" not in bake.told and time.monotonic() < limit:
        bake.tick()
    if bake.running:
        # of an object that is edited in another scene, a bake waits to be cancelled
        if "Waiting: leave" not in bake.told:
            faults.append(f"a bake does not end, at {bake.told}")
        bake.quit()
    if bake_module._running:
        faults.append("a bake is registered after its end")
    limit = time.monotonic() + 5.0
    while children() - before and time.monotonic() < limit:
        time.sleep(0.05)
    if left := children() - before:
        faults.append(f"processes are left: {len(left)}")
    return faults
