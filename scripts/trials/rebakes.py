# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may do while a finished bake is baked again in part: a region, a loop, from a frame on, one of two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .actions import FRAMES, RunningBakes, disturbed
from .blender import make_grid, reset, slow_down
from .newer_acts import NEWER_ACTS
from .part import Outcome
from .processes import children

_GROUP = "Part"
_NAMES = ("First", "Second")


class _Rebakes(RunningBakes):
    """Bakes, of which each but the first goes on from the one before in some way."""

    def __init__(self, folder: Path, random: np.random.Generator) -> None:
        super().__init__(folder)
        self._random = random

    def begin(self, **wishes: Any) -> None:
        super().begin(**(wishes or self._wish()))

    def finish(self) -> None:
        """Let all that goes on end."""
        while self.running:
            self.tick()

    def _wish(self) -> dict[str, Any]:
        from blender_xpbd.addon.data.rebake_settings import RegionWish

        name = str(self._random.choice(_NAMES))
        first, last = sorted(int(frame) for frame in self._random.integers(1, FRAMES + 1, 2))
        wishes: tuple[dict[str, Any], ...] = (
            {"region": RegionWish(name, _GROUP, first, last)},
            {"region": RegionWish(name, _GROUP, first, last)},
            {"take_back_region": name},
            {"loop": int(self._random.integers(1, FRAMES))},
            {"from_frame": first},
            {"only": (name,)},
            {"key_tolerance": 1.0},
        )
        return wishes[int(self._random.integers(len(wishes)))]


def act_during_a_rebake(number: int, folder: Path) -> Outcome:
    """Bake two objects whole, every second time a region of one too; then again in part, with acts meanwhile."""
    import bpy

    from blender_xpbd.addon.data.rebake_settings import RegionWish

    from .acts import operate

    random = np.random.default_rng(number)
    reset()
    slow_down(0.0)
    before = children()
    for name, role in zip(_NAMES, ("CLOTH", "JELLY"), strict=True):
        body = make_grid(name, role)
        body.vertex_groups.new(name=_GROUP).add([6, 7, 8, 11, 12, 13], 1.0, "REPLACE")
    scene: Any = bpy.context.scene
    scene.xpbd.cache_directory = str(folder / "cache")
    bake = _Rebakes(folder, random)
    bake.begin(objects=())
    bake.finish()
    if number % 2:
        bake.begin(region=RegionWish("First", _GROUP, 10, 30))
        bake.finish()
    if bake.codes != ["complete"] * (1 + number % 2):
        return Outcome("no bake", (f"before anything was disturbed: {bake.codes}",))
    for message in ("made", "begun"):
        operate("ed.undo_push", message=message)
    slow_down(0.004)
    bake.begin()
    return disturbed(bake, random, NEWER_ACTS, before)
