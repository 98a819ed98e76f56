# SPDX-License-Identifier: GPL-3.0-or-later
"""Mouse and keys over a viewport while a run is played."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from bpy_extras import view3d_utils
from mathutils import Vector

from ..playing.hand import drag_normal, on_plane
from ..playing.player import Player

Floats = npt.NDArray[np.float64]

# accelerations: up, and of the wind [m/s²]; and how strongly the 3D Cursor pulls [1/s²]
PUSH, WIND, PULL = 20.0, 15.0, 60.0

_NAVIGATION = (
    {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN", "TRACKPADZOOM"}
    | {"MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "TIMER_REPORT", "WINDOW_DEACTIVATE"}
    | {f"NUMPAD_{digit}" for digit in range(10)}
    | {"NUMPAD_PERIOD", "NUMPAD_PLUS", "NUMPAD_MINUS"}
)
# how keys end a run
_WISHES = {"ESC": "CANCEL", "RET": "KEEP", "NUMPAD_ENTER": "KEEP", "S": "START", "B": "REST_SHAPE"}
_HELD = {"U", "W", "C"}
_KEYS = _HELD | {*_WISHES, "SPACE", "RIGHT_ARROW", "R", "D"}


class View(NamedTuple):
    """A viewport, and the region in which it is shown."""

    region: Any
    data: Any


def is_navigation(event: bpy.types.Event) -> bool:
    """Whether an event moves the view, as it may while a run is played."""
    return event.type in _NAVIGATION


def is_key(event: bpy.types.Event) -> bool:
    """Whether an event is of a key that a run has a use for."""
    return event.type in _KEYS


def viewport_under(context: bpy.types.Context, event: bpy.types.Event) -> View | None:
    """The viewport under the mouse; None over panels, headers and other editors."""
    for area in context.window.screen.areas:
        if area.type != "VIEW_3D":
            continue
        covered = [region for region in area.regions if region.type not in {"WINDOW", "XR"}]
        if any(_holds(region, event) for region in covered if region.width > 1 and region.height > 1):
            continue
        window = next(region for region in area.regions if region.type == "WINDOW")
        if _holds(window, event):
            return View(window, area.spaces.active.region_3d)
    return None


class PlayMouse:
    """What the mouse and the keys of a run have done so far."""

    def __init__(self) -> None:
        """Nothing is held."""
        self._plane = "SCREEN"
        self._view: View | None = None
        self._point: Floats = np.zeros(3)
        self._held_keys: set[str] = set()

    def handle(self, context: bpy.types.Context, event: bpy.types.Event, view: View | None, player: Player) -> str:
        """Take an event over a viewport.

        Returns:
            How the run shall end: "CANCEL", "KEEP", "START" or "REST_SHAPE"; "" where it goes on.
        """
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            self._drag(event, player)
        elif event.type == "LEFTMOUSE":
            self._click(event, view, player)
        elif event.type in _HELD and event.value in {"PRESS", "RELEASE"}:
            (self._held_keys.add if event.value == "PRESS" else self._held_keys.discard)(event.type)
        elif event.value == "PRESS":
            return self._key(event, player)
        self._force(context, event, view, player)
        return ""

    def _key(self, event: bpy.types.Event, player: Player) -> str:
        if event.type == "SPACE":
            player.is_paused = not player.is_paused
        elif event.type == "RIGHT_ARROW":
            player.is_paused = True
            player.step()
        elif event.type == "R":
            player.restart()
        elif event.type == "D":
            self._plane = "WORLD" if self._plane == "SCREEN" else "SCREEN"
        return _WISHES.get(event.type, "")

    def _click(self, event: bpy.types.Event, view: View | None, player: Player) -> None:
        if event.value == "RELEASE":
            player.let_go()
            self._view = None
        elif event.value == "PRESS" and view is not None:
            origin, direction = _ray(view, event, player.unit_scale)
            point = player.take_hold(origin, direction)
            if point is not None:
                self._view, self._point = view, point

    def _drag(self, event: bpy.types.Event, player: Player) -> None:
        if self._view is None or not player.is_held:
            return
        origin, direction = _ray(self._view, event, player.unit_scale)
        towards = np.array(self._view.data.view_rotation @ Vector((0.0, 0.0, -1.0)), np.float64)
        point = on_plane(origin, direction, self._point, drag_normal(self._plane, towards))
        if point is not None:
            player.drag_to(point)

    def _force(self, context: bpy.types.Context, event: bpy.types.Event, view: View | None, player: Player) -> None:
        """What the keys that are held down do to all bodies."""
        acceleration = np.zeros(3)
        if "U" in self._held_keys:
            acceleration += [0.0, 0.0, PUSH]
        if "W" in self._held_keys and view is not None:
            _, direction = _ray(view, event, player.unit_scale)
            acceleration += WIND * direction / np.linalg.norm(direction)
        player.acceleration = acceleration
        player.pull = PULL if "C" in self._held_keys else 0.0
        player.pull_point = np.array(context.scene.cursor.location, np.float64) * player.unit_scale


def _ray(view: View, event: bpy.types.Event, unit_scale: float) -> tuple[Floats, Floats]:
    """From the eye through the mouse, in the world [m]."""
    place = (event.mouse_x - view.region.x, event.mouse_y - view.region.y)
    origin = view3d_utils.region_2d_to_origin_3d(view.region, view.data, place)
    direction = view3d_utils.region_2d_to_vector_3d(view.region, view.data, place)
    return np.array(origin, np.float64) * unit_scale, np.array(direction, np.float64)


def _holds(region: Any, event: bpy.types.Event) -> bool:
    return bool(
        region.x <= event.mouse_x < region.x + region.width and region.y <= event.mouse_y < region.y + region.height
    )
