# SPDX-License-Identifier: GPL-3.0-or-later
"""In a window: open the tab, press Bake, watch that the window lives, take screenshots, write a report, quit.

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

TICK = 0.05
LIMIT = 90.0

report_file, screenshot_stem = sys.argv[sys.argv.index("--") + 1 :]
report: dict[str, Any] = {"fault": "", "ticks_while_baking": 0, "longest_gap": 0.0, "end_status": "too late"}


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


def steps() -> Generator[None, None, None]:
    """What a person would do, one step a tick."""
    window, area, sidebar = view()
    area.spaces.active.show_region_ui = True
    bpy.context.view_layer.objects.active = bpy.data.objects["Suzanne"]
    bpy.data.objects["Suzanne"].select_set(True)
    for _ in range(20):
        yield
    sidebar.active_panel_category = "XPBD"
    with bpy.context.temp_override(window=window, area=area, region=view_region(area)):
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    for _ in range(10):
        yield
    report["category"] = sidebar.active_panel_category
    screenshot("tab")
    with bpy.context.temp_override(window=window, area=area, region=view_region(area)):
        bpy.ops.xpbd.bake("INVOKE_DEFAULT")
    started = last = time.monotonic()
    photographed = False
    while is_baking() and time.monotonic() - started < LIMIT:
        yield
        now = time.monotonic()
        report["ticks_while_baking"] += 1
        report["longest_gap"] = max(report["longest_gap"], now - last)
        if not photographed and bpy.context.scene.frame_current > 3:
            screenshot("baking")
            photographed = True
            now = time.monotonic()
        last = now
    report["seconds"] = time.monotonic() - started
    keys = bpy.data.objects["Suzanne"].data.shape_keys
    report["keys"] = len(keys.key_blocks) if keys else 0
    report["end_status"] = "too late" if is_baking() else "finished"
    bpy.context.scene.frame_set(14)
    for _ in range(20):
        yield
    screenshot("baked")


def view_region(area: bpy.types.Area) -> bpy.types.Region:
    """The region that shows the scene."""
    return next(region for region in area.regions if region.type == "WINDOW")


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
