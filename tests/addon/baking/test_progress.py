# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a bake is."""

from __future__ import annotations

import pytest


@pytest.mark.usefixtures("bpy")
@pytest.mark.parametrize(("done", "total", "share"), [(0, 0, 0.0), (0, 8, 0.0), (2, 8, 0.25), (8, 8, 1.0), (3, 0, 0.0)])
def test_the_share_of_a_stage(done: int, total: int, share: float) -> None:
    from blender_xpbd.addon.baking.progress import READING, Progress

    assert Progress(READING, frames_done=done, frames_total=total).fraction == share


@pytest.mark.usefixtures("bpy")
def test_stages_have_names_of_their_own() -> None:
    from blender_xpbd.addon.baking import progress

    stages = [progress.READING, progress.STARTING, progress.SOLVING, progress.WAITING, progress.WRITING]
    assert len(set(stages)) == len(stages)
