# SPDX-License-Identifier: GPL-3.0-or-later
"""In the window of a Blender application: bake by the button, and do random things between the ticks; then quit.

Arguments after ``--``: seed, how many acts, a folder for files, path of the report.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from trials.acts import ACTS, set_mode  # noqa: E402
from trials.blender import make_grid, reset, slow_down  # noqa: E402

TICK = 0.01
MOST_TICKS_BETWEEN = 8
FRAMES = 60
# of the stand-in for the worker, before each frame
SECONDS_PER_FRAME = 0.02
LIMIT = 60.0

seed, count, folder, report_file = sys.argv[sys.argv.index("--") + 1 :]
random = np.random.default_rng(int(seed))
report: dict[str, Any] = {"acts": [], "in_a_bake": 0, "faults": [], "quits_while_baking": False, "done": False}


class Bakes:
    """The bake that the button begins, and the one that ends it."""

    folder = Path(folder)

    def begin(self) -> None:
        """Press Bake; the button is grey while a bake is running."""
        for scene in bpy.data.scenes:
            scene.xpbd.frame_end, scene.xpbd.quality, scene.xpbd.substeps = FRAMES, "FIXED", 2
            scene.xpbd.cache_directory = str(self.folder / "cache")
        if bpy.ops.xpbd.bake.poll():
            bpy.ops.xpbd.bake("INVOKE_DEFAULT")

    def quit(self) -> None:
        """Press Cancel."""
        if bpy.ops.xpbd.cancel.poll():
            bpy.ops.xpbd.cancel()


def is_baking() -> bool:
    """Whether the modal operator runs."""
    return any(op.bl_idname == "XPBD_OT_bake" for op in bpy.context.window_manager.windows[0].modal_operators)


def make_scene() -> None:
    """Two objects to bake, where there are none."""
    if not any(obj.xpbd.role in {"CLOTH", "JELLY"} for obj in bpy.context.scene.objects):
        make_grid("First")
        make_grid("Second", "JELLY")
        bpy.ops.ed.undo_push(message="made")


def steps() -> Generator[None, None, None]:
    """What is done, one step a tick."""
    reset()
    slow_down(SECONDS_PER_FRAME)
    yield
    bakes = Bakes()
    for _ in range(int(count)):
        for _ in range(int(random.integers(1, MOST_TICKS_BETWEEN))):
            yield
        if not is_baking():
            make_scene()
            yield
            bakes.begin()
            yield
        act = ACTS[int(random.integers(len(ACTS)))]
        report["in_a_bake"] += is_baking()
        report["acts"].append(act.__name__.strip("_"))
        keep_report()
        act(bakes, random)
        yield
    if int(seed) % 2:
        report["quits_while_baking"] = is_baking()
        return
    limit = time.monotonic() + LIMIT
    while is_baking() and time.monotonic() < limit:
        for obj in bpy.data.objects:
            set_mode(obj, "OBJECT")
        yield
        if time.monotonic() > limit - LIMIT / 2:
            # of an object that is edited in another scene, a bake waits to be cancelled
            bakes.quit()
    if is_baking():
        report["faults"].append("a bake does not end")
    yield
    yield
    look_for_leftovers()


def look_for_leftovers() -> None:
    """What is left of bakes after their end."""
    from blender_xpbd.addon.baking import bake
    from blender_xpbd.addon.ui.operators.bake import BakeOperator

    if bake._running:
        report["faults"].append("a bake is registered after its end")
    if BakeOperator._timer is not None:
        report["faults"].append("a timer is left")


def keep_report() -> None:
    """Write what is known so far."""
    Path(report_file).write_text(json.dumps(report), encoding="utf-8")


def tick() -> float | None:
    """Advance by one step, as a button in the viewport would; at the end quit."""
    window = bpy.context.window_manager.windows[0]
    # nobody sits before a window without moving the mouse
    window.event_simulate("MOUSEMOVE", "NOTHING", x=int(random.integers(100, 200)), y=int(random.integers(100, 200)))
    area = next((area for area in window.screen.areas if area.type == "VIEW_3D"), window.screen.areas[0])
    region = next(region for region in area.regions if region.type == "WINDOW")
    try:
        with bpy.context.temp_override(window=window, area=area, region=region):
            next(running)
    except StopIteration:
        report["done"] = True
    except Exception:  # noqa: BLE001 - whatever it was, the trial reads it in the report
        report["faults"].append(traceback.format_exc()[-800:])
    else:
        return TICK
    keep_report()
    bpy.ops.wm.quit_blender()
    return None


running = steps()
bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
