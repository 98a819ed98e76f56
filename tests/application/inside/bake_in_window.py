# SPDX-License-Identifier: GPL-3.0-or-later
"""In a window: open the tab, bake, watch that the window lives, bake and cancel; take screenshots, report, quit.

Arguments after ``--``: the report's path, the beginning of the screenshots' paths.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import traceback
from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

TICK = 0.05
LIMIT = 90.0
# so many that the bake takes some seconds
SUBSTEPS = 60
# after which the window shows what the data says
TICKS_TO_DRAW = 3

report_file, screenshot_stem = sys.argv[sys.argv.index("--") + 1 :]
report: dict[str, Any] = {"fault": "", "ticks_while_baking": 0, "longest_gap": 0.0, "moved_while_baking": False}


def view() -> tuple[bpy.types.Window, bpy.types.Area, bpy.types.Region]:
    """The window's 3D viewport and its sidebar."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, area, next(region for region in area.regions if region.type == "UI")


def screenshot(name: str) -> None:
    """Photograph the virtual screen: Blender's own screenshots are black where OpenGL is software."""
    subprocess.run(["import", "-window", "root", f"{screenshot_stem}-{name}.png"], check=True)


def is_baking() -> bool:
    """Whether the modal operator runs."""
    return any(operator.bl_idname == "XPBD_OT_bake" for operator in view()[0].modal_operators)


def suzanne_height() -> float:
    """Mean height [m] of the vertices as the viewport shows them."""
    suzanne = bpy.data.objects["Suzanne"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    heights = np.empty(3 * len(suzanne.data.vertices), np.float32)
    suzanne.data.vertices.foreach_get("co", heights)
    return float(heights[2::3].mean())


def key_count() -> int:
    """Number of Suzanne's shape keys."""
    keys = bpy.data.objects["Suzanne"].data.shape_keys
    return len(keys.key_blocks) if keys else 0


def press(operator: Any, *arguments: str) -> None:
    """Call an operator as a button in the viewport does."""
    window, area, _ = view()
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        operator(*arguments)


def wait(ticks: int) -> Generator[None, None, None]:
    """Let the window live for some ticks."""
    for _ in range(ticks):
        yield


def steps() -> Generator[None, None, None]:
    """What a person would do, one step a tick."""
    _, area, sidebar = view()
    area.spaces.active.show_region_ui = True
    suzanne = bpy.data.objects["Suzanne"]
    bpy.context.view_layer.objects.active = suzanne
    suzanne.select_set(True)
    yield from wait(20)
    sidebar.active_panel_category = "XPBD"
    press(bpy.ops.view3d.view_all)
    yield from wait(10)
    report["category"] = sidebar.active_panel_category
    screenshot("tab")
    yield from whole_bake()
    bpy.context.scene.frame_set(14)
    press(bpy.ops.view3d.view_all)
    yield from wait(20)
    screenshot("baked")
    yield from cancelled_bake()


def whole_bake() -> Generator[None, None, None]:
    """Press Bake; while it runs, measure the time between ticks, and see that the shown body moves."""
    bpy.context.scene.xpbd.substeps = SUBSTEPS
    height = suzanne_height()
    press(bpy.ops.xpbd.bake, "INVOKE_DEFAULT")
    started = last = time.monotonic()
    ticks_moved = 0
    while is_baking() and time.monotonic() - started < LIMIT:
        yield
        now = time.monotonic()
        report["ticks_while_baking"] += 1
        report["longest_gap"] = max(report["longest_gap"], now - last)
        ticks_moved += abs(suzanne_height() - height) > 0.1
        if ticks_moved == TICKS_TO_DRAW and not report["moved_while_baking"]:
            report["moved_while_baking"] = True
            screenshot("baking")
        last = time.monotonic()
    report["seconds"] = time.monotonic() - started
    report["keys"] = key_count()
    report["end_status"] = "too late" if is_baking() else "finished"


def cancelled_bake() -> Generator[None, None, None]:
    """Bake something longer, and cancel when there are a few frames."""
    press(bpy.ops.xpbd.clear)
    report["keys_after_clear"] = key_count()
    bpy.context.scene.xpbd.substeps = 4 * SUBSTEPS
    press(bpy.ops.xpbd.bake, "INVOKE_DEFAULT")
    started = time.monotonic()
    while is_baking() and key_count() < 6 and time.monotonic() - started < LIMIT:
        yield
    report["baking_before_cancel"] = is_baking()
    press(bpy.ops.xpbd.cancel)
    cancelled = time.monotonic()
    while is_baking() and time.monotonic() - cancelled < LIMIT:
        yield
    report["seconds_to_cancel"] = time.monotonic() - cancelled
    report["keys_after_cancel"] = key_count()


def tick() -> float | None:
    """Advance by one step; at the end write the report and quit."""
    try:
        next(running)
    except StopIteration:
        pass
    except Exception:  # noqa: BLE001  whatever it was, the test reads it in the report
        report["fault"] = traceback.format_exc()
        print(report["fault"])
    else:
        return TICK
    Path(report_file).write_text(json.dumps(report), encoding="utf-8")
    bpy.ops.wm.quit_blender()
    return None


running = steps()
bpy.app.timers.register(tick, first_interval=1.0)
