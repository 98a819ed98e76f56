# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may do while a bake is running, one function for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Random = np.random.Generator


class Bakes(Protocol):
    """Bakes that go on.

    Attributes:
        folder: for files that are saved.
    """

    folder: Path

    def begin(self) -> None:
        """Begin one, whether or not another goes on."""

    def quit(self) -> None:
        """End them as a user does."""


Act = Callable[[Bakes, Random], None]


def _undo(_bakes: Bakes, _random: Random) -> None:
    operate("ed.undo")


def _redo(_bakes: Bakes, _random: Random) -> None:
    operate("ed.redo")


def _push(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        obj.location.x += 0.1
    operate("ed.undo_push", message="moved")


def _delete(_bakes: Bakes, random: Random) -> None:
    import bpy

    for obj in objects(random):
        bpy.data.objects.remove(obj)


def _delete_mesh(_bakes: Bakes, random: Random) -> None:
    import bpy

    for obj in objects(random):
        if obj.type == "MESH":
            bpy.data.meshes.remove(obj.data)


def _rename(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        obj.name = f"Renamed {random.integers(1000)}"
        obj.data.name = "Data"


def _edit(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        set_mode(obj, "EDIT" if obj.mode == "OBJECT" else "OBJECT")


def _spoil_mesh(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        if obj.type == "MESH" and obj.mode == "OBJECT":
            obj.data.vertices.add(1)


def _clear_keys(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        if obj.mode == "OBJECT" and getattr(obj.data, "shape_keys", None):
            obj.shape_key_clear()


def _scene(_bakes: Bakes, random: Random) -> None:
    import bpy

    if len(bpy.data.scenes) > 1 and random.random() < 0.3:
        bpy.data.scenes.remove(bpy.data.scenes[int(random.integers(len(bpy.data.scenes)))])
    elif bpy.context.window is not None:
        bpy.context.window.scene = bpy.data.scenes.new("Other")
    else:
        bpy.data.scenes.new("Other")


def _role(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        obj.xpbd.role = ("NONE", "CLOTH", "JELLY", "COLLIDER")[random.integers(4)]


def _frame(_bakes: Bakes, random: Random) -> None:
    import bpy

    bpy.context.scene.frame_set(int(random.integers(-10, 100)))


def _save(bakes: Bakes, _random: Random) -> None:
    operate("wm.save_as_mainfile", filepath=str(bakes.folder / "saved.blend"), copy=True)


def _load(bakes: Bakes, _random: Random) -> None:
    saved = bakes.folder / "saved.blend"
    if saved.exists():
        operate("wm.open_mainfile", filepath=str(saved))
    else:
        operate("wm.read_factory_settings", use_empty=True)


def _second(bakes: Bakes, _random: Random) -> None:
    bakes.begin()


def _quit(bakes: Bakes, _random: Random) -> None:
    bakes.quit()


def _restart(_bakes: Bakes, _random: Random) -> None:
    import blender_xpbd

    blender_xpbd.unregister()
    blender_xpbd.register()


# those that end a bake come less often
_SHARES: tuple[tuple[Act, int], ...] = (
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


ACTS: tuple[Act, ...] = tuple(act for act, share in _SHARES for _ in range(share))
# what can befall hair, which has no Edit Mode of the kind that a bake waits for
UNDOING: tuple[Act, ...] = (_undo, _undo, _redo, _push, _frame)


def set_mode(obj: Any, mode: str) -> None:
    """Bring an object of the present view layer into a mode."""
    import bpy

    layer = bpy.context.view_layer
    if obj.mode != mode and layer.objects.get(obj.name) == obj:
        layer.objects.active = obj
        operate("object.mode_set", mode=mode)


def objects(random: Random) -> list[Any]:
    """One of the objects, none where there is none."""
    import bpy

    objects = list(bpy.data.objects)
    return [objects[int(random.integers(len(objects)))]] if objects else []


def operate(name: str, **values: Any) -> None:
    """Call an operator; one that Blender refuses at the moment does nothing."""
    import bpy

    module, _, operator = name.partition(".")
    try:
        getattr(getattr(bpy.ops, module), operator)(**values)
    except RuntimeError as fault:
        print(f"{name}: {fault}")
