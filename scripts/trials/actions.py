# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may do between the ticks of a running bake, at random."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.addon.strands import make_curve, make_hair

from .blender import make_grid, reset, slow_down
from .part import Outcome

ACTIONS = 10
_FRAMES = 60
_SECONDS = 240.0
_MOST_TICKS_BETWEEN = 12

Random = np.random.Generator
Steps = Any


class _Bake:
    """A running bake, and those that were begun beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[Steps] = []
        self.codes: list[str] = []
        self.told = ""

    def begin(self) -> None:
        import bpy

        from blender_xpbd.addon.baking.bake import bake
        from blender_xpbd.addon.data.bake_options import BakeOptions

        options = BakeOptions(cache=self.folder / "cache", frame_start=1, frame_end=_FRAMES, substeps=2)
        self.running.append(bake(bpy.context, options))

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
        for steps in self.running:
            steps.close()
        self.codes += ["closed"] * len(self.running)
        self.running = []


def _undo(_bake: _Bake, _random: Random) -> None:
    _operate("ed.undo")


def _redo(_bake: _Bake, _random: Random) -> None:
    _operate("ed.redo")


def _push(_bake: _Bake, random: Random) -> None:
    for obj in _objects(random):
        obj.location.x += 0.1
    _operate("ed.undo_push", message="moved")


def _delete(_bake: _Bake, random: Random) -> None:
    import bpy

    for obj in _objects(random):
        bpy.data.objects.remove(obj)


def _delete_mesh(_bake: _Bake, random: Random) -> None:
    import bpy

    for obj in _objects(random):
        if obj.type == "MESH":
            bpy.data.meshes.remove(obj.data)


def _rename(_bake: _Bake, random: Random) -> None:
    for obj in _objects(random):
        obj.name = f"Renamed {random.integers(1000)}"
        obj.data.name = "Data"


def _edit(_bake: _Bake, random: Random) -> None:
    for obj in _objects(random):
        _set_mode(obj, "EDIT" if obj.mode == "OBJECT" else "OBJECT")


def _spoil_mesh(_bake: _Bake, random: Random) -> None:
    for obj in _objects(random):
        if obj.type == "MESH" and obj.mode == "OBJECT":
            obj.data.vertices.add(1)


def _clear_keys(_bake: _Bake, random: Random) -> None:
    for obj in _objects(random):
        if obj.mode == "OBJECT" and getattr(obj.data, "shape_keys", None):
            obj.shape_key_clear()


def _scene(_bake: _Bake, random: Random) -> None:
    import bpy

    if len(bpy.data.scenes) > 1 and random.random() < 0.3:
        bpy.data.scenes.remove(bpy.data.scenes[int(random.integers(len(bpy.data.scenes)))])
    elif bpy.context.window is not None:
        bpy.context.window.scene = bpy.data.scenes.new("Other")
    else:
        bpy.data.scenes.new("Other")


def _role(_bake: _Bake, random: Random) -> None:
    for obj in _objects(random):
        obj.xpbd.role = ("NONE", "CLOTH", "JELLY", "COLLIDER")[random.integers(4)]


def _frame(_bake: _Bake, random: Random) -> None:
    import bpy

    bpy.context.scene.frame_set(int(random.integers(-10, 100)))


def _save(bake: _Bake, _random: Random) -> None:
    _operate("wm.save_as_mainfile", filepath=str(bake.folder / "saved.blend"), copy=True)


def _load(bake: _Bake, _random: Random) -> None:
    saved = bake.folder / "saved.blend"
    if saved.exists():
        _operate("wm.open_mainfile", filepath=str(saved))
    else:
        _operate("wm.read_factory_settings", use_empty=True)


def _second(bake: _Bake, _random: Random) -> None:
    bake.begin()


def _quit(bake: _Bake, _random: Random) -> None:
    bake.quit()


def _restart(_bake: _Bake, _random: Random) -> None:
    import blender_xpbd

    blender_xpbd.unregister()
    blender_xpbd.register()


# those that end a bake come less often
_ACTIONS: tuple[tuple[Callable[[_Bake, Random], None], int], ...] = (
    (_undo, 5),
    (_redo, 3),
    (_push, 4),
    (_delete, 1),
    (_delete_mesh, 1),
    (_rename, 3),
    (_edit, 4),
    (_spoil_mesh, 1),
    (_clear_keys, 2),
    (_scene, 2),
    (_role, 2),
    (_frame, 2),
    (_save, 2),
    (_load, 1),
    (_second, 2),
    (_quit, 1),
    (_restart, 1),
)


def act_during_a_bake(number: int, folder: Path) -> Outcome:
    """Bake a few objects, and do ten random things meanwhile."""
    return _disturbed(number, folder, [action for action, share in _ACTIONS for _ in range(share)], has_hair=False)


def undo_hair(number: int, folder: Path) -> Outcome:
    """Bake hair and curves, and undo and redo meanwhile."""
    return _disturbed(number, folder, [_undo, _undo, _redo, _push, _frame], has_hair=True)


def _disturbed(number: int, folder: Path, actions: list[Callable[[_Bake, Random], None]], *, has_hair: bool) -> Outcome:

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
        _operate("ed.undo_push", message=message)
    bake = _Bake(folder)
    bake.begin()
    names = []
    for _ in range(ACTIONS):
        for _ in range(int(random.integers(1, _MOST_TICKS_BETWEEN))):
            bake.tick()
        if not bake.running:
            bake.begin()
            bake.tick()
        action = actions[random.integers(len(actions))]
        names.append(action.__name__.strip("_"))
        action(bake, random)
    faults = _end(bake, before)
    codes = bake.codes or ["none"]
    return Outcome(f"last bake: {codes[-1]}", tuple(f"{fault} (after {', '.join(names)})" for fault in faults))


def _end(bake: _Bake, before: set[int]) -> list[str]:
    """Let the bakes end; what is left of them that should not be."""
    import bpy

    from blender_xpbd.addon.baking import bake as bake_module

    faults = []
    limit = time.monotonic() + _SECONDS
    for obj in bpy.data.objects:
        _set_mode(obj, "OBJECT")
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


def children() -> set[int]:
    """Processes that this one has started and that run."""
    found = set()
    for path in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for pid in path.read_text(encoding="utf-8").split():
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z":
                found.add(int(pid))
    return found


def _set_mode(obj: Any, mode: str) -> None:
    """Bring an object of the present view layer into a mode."""
    import bpy

    layer = bpy.context.view_layer
    if obj.mode != mode and layer.objects.get(obj.name) == obj:
        layer.objects.active = obj
        _operate("object.mode_set", mode=mode)


def _objects(random: Random) -> list[Any]:
    """One of the objects, none where there is none."""
    import bpy

    objects = list(bpy.data.objects)
    return [objects[int(random.integers(len(objects)))]] if objects else []


def _operate(name: str, **values: Any) -> None:
    """Call an operator; one that Blender refuses at the moment does nothing."""
    import bpy

    module, _, operator = name.partition(".")
    try:
        getattr(getattr(bpy.ops, module), operator)(**values)
    except RuntimeError as fault:
        print(f"{name}: {fault}")
